"""The parts of the manual's pages that come from code: `python tests/support/readme_tables.py` updates them.

A test fails when they are stale. A part is between `<!-- generated: NAME -->` or `<!-- generated: NAME ARGUMENT -->` and
`<!-- end -->`; NAME is a function of this module.
Tables are made from what this repository ships: what other installed packages announce does not appear in them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, Final
from unittest.mock import patch

import measurements
from gymnasium import spaces
from places import BENCHMARKS, PAGES, ROOT
from run_cli import run_cli

from big2_agents.data.chat import CHAT_COLUMNS
from big2_agents.data.command import COLUMNS
from big2_agents.evaluation.arena.bench import PROTOCOLS, BenchRow, cells, heads, preview, ranked
from big2_agents.evaluation.positions.regrets import RegretRow, difference
from big2_agents.evaluation.positions.regrets import cells as positions_cells
from big2_agents.evaluation.positions.regrets import heads as positions_heads
from big2_agents.evaluation.positions.regrets import ranked as ranked_regrets
from big2_agents.learned.agent import LearnedAgent
from big2_agents.models.formula import WeightsFile, shipped_files
from big2_agents.review.analysis import payoff_unit
from big2_env import BIG2, SCORINGS, Game, RuleSet
from big2_env.base.language import Language, words
from big2_env.base.plugins import AGENTS, COMMANDS, plugins
from big2_env.cli import available_verbs, load_verb
from big2_env.climbing.actions import HandSlots
from big2_env.climbing.encoding.layout import Layout
from big2_env.climbing.encoding.observation import ObservationLayout, StateLayout
from big2_env.climbing.patterns import _own_patterns
from big2_env.climbing.rulesets import own_rulesets
from big2_env.climbing.settlement import Standing
from big2_env.envs.aec import raw_env
from big2_env.notation.lines import Lines
from big2_env.notation.log import dumps
from big2_env.notation.spec_input import read_action, read_start
from big2_env.registration import env_id

ENGLISH = words(Language.EN)
GAME = ROOT / "big2_env" / "notation" / "sample.in"
PART = re.compile(r"(<!-- generated: (\w+)(?: (\S+))? -->\n).*?(<!-- end -->)", re.DOTALL)


def table(head: Iterable[str], *rows: Iterable[object]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(str(cell) for cell in line) + " |\n" for line in lines)


def shipped(group: str) -> dict[str, Any]:
    """What our own packages announce under a group, by name."""
    found = plugins(group).items()
    return {name: entry for name, entry in found if entry.entry.value.startswith(("big2_env.", "big2_agents."))}


def summary(value: object) -> str:
    """The first line of a docstring, without its full stop."""
    return (value.__doc__ or "").partition("\n")[0].rstrip(".")


def log() -> str:
    """The sample game: its start and its end."""
    lines = Lines(GAME.read_text(encoding="utf-8"))
    transcript = read_start(lines)
    while (action := read_action(lines)) is not None:
        transcript.act(action)
    shown = dumps(transcript).splitlines()
    return "```text\n" + "\n".join([*shown[:9], "…", *shown[-8:]]) + "\n```\n"


def advise() -> str:
    """What the learned player thinks of a turn of the shipped game, as the command prints it."""
    options = ["--move", "37", "--agent", "learned"]
    LearnedAgent().prepare(Game.deal(BIG2, 0).view())  # values are there once the play-outs are compiled
    with patch.dict(os.environ):
        os.environ.pop("FORCE_COLOR", None)  # it is to be plain text
        status, out, err = run_cli("advise", str(GAME), *options)
    if status:
        raise RuntimeError(err)
    lines = [f"$ big2 advise game.in {' '.join(options)}", *map(str.rstrip, out.splitlines())]
    return "```console\n" + "\n".join(lines) + "\n```\n"


def rulesets() -> str:
    rows = [
        (
            f"`{rules.name}`",
            ENGLISH.game(rules.name, rules.zh),
            rules.zh,
            " to ".join(map(str, sorted({rules.min_players, rules.max_players}))),
            ", ".join(f"`{rule.pattern.name}`" for rule in rules.patterns),
            f"{rules.num_plays:,}",
        )
        for rules in own_rulesets().values()
    ]
    return table(["ruleset", "title", "中文", "players", "patterns", "different plays"], *rows)


def players(rules: RuleSet) -> str:
    """The usual number of players, and those that the rules allow."""
    low, high, usual = rules.min_players, rules.max_players, rules.default_players
    return f"{usual}" if low == high else f"{usual} ({low} to {high})"


def environments() -> str:
    rows = []
    for ruleset in own_rulesets():
        env = raw_env(ruleset)
        rules, agent = env.ruleset, env.possible_agents[0]
        observed = env.observation_space(agent)
        assert isinstance(observed, spaces.Dict)
        seen, action_space = observed["observation"].shape, f"`{env.action_space(agent)}`"
        rows.append([f"`{env_id(ruleset)}`", f"`{ruleset}`", players(rules), action_space, seen, env.state_space.shape])
    return table(["id", "ruleset", "players", "action space", "observation", "state"], *rows)


def patterns() -> str:
    rows = [(f"`{name}`", cls.zh, summary(cls)) for name, cls in sorted(_own_patterns().items())]
    return table(["pattern", "中文", "what it is"], *rows)


def actions() -> str:
    space = HandSlots(BIG2)
    rows: list[tuple[str, str, str]] = [("0", "pass", "")]
    bounds = [*space.offsets.items(), (0, space.n)]
    for (size, start), (_, stop) in pairwise(bounds):
        places = ", ".join(
            f"{action} = {' '.join(map(str, space.slots(action)))}" for action in (*range(start, start + 3), stop - 1)
        )
        rows.append((f"{start} to {stop - 1}", f"{size} card{'s' * (size > 1)}", places))
    return table(["ids", "move", "positions in the sorted hand"], *rows)


def windows(layout: Layout) -> str:
    """The windows of an observation or a state."""
    rows = [
        (f"`{name}`", f"{window.start} to {window.stop - 1}", " x ".join(map(str, window.shape)), window.meaning)
        for name, window in layout.windows.items()
    ]
    return table(["window", "entries", "shape", "meaning of a 1"], *rows)


def observation() -> str:
    return windows(ObservationLayout(BIG2))


def state() -> str:
    return windows(StateLayout(BIG2))


def rewards() -> str:
    left = (0, 1, 8, 13)
    standing = Standing(tuple((1 << n) - 1 for n in left), (0,))
    rows = [
        (f"`{name}`", summary(type(scoring)), " ".join(f"{payoff:+.4g}" for payoff in scoring.payoffs(standing)))
        for name, scoring in SCORINGS.items()
    ]
    return table(["scoring", "payoff at the end of the game", "example: 0, 1, 8 and 13 cards left"], *rows)


def agents() -> str:
    rows = ((f"`{name}`", summary(entry.load())) for name, entry in shipped(AGENTS).items())
    return table(["agent", "how it plays"], *rows)


def dataset_columns() -> str:
    return table(["column", "type", "meaning"], *((f"`{name}`", f"`{kind}`", meaning) for name, kind, meaning in COLUMNS))


def chat_columns() -> str:
    return table(["key", "type", "meaning"], *((f"`{name}`", kind, meaning) for name, kind, meaning in CHAT_COLUMNS))


def verbs() -> str:
    foreign = plugins(COMMANDS).keys() - shipped(COMMANDS).keys()
    rows = ((f"`big2 {verb}`", summary(load_verb(verb))) for verb in available_verbs() if verb not in foreign)
    return table(["verb", "what it does"], *rows)


def bench_rows(version: str) -> list[BenchRow]:
    """The rows of a version of big2-bench, by ruleset and best first."""
    return ranked(map(BenchRow.load, (BENCHMARKS / f"bench_{version}").glob("*.json")))


def newest_rows() -> dict[tuple[str, str], BenchRow]:
    """The row of each ruleset and agent, of the last version with such a row."""
    return {(row.ruleset, row.agent): row for version in PROTOCOLS for row in bench_rows(version)}


def bench(version: str) -> str:
    """The rows of a version of big2-bench, with the hash of the protocol."""

    def shown(text: str) -> str:
        return re.sub(r"^\+0\.00 ± 0\.00 / ([\d.]+).*", r"par / \1%", text)  # an agent against itself

    rows = [
        (f"`{row.ruleset}`", f"`{row.agent}`{preview(row, ENGLISH)}", *map(shown, cells(row, " / ")))
        for row in bench_rows(version)
    ]
    protocol = PROTOCOLS[version]
    added = ", ".join(f"`{protocol.hash_of(name)}` of `{name}`" for name in protocol.added)
    found = f"Hash `{protocol.hash}`" + (f"; of rulesets added later: {added}.\n\n" if added else ".\n\n")
    return found + table(["ruleset", "one agent", *heads(ENGLISH)], *rows)


def positions(version: str) -> str:
    """Return the rows of a version of big2-positions, with the hash of each ruleset's decisions."""
    head = ["ruleset", "hash", "agent", *positions_heads(ENGLISH), "no legal answer"]
    rows = [
        (f"`{row.ruleset}`", f"`{row.decisions.hash}`", f"`{row.agent}`", *positions_cells(row), row.faults)
        for row in regret_rows(version)
    ]
    return table(head, *rows)


