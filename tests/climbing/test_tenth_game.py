"""A game from outside the package: every shell serves it without knowing it; and no file but its own names one of ours."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from places import PAGES, SUPPORT
from readme_tables import PART

import big2_env
from big2_env import BIG2, ConfigError, available_rulesets

PLUGIN = '''
from dataclasses import dataclass, replace

from big2_env import BIG2, DECK_54, Pattern, PatternRule, Rank, RuleSet, Shape
from big2_env.climbing.auction import Bid
from big2_env.climbing.parts import Lead, Multiplier, pattern_rules
from big2_env.climbing.patterns import pattern
from big2_env.climbing.settlement import PenaltySettlement, TeamStake


@dataclass(frozen=True)
class Rent(PenaltySettlement):
    """Losers pay more for each further card."""

    def penalty(self, cards_left, num_players):
        return cards_left * (cards_left + 1) / 2


@dataclass(frozen=True)
class Ladder(Pattern):
    """A pair with the single card of the next rank."""

    name = "ladder"
    zh = "梯子"

    def shapes(self, order):
        ranks = order.suited_ranks
        for low, high in zip(ranks, ranks[1:]):
            yield Shape.of({low: 2, high: 1}, key=high)


NIGHT_MARKET = RuleSet(
    name="night_market",
    zh="夜市",
    patterns=(*pattern_rules("single", "pair", Ladder()), PatternRule(pattern("joker_pair"), bomb=1)),
    deck=DECK_54,
    min_players=4,
    max_players=4,
    hand_size=12,
    auction=Bid(most=2, deals=2),
    ranks=tuple(Rank),
    suits_compare=False,
    ranks_only=True,
    lead=Lead.ANY,
    scoring=TeamStake(),
    multipliers=(Multiplier("joker_pair", 3),),
    spring=2,
)
DAY_MARKET = replace(BIG2, name="day_market", zh="早市", scoring=Rent()).with_patterns(Ladder())


class Hasty:
    """Acts at once."""

    def reset(self, seed):
        pass

    def act(self, view, legal):
        return next(iter(legal))


def haggle() -> None:
    """Talk about the price."""
'''

SHELLS = """
import io, json, sys
from contextlib import redirect_stdout
import gymnasium, pettingzoo
import numpy as np
from big2_env import Game, ruleset
from big2_env.agents.interface import make_agent
from big2_env.climbing.actions import action_space
from big2_env.climbing.game import decks_of
from big2_env.envs.aec import env
from big2_env.notation import log, records
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Transcript
from big2_env.registration import env_id
from big2_env.testing import check_masks
from big2_env.testing.differential import compare, compare_positions
from big2_env.testing.random_play import play
from big2_agents.rule_based.heuristic import HeuristicAgent

rules = ruleset("night_market")
assert play(rules, 5).games == 5
assert "big2/NightMarket-v0" in gymnasium.registry and "big2/NightMarket-v0" in pettingzoo.aec_registry
assert check_masks(env(ruleset="night_market"), games=1) > 10
one = gymnasium.make("big2/NightMarket-v0", opponents="heuristic")
observation, info = one.reset(seed=1)
done = False
while not done:
    action = int(np.flatnonzero(one.unwrapped.action_masks())[0])
    observation, reward, done, _, info = one.step(action)
space = action_space(rules)
names = {space.label(action).split(" ")[0] for action in range(space.n)}
assert {"pass", "single", "pair", "ladder", "joker_pair", "bid_1", "bid_2"} <= names, names
transcript = Transcript(Game.deal(rules, 4))
game, agents = transcript.game, [make_agent("heuristic") for _ in range(4)]
ladders = 0
while not game.is_over:
    act = agents[game.turn].act(game.view(), game.legal_plays())
    ladders += act.pattern == "ladder"
    game.play(act)
assert records.loads(records.dumps(GameRecord(transcript, tuple(decks_of(rules, 4)[0])))).game == game
assert "梯子" in log.dumps(transcript) or not ladders
day = ruleset("day_market")
assert compare(day, 5).games == compare_positions(day, 5).positions == 5
assert compare(rules, 3).games == compare_positions(rules, 3).positions == 3
for name in ("night_market", "day_market"):
    for mode in ("self_play", "seat"):
        envs = gymnasium.make_vec(env_id(name), num_envs=4, mode=mode).unwrapped
        envs.reset(seed=1)
        while not envs.step(envs.random_actions())[2].any():
            pass
    transcript = Transcript(Game.deal(ruleset(name), 4))
    game, agents = transcript.game, [make_agent(agent) for agent in ("hasty", "greedy", "heuristic", "random")]
    while not game.is_over:
        game.play(agents[game.turn].act(game.view(), game.legal_plays()))
    assert records.loads(records.dumps(GameRecord(transcript, tuple(decks_of(ruleset(name), 4)[0])))).game == game
