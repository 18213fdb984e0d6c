"""Endings with all hands open: which share is decided within a second of one core, lines included.

Three kinds of random endings for each game, drawn by the seed alone. "equal": hands as equal as can be from a shuffled deck, a
random seat to lead (and a random landlord); "unequal": the same with cards thrown to random seats, one to each first; "played":
the first position of random legal play from a deal in which at most so many cards are left. Times are of the processor, with
the tables of the position and the line; the team of whoever is to move has to win.

    OMP_NUM_THREADS=1 python benchmarks/solve.py --endings 1000 --json solve.json
    OMP_NUM_THREADS=1 python benchmarks/solve.py --cards 20 --cards 26 --endings 100
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table
from side_by_side import machine, versions, wide_console, write_json

from big2_env import Game, RuleSet, ruleset
from big2_env.rng import SplitMix64
from big2_env.solve import Solution, Solver, Verdict
from big2_env.testing.random_positions import dealt_ending, played_ending

GAMES = ("dou_dizhu", "dou_dizhu_x", "big2", "chu_da_di")
KINDS: dict[str, Callable[[RuleSet, int, SplitMix64], Game]] = {
    "equal": dealt_ending,
    "unequal": lambda rules, cards, rng: dealt_ending(rules, cards, rng, even=False),
    "played": played_ending,
}


def measured(game: Game, most: float) -> tuple[float, Solution]:
    """Seconds of the processor, and what came out."""
    start = time.process_time()
    found = Solver(game, plain_positions=0).solve(most)
    return time.process_time() - start, found


def figures(found: list[tuple[float, Solution]]) -> dict[str, Any]:
    """Verdicts, the share decided within a second, and what it took."""
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


def main(
    cards: Annotated[list[int] | None, typer.Option(help="Cards in all hands together; give it again for more rows.")] = None,
    endings: Annotated[int, typer.Option(min=1, help="Endings of each kind.")] = 500,
    games: Annotated[list[str] | None, typer.Option("--game", help="A game; give it again for more.")] = None,
    most: Annotated[float, typer.Option(help="Seconds of the clock after which an ending stays undecided.")] = 5.0,
    seed: Annotated[int, typer.Option(help="Where the endings come from.")] = 0,
    json: Annotated[Path | None, typer.Option(help="Where the figures go.")] = None,
) -> None:
    """Print a row for each game and kind of ending."""
    console = wide_console()
    table = Table(title=f"{endings} endings of each kind, processor time")
    heads = ("game", "endings", "cards", "won", "not", "open", "< 1 s", "ms: median", "99 %", "most", "positions", "most")
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
    if json:
        settings = {"endings": endings, "seed": seed, "most": most}
        write_json(json, {"machine": machine(), "versions": versions(["big2_env"]), "settings": settings, "results": results})


if __name__ == "__main__":
    typer.run(main)
