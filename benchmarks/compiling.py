"""CPU time from the start of Python to the first action, with an empty and with a filled numba cache.

    python benchmarks/compiling.py --record
    python benchmarks/compiling.py big2 dou_dizhu

Each time is measured in a new process and includes imports.

| column | time until |
| --- | --- |
| `make_vec step` | the first step of the vector environment, cache empty, so interpreted |
| `heuristic act` | the heuristic player's first play of cards, cache empty |
| `..., again` | the same with the cache that the first process filled |

With `--warm` it counts what `big2 warm` compiles instead, with an empty cache: numba's dispatchers and their signatures,
index files and entries on disk, and the CPU seconds of the process.

Rulesets share compiled code, so the second ruleset on a machine costs less than shown here. Needs nothing else; takes about
two minutes per ruleset.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row
from rich.progress import track
from rich.table import Table
from side_by_side import rulesets_asked, wide_console

from big2_env.registration import env_id
from big2_env.runs.origin import machine, versions

VECTOR = """
import time, gymnasium, big2_env
envs = gymnasium.make_vec({id!r}, num_envs=1, mode="self_play")
envs.reset(seed=1)
envs.step(envs.unwrapped.random_actions())
print(time.process_time())
envs.unwrapped.engine.finish_compiling()
"""
HEURISTIC = """
import time
from big2_env import Game, ruleset
from big2_env.agents.interface import make_agent, play_turn, reset_seats
rules = ruleset({name!r})
game = Game.deal(rules, 1)
agents = [make_agent("heuristic") for _ in range(game.num_players)]
reset_seats(agents, game)
while not play_turn(game, agents).mask:
    pass
print(time.process_time())
"""
WARM = """
import gc, time
from big2_agents.kernels.warm_command import command
from numba.core.dispatcher import Dispatcher
command([{name!r}], None, None)
compiled = [len(each.overloads) for each in gc.get_objects() if isinstance(each, Dispatcher) and each.overloads]
print(len(compiled), sum(compiled), time.process_time())
"""
CODES = {"make_vec step": VECTOR, "heuristic act": HEURISTIC}
COUNTED = ("dispatchers", "signatures", "index files", "entries", "CPU seconds")


def seconds_of(code: str, cache: str) -> float:
    """Return the CPU seconds of a process that uses the given folder as numba's cache."""
    return float(printed(code, cache))


def printed(code: str, cache: str) -> str:
    """Return the last line that a process prints which uses the given folder as numba's cache."""
    variables = os.environ | {"NUMBA_CACHE_DIR": cache}
    done = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout.splitlines()[-1]


def warmed(name: str) -> dict[str, float]:
    """Return what `big2 warm` compiles for a ruleset, by column of the table."""
    with TemporaryDirectory() as cache:
        dispatchers, signatures, seconds = printed(WARM.format(name=name), cache).split()
        files = [len(list(Path(cache).rglob(f"*.{ending}"))) for ending in ("nbi", "nbc")]
    numbers = [int(dispatchers), int(signatures), *files, float(seconds)]
    return dict(zip(COUNTED, numbers, strict=True))


def measured(name: str) -> dict[str, float]:
    """Return CPU seconds by column of the table."""
    found = {}
    for what, code in CODES.items():
        with TemporaryDirectory() as cache:
            for when in (what, f"{what}, again"):
                found[when] = seconds_of(code.format(id=env_id(name), name=name), cache)
    return found


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield the seconds of each ruleset, or what is compiled for it."""
    for name, counts in report.get("warm", {}).items():
        for what, value in counts.items():
            yield Row(f"{what} of `big2 warm --game {name}`, cache empty", value, "s" if what == "CPU seconds" else "count")
    for name, seconds in report.get("seconds", {}).items():
        for what, value in seconds.items():
            cache = "cache filled" if what.endswith(", again") else "cache empty"
            yield Row(f"CPU time until the first {what.removesuffix(', again')} of {name}, {cache}", value, "s")


def main(
    games: Annotated[list[str] | None, typer.Argument(help="Rulesets; all for none.", show_default=False)] = None,
    json: JsonOption = None,
    record: RecordOption = False,
    warm: Annotated[bool, typer.Option("--warm", help="Count what `big2 warm` compiles.")] = False,
) -> None:
    """Measure CPU seconds until the first action, by ruleset."""
    recorder = Recorder("compiling")
    asked, console = rulesets_asked(games), wide_console()
    measure = warmed if warm else measured
    found = {name: measure(name) for name in track(asked, "compiling", console=wide_console(stderr=True))}
    table = Table(title="What big2 warm compiles" if warm else "CPU seconds until the first action")
    table.add_column("ruleset", no_wrap=True)
    for column in next(iter(found.values())):
        table.add_column(column, justify="right")
    for name, seconds in found.items():
        table.add_row(name, *(f"{number:.1f}" if isinstance(number, float) else f"{number}" for number in seconds.values()))
    console.print(table)
    about = {"machine": machine(), "versions": versions({"big2_env", "numpy", "numba"})}
    recorder.save({**about, "warm" if warm else "seconds": found}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