print("served", space.n)
"""

TABLES = """
import json, sys
sys.path.insert(0, {support!r})
import readme_tables
from big2_env import available_patterns, available_rulesets
from big2_env.agents.interface import available_agents
from big2_env.cli import available_verbs
assert "day_market" in available_rulesets() and "ladder" in available_patterns()
assert "hasty" in available_agents() and "haggle" in available_verbs()
names = ("rulesets", "environments", "patterns", "agents", "verbs")
print(json.dumps({{name: getattr(readme_tables, name)() for name in names}}))
"""


ENTRY_POINTS = """
[big2_env.rulesets]
night_market = night_market:NIGHT_MARKET
day_market = night_market:DAY_MARKET
[big2_env.patterns]
ladder = night_market:Ladder
[big2_env.agents]
hasty = night_market:Hasty
[big2_env.commands]
haggle = night_market:haggle
"""


@pytest.fixture
def beside(tmp_path: Path) -> dict[str, str]:
    """The variables of a process for which a package with the game is installed beside ours."""
    (tmp_path / "night_market.py").write_text(PLUGIN, encoding="utf-8")
    info = tmp_path / "night_market-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: night-market\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]), "PYTHONUTF8": "1"}


def output_of(code: str, variables: dict[str, str]) -> str:
    """What a fresh process prints that runs some code."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=variables, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_tenth_game__from_outside_is_served_by_every_shell(beside: dict[str, str], tmp_path: Path) -> None:
    assert "night_market" not in available_rulesets()
    assert output_of(SHELLS, beside).startswith("served ")
    script = f"""
from big2_env.cli import main
import sys
for line in ["games --lang zh-Hans", "match heuristic random greedy lowest --game night_market --seed 2 --log jsonl",
             "arena heuristic random --game night_market --scoring own --deals 3 --jobs 1 --out {tmp_path}/night.jsonl"]:
    sys.argv = ["big2", *line.split()]
    try:
        main()
    except SystemExit as end:
        assert not end.code, end.code
"""
    printed = output_of(script, beside)
    assert "夜市" in printed
    assert '"ruleset":"night_market"' in printed.replace(": ", ":")
    assert "3 x random" in printed


def test_tenth_game__from_outside_changes_no_table_of_the_manual(beside: dict[str, str]) -> None:
    made = json.loads(output_of(TABLES.format(support=str(SUPPORT)), beside))
    parts = {part[2]: part[0] for page in PAGES for part in PART.finditer(page.read_text(encoding="utf-8"))}
    assert {name: text in parts[name] for name, text in made.items()} == dict.fromkeys(made, True)


class Entry(NamedTuple):
    """What an installed package announces."""

    item: object
    name: str = "market"
    value: str = "market:ITEM"

    def load(self) -> object:
        if isinstance(self.item, Exception):
            raise self.item
        return self.item


@pytest.mark.parametrize(
    ("item", "says"),
    [
        (SyntaxError("invalid"), " cannot be loaded: SyntaxError: invalid"),
        (4, ": expected a RuleSet, got 4"),
        (ImportError("No module named 'lost'"), " cannot be loaded: ImportError: No module named 'lost'"),
        (replace(BIG2, zh="x"), " names its ruleset 'big2', which there is already"),
    ],
)
def test_tenth_game__that_is_none_is_refused(item: object, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Entry(item)])
    with pytest.raises(ConfigError, match=f"^entry point market = 'market:ITEM' of group big2_env.rulesets{says}$"):
        available_rulesets.__wrapped__()


FAMILY = [name for name in available_rulesets() if name not in ("big2", "hong_kong")]
WORDS = [word for name in FAMILY for word in (name, name.replace("_", ""), available_rulesets()[name].zh)]
NAMES = re.compile("|".join(WORDS))
ROOTS = [Path(big2_env.__file__).parent, Path(big2_env.__file__).parent.parent / "agents"]
OWN = ("climbing/rulesets", "climbing/patterns", "climbing/earlier_rules.py", "base/language/choice.py")
"""Where names of games may be; in the last one `taiwan` is a place in the names of Windows locales."""


def spoken(tree: ast.AST) -> set[str]:
    """Every name and every text of a module that is no docstring."""
    docstrings = {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
        and isinstance(node.body[0].value, ast.Constant)
    }
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            found.add(node.value)
        found |= {value for value in vars(node).values() if isinstance(value, str) and not isinstance(node, ast.Constant)}
    return found


def test_names__of_games_are_in_their_own_files_alone() -> None:
    looked_at = 0
    for path in [path for root in ROOTS for path in root.rglob("*.py")]:
        if any(part in path.as_posix() for part in OWN):
            continue
        code = path.read_text(encoding="utf-8")
        looked_at += 1
        if not NAMES.search(code.lower()):
            continue
        named = {text for text in spoken(ast.parse(code)) if NAMES.search(text.lower())}
        assert not named, f"{path} names {named}"
    assert looked_at > 150
    assert NAMES.search("DOU_DIZHU_4P".lower())
    assert spoken(ast.parse('"""wu_gua_pi."""\nx = f("chu_da_di", DOU_DIZHU)')) == {"chu_da_di", "DOU_DIZHU", "x", "f"}
