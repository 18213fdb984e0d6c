"""The learned player in plain Python: feature for feature and choice for choice the compiled one, without numba or numpy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from compiled_hands import PLAIN
from places import DATA
from random_games import random_games
from random_weights import random_weights
from run_cli import run_cli

from big2_agents.kernels.feature_layout import has_card_features
from big2_agents.learned.agent import LearnedAgent
from big2_agents.learned.evaluator import Evaluator
from big2_agents.learned.npz import read_floats, read_text
from big2_agents.learned.plain_learned import PlainLearned, PlainNetwork
from big2_agents.learned.policy import LearnedPolicy
from big2_agents.models import learned_rulesets, shipped_weights
from big2_env import BIG2, ConfigError, Game, RuleSet
from big2_env.agents.advice import Advice
from big2_env.agents.interface import make_agent
from big2_env.base.rng import SplitMix64
from big2_env.climbing.rulesets import HONG_KONG, available_rulesets
from big2_env.climbing.view import View
from big2_env.kernels.switch import Compilation
from big2_env.kernels.variants import variant_of

GAME = DATA / "game.in"
RULES = [
    pytest.param(rules, id=name, marks=() if name == "hong_kong" else pytest.mark.long)
    for name, rules in available_rulesets().items()
]


def assert_equal(plain: PlainLearned, compiled: LearnedPolicy, game: Game) -> int:
    """Both see and choose the same at a position; returns how many candidates were compared."""
    view, legal = game.view(), game.legal_plays()
    assert plain.decide(view, legal) == compiled.decide(view, legal)
    choice, rated = plain.choose(view, legal), compiled.rated(view, legal)
    assert choice.plays == [play for play, _ in rated]
    if len(rated) == 1:
        return 0
    state, plays = choice.features
    assert bytes(state) == compiled.scorer.states[0].tobytes()
    assert [bytes(each) for each in plays] == [row.tobytes() for row in compiled.scorer.plays[: len(rated)]]
    np.testing.assert_allclose(choice.scores, [score for _, score in rated], atol=2e-3, rtol=1e-5)
    return len(rated)


@pytest.mark.parametrize("rules", RULES)
def test_plain__sees_and_chooses_as_machine_code_does(rules: RuleSet, tmp_path: Path) -> None:
    """Games in which seats play now as the network does, now at random: both kinds of positions come up."""
    number = rules.default_players
    weights = shipped_weights(rules) if rules.name in learned_rulesets() else random_weights(rules, tmp_path / "net.npz")
    plain, compiled, rng, compared = PlainLearned(weights, rules, number), LearnedPolicy(f"{weights},any"), SplitMix64(5), 0
    for seed in range(4):
        game = Game.deal(rules, seed)
        while not game.is_over:
            compared += assert_equal(plain, compiled, game)
            moves = list(game.legal_plays())
            by_network = rng.below(4) < seed
            game.push(plain.decide(game.view(), game.legal_plays())[0] if by_network else moves[rng.below(len(moves))])
    assert compared > 150


def test_layout__is_card_by_card_for_the_games_that_kernels_take_for_plain() -> None:
    for rules in available_rulesets().values():
        for number in range(rules.min_players, rules.max_players + 1):
            is_plain = (variant_of(rules), number, rules.hand_size, rules.deck.size) == (PLAIN, 4, 13, 52)
            assert has_card_features(rules, number) is is_plain


def test_first_move__of_a_process_loads_no_numba() -> None:
    for spec in ("learned", "ppo"):
        code = f"""
import sys
from big2_env import BIG2, Game
from big2_env.agents.interface import make_agent
game = Game.deal(BIG2, 2)
assert make_agent({spec!r}).act(game.view(), game.legal_plays()) in game.legal_plays()
assert "numba" not in sys.modules
assert {spec!r} == "ppo" or "numpy" not in sys.modules
"""
        subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_agent__answers_alike_before_and_after_it_is_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = []
    for number, game in enumerate(random_games(HONG_KONG, range(1))):
        if number % 3 == 0 and not game.is_over:
            turns.append((game.view(), game.legal_plays()))
    answers = []
    for is_ready in (False, True):
        monkeypatch.setattr(Compilation, "load", lambda self: False)
        agent = LearnedAgent()
        if is_ready:
            agent.prepare(turns[0][0])
        players = agent._open(turns[0][0])
        monkeypatch.setattr(players.compilation, "is_ready", is_ready)
        advice = [agent.advise(view, legal) for view, legal in turns]
        assert players.is_compiled is is_ready
        answers.append([[(one.play, one.sure, one.alike) for one in each] for each in advice])
    assert answers[0] == answers[1]


@pytest.mark.parametrize("name", ["heuristic", "learned"])
def test_agents__answer_threads_as_they_answer_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents of a process share interpreted kernels, whose records are for one thread at a time."""
    monkeypatch.setattr(Compilation, "spend", lambda self, seconds: None)
    turns = [(game.view(), game.legal_plays()) for game in random_games(HONG_KONG, range(2)) if not game.is_over][::3]
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        wanted = [make_agent(name).act(view, legal) for view, legal in turns]
        with ThreadPoolExecutor(4) as pool:
            answers = [pool.submit(make_agent(name).act, view, legal) for view, legal in turns * 2]
            assert [answer.result() for answer in answers] == wanted * 2
    finally:
        sys.setswitchinterval(switch)