FORMER_UNITS: Final = {"pao_de_kuai": 14.721111069179225, "taiwan": 18.516771676869954}
"""Units under the rules of these positions, where the rules have changed since (`climbing.earlier_rules`)."""


def positions_units() -> str:
    """Return the rows in `benchmarks/positions_v1` in units of payoff, with the unit of each ruleset."""
    shown = ("learned-search:2000", "learned", "search", "heuristic", "greedy", "random")
    rows = []
    for name, found in by_ruleset(regret_rows()).items():
        unit = FORMER_UNITS.get(name) or payoff_unit(own_rulesets()[name], found["learned"].decisions.num_players)
        regrets = (found[agent].regret for agent in shown)
        rows.append(
            (f"`{name}`", f"{unit:.2f}", *(f"{each.mean / unit:.3f} ± {each.half_width / unit:.3f}" for each in regrets))
        )
    return table(["ruleset", "1 unit, in points", *(f"`{agent}`" for agent in shown)], *rows)


def positions_pairs() -> str:
    """Return the number of rulesets in which an agent has less regret than the next weaker one, and the other rulesets."""
    order = ("random", "greedy", "heuristic", "learned", "learned-search:2000")
    rulesets, lines = by_ruleset(regret_rows()), []
    for weaker, stronger in pairwise(order):
        found = {name: difference(rows[weaker], rows[stronger]) for name, rows in rulesets.items()}
        alike = [f"`{name}`" for name, gain in found.items() if gain.mean - gain.half_width <= 0]
        told = f"in {len(found) - len(alike)} of {len(found)} rulesets"
        rest = f"; not in {', '.join(alike)}" if alike else ""
        lines.append(f"* `{stronger}` has less regret than `{weaker}` {told}{rest}.\n")
    return "Paired on the same decisions, with 95% intervals that exclude 0:\n\n" + "".join(lines)


