"""CPU time of commands that answer one question or play one game, with an empty numba cache.

    python benchmarks/waiting.py --record
    python benchmarks/waiting.py --only play --only solve

Each row is a `big2` command in a new process, measured from its start to its end, imports and threads included. `play` ends
when it asks for the person's first move. The last column shows whether the command stays within three seconds.

Needs nothing else; takes about a minute.
"""

from __future__ import annotations

import os
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row
from rich.progress import track
from rich.table import Table
from side_by_side import machine, versions, wide_console

ENDING = '{"ruleset": "big2", "hands": ["C[3] C[7] S[2]", "C[9] D[9]", "H[9] H[10]", "C[K] C[A]"]}'
GAME = Path(__file__).parents[1] / "tests" / "data" / "game.in"
SEEN = " ".join(["deal"] * 24)
COMMANDS = {
    "help": "--help",
    "rules": "rules",
    "fishing play": "fishing play --seed 7",
    "solve": f"solve {shlex.quote(ENDING)}",
    "klondike hint": f"klondike hint --seed 7 --acts {shlex.quote(SEEN)}",
    "klondike solve": "klondike solve --seed 1",
    "advise, heuristic": f"advise {shlex.quote(str(GAME))} --agent heuristic --move 6",
    "match, heuristic": "match heuristic heuristic heuristic heuristic",
    "match, heuristic, dou_dizhu": "match heuristic heuristic heuristic --game dou_dizhu",
    "play, heuristic": "play --seed 1",
    "advise, learned": f"advise {shlex.quote(str(GAME))} --agent learned --move 6",
    "match, learned": "match learned learned learned learned",
    "play, learned": "play --seed 1 learned learned learned",
    "advise, ppo": f"advise {shlex.quote(str(GAME))} --agent ppo --move 6",
    "advise, search": f"advise {shlex.quote(str(GAME))} --agent search:400 --move 6",
    "play, search": "play --seed 1 greedy greedy search:400",
    "match, search": "match search:400 greedy greedy greedy",
}
"""Commands by name of their row."""
REACH = 3.0
"""Longest acceptable seconds of an answer."""


def seconds_of(command: str) -> float:
    """Return the CPU seconds of `big2 COMMAND` and its threads, with an empty cache."""
    with TemporaryDirectory() as cache:
        variables = os.environ | {"NUMBA_CACHE_DIR": cache, "CI": "true"}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        given = [sys.executable, "-m", "big2_env", *shlex.split(command)]
        done = subprocess.run(given, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode or not done.stdout:
        raise RuntimeError(f"big2 {command}: {done.stderr}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield the seconds of each command."""
    for name, seconds in report["seconds"].items():
        yield Row(f"CPU time of {name}, cache empty", seconds, "s")


def main(
    only: Annotated[list[str] | None, typer.Option(help="Word in the names of rows to measure; repeatable.")] = None,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure CPU seconds of commands."""
    recorder = Recorder("waiting")
    asked = [name for name in COMMANDS if not only or any(word in name for word in only)]
    if not asked:
        raise typer.BadParameter(f"expected words of {', '.join(COMMANDS)}")
    started, found = time.strftime("%Y-%m-%d"), dict[str, float]()
    for name in track(asked, "waiting", console=wide_console(stderr=True)):
        found[name] = seconds_of(COMMANDS[name])
    table = Table(title=f"CPU seconds, nothing compiled ({started})")
    table.add_column("command", no_wrap=True)
    table.add_column("seconds", justify="right")
    table.add_column(f"within {REACH:g} s")
    for name, seconds in found.items():
        table.add_row(name, f"{seconds:.1f}", "yes" if seconds <= REACH else "no")
    wide_console().print(table)
    about = {"machine": machine(), "versions": versions({"big2_env", "numpy", "numba"})}
    recorder.save({**about, "seconds": found}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