def test_advise__says_why_there_are_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Compilation, "load", lambda self: False)
    for tag, says in (
        ("zh-Hans", "估值来自模拟，要先编译："),
        ("en", "values come from playouts, which have to be compiled first: "),
    ):
        status, out, err = run_cli("advise", str(GAME), "--move", "6", "--json", "--lang", tag)
        assert (status, err) == (0, f"big2: {says}big2 warm --agents learned\n")
    first = json.loads(out)[0]["advice"][0]
    assert first["value"] is None
    assert 0 < first["probability"] <= 1


def test_advise__is_in_the_order_of_values(monkeypatch: pytest.MonkeyPatch) -> None:
    games = random_games(HONG_KONG, range(5))
    view = next(game.view() for game in games if not game.is_over and len({one.pattern for one in game.legal_plays()}) > 3)
    legal = view.legal_plays()
    agent = LearnedAgent()
    monkeypatch.setattr(Evaluator, "has_values", False)
    plain = agent.advise(view, legal)
    assert agent.lacks_values

    def valued(self: Evaluator, view: View, ordered: list[Advice], *_: object, **__: object) -> list[Advice]:
        tried = [replace(one, value=-float(n), interval=(0.0, 0.0), playouts=9) for n, one in enumerate(ordered[2::-1])]
        return [*tried, *ordered[3:]]

    monkeypatch.setattr(Evaluator, "has_values", True)
    monkeypatch.setattr(Evaluator, "_valued", valued)
    found = agent.advise(view, legal)
    first, second, third, *others = [one.play for one in plain]
    assert [one.play for one in found] == [third, second, first, *others]
    assert {one.play: one.probability for one in found} == {one.play: one.probability for one in plain}
    assert (agent.lacks_values, found[0].value, found[3].value) == (False, 0.0, None)


MARKED = """
import sys
from big2_agents.learned.plain_learned import compilation_of_searches
from big2_agents.models import shipped_weights
from big2_env.climbing.rulesets import ruleset
rules = ruleset("taiwan")
found = compilation_of_searches(shipped_weights(rules, 4), rules, 4)
found._prepare = lambda: print("prepared")
if sys.argv[1] == "first":
    assert not found.load() and "numba" not in sys.modules
    found.finish()
assert found.load()
"""


def test_prepare__leaves_a_mark_for_the_next_process(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for which in ("first", "second"):
        command = [sys.executable, "-c", MARKED, which]
        done = subprocess.run(command, check=True, timeout=120, env=environment, capture_output=True, text=True)
        assert done.stdout == "prepared\n"
    [mark] = tmp_path.glob("*/*.compiled")
    mark.unlink()
    assert subprocess.run([sys.executable, "-c", MARKED, "second"], timeout=120, env=environment, check=False).returncode == 1


def test_weights__are_read_as_numpy_reads_them(tmp_path: Path) -> None:
    path, rng = tmp_path / "net.npz", np.random.default_rng(1)
    arrays = {kind: rng.normal(size=(3, 5)).astype(kind) for kind in ("float16", "float32", "float64")}
    turned = np.asfortranarray(arrays["float32"])
    np.savez_compressed(path, **arrays, turned=turned, text=np.array("大老二"), number=np.arange(3), objects=np.array([None]))
    for name, found in read_floats(path, [*arrays, "turned"]).items():
        np.testing.assert_array_equal(found.rows, arrays.get(name, turned))
    assert read_text(path, "text") == "大老二"
    assert read_text(path, "no_such") is None
    for name in ("number", "objects", "no_such"):
        with pytest.raises(ConfigError, match=r"net\.npz: .*" + name):
            read_floats(path, [name])
    with pytest.raises(ConfigError, match="expected one text in number"):
        read_text(path, "number")
    np.savez(path, wrong=np.array([1.0, np.nan]))
    with pytest.raises(ConfigError, match=r"net\.npz: wrong: expected finite numbers, got NaN or infinity"):
        read_floats(path, ["wrong"])
    with ZipFile(path, "w") as file:
        file.writestr("long.npy", b"\x93NUMPY\2\0" + (10**7).to_bytes(4, "little") + b"(" * 10**7)
    with pytest.raises(ConfigError, match=r"net\.npz: expected a header of up to 10000 bytes, got 10000000"):
        read_floats(path, ["long"])
    np.savez(path, **arrays)
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(ConfigError, match=r"net\.npz: "):
        read_floats(path, arrays)


def test_weights__that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.npz"
    with np.load(shipped_weights(BIG2)) as file:
        arrays = dict(file)
    np.savez(path, **arrays | {"deep": arrays["deep"][:, :-1]})
    with pytest.raises(ConfigError, match=r"net\.npz: expected deep of the shape \(256, 128\), got \(256, 127\)"):
        PlainNetwork(path)
    rules = available_rulesets()["wu_gua_pi"]
    with pytest.raises(ConfigError, match=r"expected a network for 578 and 178 features \(wu_gua_pi"):
        PlainLearned(shipped_weights(BIG2), rules, 2)