def by_ruleset(rows: Iterable[RegretRow]) -> dict[str, dict[str, RegretRow]]:
    """Return rows by ruleset, then by agent."""
    found: dict[str, dict[str, RegretRow]] = {}
    for row in rows:
        found.setdefault(row.ruleset, {})[row.agent] = row
    return found


def regret_rows(version: str = "v1") -> list[RegretRow]:
    """Return the rows of a version of big2-positions, by ruleset and best first."""
    return ranked_regrets(map(RegretRow.load, (BENCHMARKS / f"positions_{version}").glob("*.json")))


def strength() -> str:
    """The games that agents win against `greedy` in big2-bench."""
    found = {key: row.against["greedy"].wins for key, row in newest_rows().items()}
    shown = ("random", "heuristic", "learned")
    rows = []
    for name in PROTOCOLS["v3"].scorings:
        wins = (f"{found[name, agent].mean:.0%}" if (name, agent) in found else "" for agent in ("greedy", *shown))
        rows.append((f"`{name}`", own_rulesets()[name].default_players, *wins))
    widest = max(wins.half_width for wins in found.values())
    made = table(["ruleset", "seats", "par", *(f"`{agent}`" for agent in shown)], *rows)
    return f"{made}\n1,000 deals in each ruleset; all 95% intervals are within ± {widest:.1%}.\n"


