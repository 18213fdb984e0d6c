"""Speed of the fishing game: compiled engine, reference engine, and 10,000 games as a user simulates them.

    python benchmarks/fishing.py --seconds 5 --record

One unit is a whole game of 54 cards, its deal included. Games that never end are detected unless the row says otherwise.

| loop | meaning |
| --- | --- |
| `compiled, one thread` | the compiled engine |
| `compiled, cycles not looked for` | the same without detecting games that never end |
| `compiled, captures reversed`, `compiled, 52 cards` | other readings of the rules |
| `simulate, all cores` | `big2 fishing simulate` without its start |
| `reference engine` | plain Python |

The second table has the wall-clock and CPU seconds of 10,000 games on one core: in this process, and as a command with its
start. Needs nothing else; takes six times `--seconds`, plus half a minute of compiling in the first run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row, rates, relative, rounds_of
from rich.table import Table
from side_by_side import Contestant, RoundsOption, SecondsOption, measure, print_table, report, wide_console

GAMES = 2_000


def compiled(**options: Any) -> Callable[[], int]:
    """Return games of the compiled engine in this thread."""
    from big2_env.games.fishing.kernels.loops import play_seeds

    blocks = count()

    def play() -> int:
        play_seeds(first=next(blocks) * GAMES, games=GAMES, **options)
        return GAMES

    return play


def reading(name: str) -> Callable[[], int]:
    """Return games under another reading of the rules."""
    from big2_env.games.fishing.rules import READINGS

    return compiled(rules=READINGS[name])


def threads() -> Callable[[], int]:
    """Return simulated games on all cores."""
    from big2_env.games.fishing.simulate import Run, simulate

    blocks = count()

    def play() -> int:
        simulate(Run(seed=next(blocks) * 10 * GAMES), 10 * GAMES)
        return 10 * GAMES

    return play


def reference() -> Callable[[], int]:
    """Return games of the reference engine."""
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
    """Measure the seconds of 10,000 games and their statistics on one core, in this process and as a command."""
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


def rows(found: dict[str, Any]) -> Iterator[Row]:
    """Yield rates, the ratio of the engines, and the seconds of 10,000 games."""
    yield from rates(found, ["compiled, one thread", "simulate, all cores", "reference engine"])
    yield from relative(rounds_of(found), ["compiled, one thread"], "reference engine")
    for name, seconds in found["10,000 games, seconds"].items():
        yield Row(f"CPU time of 10,000 games {name}", seconds["processor"], "s")


def main(seconds: SecondsOption = 5.0, rounds: RoundsOption = 5, json: JsonOption = None, record: RecordOption = False) -> None:
    """Measure games of the fishing game per second."""
    recorder = Recorder("fishing")
    measure(CONTESTANTS, seconds, rounds)
    print_table(CONTESTANTS, f"fishing game, 54 cards, median of {rounds} rounds", "game")
    found = ten_thousand()
    table = Table("10,000 games", "wall, s", "CPU, s")
    for name, times in found.items():
        table.add_row(name, f"{times['wall']:.2f}", f"{times['processor']:.2f}")
    wide_console().print(table)
    data = report(CONTESTANTS, "games per second", {"seconds": seconds, "rounds": rounds})
    recorder.save(data | {"10,000 games, seconds": found}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
