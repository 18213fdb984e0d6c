"""Endgames with open hands: the share that the solver decides within one second of CPU time.

    OMP_NUM_THREADS=1 python benchmarks/solve.py --endings 1000 --record
    OMP_NUM_THREADS=1 python benchmarks/solve.py --cards 20 --cards 26 --endings 100

Each game has three kinds of random endings, which depend on the seed alone:

| kind | meaning |
| --- | --- |
| `equal` | hands of equal size from a shuffled deck, with a random leader and a random landlord |
| `unequal` | the same with cards dealt to random seats, at least one to each |
| `played` | the first position of a randomly played game with at most `--cards` cards left |

`won` counts the endings that the team of the player to move can force, `not` endings that it cannot, `open` endings
undecided after `--most` seconds. Times include the tables of the position and the winning line. `positions` counts visited
positions.

Needs nothing else. Endings of 14 cards take milliseconds each, larger ones far longer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import numpy as np
import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row
from rich.table import Table
from side_by_side import wide_console

from big2_env import Game, RuleSet, ruleset
from big2_env.base.rng import SplitMix64
from big2_env.runs.origin import machine, versions
from big2_env.solve import Solution, Solver, Verdict
from big2_env.testing.random_positions import dealt_ending, played_ending

GAMES = ("dou_dizhu", "dou_dizhu_x", "big2", "chu_da_di")
KINDS: dict[str, Callable[[RuleSet, int, SplitMix64], Game]] = {
    "equal": dealt_ending,
    "unequal": lambda rules, cards, rng: dealt_ending(rules, cards, rng, even=False),
    "played": played_ending,
}


def measured(game: Game, most: float) -> tuple[float, Solution]:
    """Solve an ending; return CPU seconds and the solution."""
    start = time.process_time()
    found = Solver(game, plain_positions=0).solve(most)
    return time.process_time() - start, found


def figures(found: list[tuple[float, Solution]]) -> dict[str, Any]:
    """Return verdicts, the share decided within a second, and statistics of times and positions."""
    times = np.array([seconds for seconds, _ in found])
    verdicts = [solution.verdict for _, solution in found]
    decided = np.array([verdict is not Verdict.OPEN for verdict in verdicts])
    positions = [solution.positions for _, solution in found]
    return {
        "number": len(found),
        "verdicts": {verdict.value: verdicts.count(verdict) for verdict in Verdict},
        "decided within a second": float((decided & (times < 1)).mean()),
        "ms": {name: float(np.percentile(times, at) * 1e3) for name, at in (("median", 50), ("99 %", 99), ("most", 100))},
        "positions": {"median": float(np.median(positions)), "most": max(positions)},
    }


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield the share decided within a second and the median time, by game and kind."""
    for one in report["results"]:
        name = f"{one['endings']} endings of {one['cards']} cards in {one['game']}"
        yield Row(f"decided within 1 s of CPU time, {name}", 100 * one["decided within a second"], "%")
        yield Row(f"median CPU time, {name}", one["ms"]["median"], "ms")


def main(
    cards: Annotated[list[int] | None, typer.Option(help="Cards in all hands together, repeatable.", show_default="14")] = None,
    endings: Annotated[int, typer.Option(min=1, help="Endings of each kind.")] = 500,
    games: Annotated[
        list[str] | None, typer.Option("--game", help="Ruleset, repeatable.", show_default=", ".join(GAMES))
    ] = None,
    most: Annotated[float, typer.Option(help="Wall-clock seconds per ending.")] = 5.0,
    seed: Annotated[int, typer.Option(help="Seed of the endings.")] = 0,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure the solver by game and kind of ending."""
    recorder = Recorder("solve")
    console = wide_console()
    table = Table(title=f"{endings} endings of each kind, CPU time")
    heads = ("game", "endings", "cards", "won", "not", "open", "< 1 s", "ms: median", "99%", "most", "positions", "most")
    for head in heads:
        table.add_column(head, justify="left" if head in ("game", "endings") else "right", no_wrap=True)
    results = []
    for name in games or GAMES:
        rules = ruleset(name)
        measured(dealt_ending(rules, 2 * rules.default_players, SplitMix64(0)), 60.0)  # compiles, builds tables
        for kind, draw in KINDS.items():
            for number in cards or [14]:
                rng = SplitMix64(seed)
                row = figures([measured(draw(rules, number, rng), most) for _ in range(endings)])
                results.append({"game": name, "endings": kind, "cards": number, **row})
                ms = [f"{value:,.2f}" for value in row["ms"].values()]
                share, positions = f"{row['decided within a second']:.1%}", [f"{n:,.0f}" for n in row["positions"].values()]
                verdicts = map(str, row["verdicts"].values())
                table.add_row(name, kind, str(number), *verdicts, share, *ms, *positions)
    console.print(table)
    settings = {"endings": endings, "seed": seed, "most": most}
    about = {"machine": machine(), "versions": versions(["big2_env"]), "settings": settings}
    recorder.save({**about, "results": results}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