def weights() -> str:
    """Return the gains of the fitted weights that are shipped, in points per game."""

    def gain(found: WeightsFile, name: str) -> str:
        decimals = 1 if found.gain[name]["half_width"] >= 0.5 else 2
        return "{mean:+.{0}f} ± {half_width:.{0}f}".format(decimals, **found.gain[name])

    keys = ("first", "greedy", "greedy than first", "random", "random than first")
    rows = []
    for name, path in shipped_files().items():
        found = WeightsFile.load(path)
        rows.append((f"`{name}`", *(gain(found, key) for key in keys)))
    return table(["ruleset", "`heuristic:first`", "`greedy`", "`greedy`: gain", "`random`", "`random`: gain"], *rows)


def rows(path: str) -> str:
    """Return a table of measured rows.

    Args:
        path: The file, from the root of the repository; `FILE#WORDS` takes only the rows whose slug starts with these words.
    """
    name, _, start = path.partition("#")
    found = [row for key, row in measurements.rows(ROOT / name).items() if key.startswith(start)]
    cells = ((measurements.RANGE.sub("", row["name"]), measurements.shown(row), row["unit"]) for row in found)
    return table(["what", "result", "unit"], *cells)


def ratios(path: str) -> str:
    """Return a table of rates and ratios, named "rate of LOOP" and "speed of LOOP relative to PEER": loops as rows.

    Args:
        path: The file, from the root of the repository; `FILE#WORDS,WORDS` takes only the peers whose slugs start with these
            words.
    """
    name, _, starts = path.partition("#")
    rates: dict[str, str] = {}
    cells: dict[str, dict[str, str]] = {}
    for row in measurements.rows(ROOT / name).values():
        short = measurements.RANGE.sub("", row["name"])
        if found := re.fullmatch("rate of (.+)", short):
            rates[found[1]] = two_digits(row["value"])
        found = re.fullmatch("speed of (.+) relative to (.+)", short)
        if found and measurements.slug(found[2]).startswith(tuple(starts.split(","))):
            low, high = map(two_digits, row["interval"])
            cells.setdefault(found[2], {})[found[1]] = f"{two_digits(row['value'])} ({low} to {high})"
    loops = dict.fromkeys(loop for column in cells.values() for loop in column)
    return table(
        ["loop", "decisions per second", *(f"relative to `{peer}`" for peer in cells)],
        *((f"`{loop}`", rates[loop], *(column.get(loop, "") for column in cells.values())) for loop in loops),
        *((f"`{peer}`", rates[peer], *("1" if peer == other else "" for other in cells)) for peer in cells),
    )


def two_digits(number: float) -> str:
    """Return a number rounded to two digits."""
    rounded = float(f"{number:.2g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}"


def updated(text: str) -> str:
    """The text with every generated part as it should be now."""
    return PART.sub(lambda part: part[1] + globals()[part[2]](*([part[3]] if part[3] else [])) + part[4], text)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(updated(page.read_text(encoding="utf-8")), encoding="utf-8")
