"""How long compiled code takes to load: processor time from the start of Python to the first act, numba's cache empty at first.

Each figure is of a process of its own, imports included: until the first step of `make_vec`, and until the heuristic player has
put down cards. Rulesets share compiled code, so a second one that is asked for on the same machine costs less. The columns
`again` are the same with the cache that the first process has filled.

    python benchmarks/compiling.py --json compiling.json
    python benchmarks/compiling.py big2 dou_dizhu
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.progress import track
from rich.table import Table
from side_by_side import machine, rulesets_asked, versions, wide_console, write_json

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
    """Processor time of a process, with a cache folder of numba."""
    variables = os.environ | {"NUMBA_CACHE_DIR": cache}
    done = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return float(done.stdout)


def measured(name: str) -> dict[str, float]:
    """Seconds by what is waited for."""
    found = {}
    for what, code in CODES.items():
        with TemporaryDirectory() as cache:
            for when in (what, f"{what}, again"):
                found[when] = seconds_of(code.format(id=env_id(name), name=name), cache)
    return found


def main(
    games: Annotated[list[str] | None, typer.Argument(help="Rulesets; all for none.", show_default=False)] = None,
    json: Annotated[Path | None, typer.Option(help="Write the figures to this file.")] = None,
) -> None:
    """Processor time until the first act, in seconds, by ruleset."""
    asked, console = rulesets_asked(games), wide_console()
    found = {name: measured(name) for name in track(asked, "compiling", console=wide_console(stderr=True))}
    table = Table(title="seconds of the processor until the first act, numba's cache empty at first")
    table.add_column("ruleset", no_wrap=True)
    for column in next(iter(found.values())):
        table.add_column(column, justify="right")
    for name, seconds in found.items():
        table.add_row(name, *(f"{number:.1f}" for number in seconds.values()))
    console.print(table)
    if json is not None:
        write_json(json, {"machine": machine(), "versions": versions({"big2_env", "numpy", "numba"}), "seconds": found})


if __name__ == "__main__":
    typer.run(main)
