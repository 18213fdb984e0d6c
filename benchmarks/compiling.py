"""CPU time from the start of Python to the first action, with an empty and with a filled numba cache.

    python benchmarks/compiling.py --record
    python benchmarks/compiling.py big2 dou_dizhu

Each time is measured in a new process and includes imports.

| column | time until |
| --- | --- |
| `make_vec step` | the first step of the vector environment, cache empty |
| `heuristic act` | the heuristic player's first play of cards, cache empty |
| `..., again` | the same with the cache that the first process filled |

Rulesets share compiled code, so the second ruleset on a machine costs less than shown here. Needs nothing else; takes about
two minutes per ruleset.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row
from rich.progress import track
from rich.table import Table
from side_by_side import machine, rulesets_asked, versions, wide_console

from big2_env.registration import env_id

VECTOR = """
import time, gymnasium, big2_env
envs = gymnasium.make_vec({id!r}, num_envs=1, mode="self_play")
envs.reset(seed=1)
envs.step(envs.unwrapped.random_actions())
print(time.process_time())
"""
HEURISTIC = """
import time
from big2_env import Game, ruleset
from big2_env.agents import make_agent, play_turn, reset_seats
rules = ruleset({name!r})
game = Game.deal(rules, 1)
agents = [make_agent("heuristic") for _ in range(game.num_players)]
reset_seats(agents, game)
while not play_turn(game, agents).mask:
    pass
print(time.process_time())
"""
CODES = {"make_vec step": VECTOR, "heuristic act": HEURISTIC}


def seconds_of(code: str, cache: str) -> float:
    """Return the CPU seconds of a process that uses the given folder as numba's cache."""
    variables = os.environ | {"NUMBA_CACHE_DIR": cache}
    done = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return float(done.stdout)


def measured(name: str) -> dict[str, float]:
    """Return CPU seconds by column of the table."""
    found = {}
    for what, code in CODES.items():
        with TemporaryDirectory() as cache:
            for when in (what, f"{what}, again"):
                found[when] = seconds_of(code.format(id=env_id(name), name=name), cache)
    return found


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield the seconds of each ruleset."""
    for name, seconds in report["seconds"].items():
        for what, value in seconds.items():
            cache = "cache filled" if what.endswith(", again") else "cache empty"
            yield Row(f"CPU time until the first {what.removesuffix(', again')} of {name}, {cache}", value, "s")


def main(
    games: Annotated[list[str] | None, typer.Argument(help="Rulesets; all for none.", show_default=False)] = None,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure CPU seconds until the first action, by ruleset."""
    recorder = Recorder("compiling")
    asked, console = rulesets_asked(games), wide_console()
    found = {name: measured(name) for name in track(asked, "compiling", console=wide_console(stderr=True))}
    table = Table(title="CPU seconds until the first action")
    table.add_column("ruleset", no_wrap=True)
    for column in next(iter(found.values())):
        table.add_column(column, justify="right")
    for name, seconds in found.items():
        table.add_row(name, *(f"{number:.1f}" for number in seconds.values()))
    console.print(table)
    about = {"machine": machine(), "versions": versions({"big2_env", "numpy", "numba"})}
    recorder.save({**about, "seconds": found}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
