"""How fast the fishing game is simulated: the compiled engine, the reference engine, and 10,000 games as a user gets them.

A unit is a whole game of 54 cards, about 1,304 plays, its deal included; cycles are looked for unless said otherwise. Games/s
are of wall-clock time; where other work shares the machine, the table of 10,000 games has the processor's time beside it.

    python benchmarks/fishing.py --seconds 5 --json fishing.json
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from side_by_side import Contestant, measure, print_table, report, wide_console, write_json

GAMES = 2_000


def compiled(**options: Any) -> Callable[[], int]:
    """Games of the compiled engine, in this thread."""
    from big2_env.games.fishing.kernels.loops import play_seeds

    blocks = count()

    def play() -> int:
        play_seeds(first=next(blocks) * GAMES, games=GAMES, **options)
        return GAMES

    return play


def reading(name: str) -> Callable[[], int]:
    """Games of another reading of the rules."""
    from big2_env.games.fishing.rules import READINGS

    return compiled(rules=READINGS[name])


def threads() -> Callable[[], int]:
    """Games shared by all cores, counted."""
    from big2_env.games.fishing.simulate import Run, simulate

    blocks = count()

    def play() -> int:
        simulate(Run(seed=next(blocks) * 10 * GAMES), 10 * GAMES)
        return 10 * GAMES

    return play


def reference() -> Callable[[], int]:
    """Games of the reference engine."""
    from big2_env.games.fishing.game import FishingGame

    seeds = count()

    def play() -> int:
        FishingGame.deal(seed=next(seeds)).play_out()
        return 1

    return play


CONTESTANTS = [
    Contestant("compiled, one thread", "big2_env", compiled),
    Contestant("compiled, cycles not looked for", "big2_env", lambda: compiled(watch_cycles=False)),
    Contestant("compiled, captures reversed", "big2_env", lambda: reading("reversed")),
    Contestant("compiled, 52 cards", "big2_env", lambda: reading("52 cards")),
    Contestant("simulate, all cores", "big2_env", threads),
    Contestant("reference engine", "big2_env", reference),
]


def ten_thousand() -> dict[str, dict[str, float]]:
    """Seconds for 10,000 games and their figures on one thread: in this process, and as a command with its start."""
    from big2_env.games.fishing.simulate import simulate
    from big2_env.runs.executors import Local

    start, used = time.perf_counter(), time.process_time()
    simulate(games=10_000, executor=Local(1)).summary()
    inside = {"wall": time.perf_counter() - start, "processor": time.process_time() - used}
    command = [sys.executable, "-m", "big2_env", "fishing", "simulate", "--games", "10000", "--jobs", "1"]
    start, before = time.perf_counter(), os.times()
    subprocess.run(command, check=True, capture_output=True)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return {"in one process": inside, "as a command": {"wall": time.perf_counter() - start, "processor": used}}


def main(
    seconds: Annotated[float, typer.Option(help="Seconds for each loop, all rounds together.", min=0.01)] = 5.0,
    rounds: Annotated[int, typer.Option(help="Rounds; the figure is their median.", min=1)] = 5,
    json: Annotated[Path | None, typer.Option(help="Write the figures to this file.")] = None,
) -> None:
    """Games per second of the fishing game."""
    measure(CONTESTANTS, seconds, rounds)
    print_table(CONTESTANTS, f"fishing game, 54 cards, median of {rounds} rounds", "game")
    found = ten_thousand()
    table = Table("10,000 games", "wall, s", "processor, s")
    for name, times in found.items():
        table.add_row(name, f"{times['wall']:.2f}", f"{times['processor']:.2f}")
    wide_console().print(table)
    if json is not None:
        data = report(CONTESTANTS, "games per second", {"seconds": seconds, "rounds": rounds})
        write_json(json, data | {"10,000 games, seconds": found})


if __name__ == "__main__":
    typer.run(main)
