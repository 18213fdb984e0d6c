"""How long one answer takes where nothing is compiled: seconds of the processor for commands of one game or one question.

Each row is a process of its own with an empty cache folder of numba, from its start to its end, imports included. `play` ends
where the person's first act is asked for.

    python benchmarks/waiting.py --json waiting.json
    python benchmarks/waiting.py --only play --only solve
"""

from __future__ import annotations

import os
import resource
import shlex
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.progress import track
from rich.table import Table
from side_by_side import machine, versions, wide_console, write_json

ENDING = '{"ruleset": "big2", "hands": ["C[3] C[7] S[2]", "C[9] D[9]", "H[9] H[10]", "C[K] C[A]"]}'
GAME = Path(__file__).parents[1] / "tests" / "data" / "game.in"
SEEN = " ".join(["deal"] * 24)
COMMANDS = {
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
"""Commands by the name of their rows."""
REACH = 3.0
"""Seconds that an answer may take."""


def seconds_of(command: str) -> float:
    """Processor seconds of `big2 COMMAND` and its threads, with an empty cache."""
    with TemporaryDirectory() as cache:
        variables = os.environ | {"NUMBA_CACHE_DIR": cache, "CI": "true"}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        given = [sys.executable, "-m", "big2_env", *shlex.split(command)]
        done = subprocess.run(given, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode or not done.stdout:
        raise RuntimeError(f"big2 {command}: {done.stderr}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main(
    only: Annotated[list[str] | None, typer.Option(help="Rows whose names have this word; all by default.")] = None,
    json: Annotated[Path | None, typer.Option(help="Write the figures to this file.")] = None,
) -> None:
    """Processor time of commands, numba's cache empty."""
    rows = [name for name in COMMANDS if not only or any(word in name for word in only)]
    if not rows:
        raise typer.BadParameter(f"expected words of {', '.join(COMMANDS)}")
    started, found = time.strftime("%Y-%m-%d"), dict[str, float]()
    for name in track(rows, "waiting", console=wide_console(stderr=True)):
        found[name] = seconds_of(COMMANDS[name])
    table = Table(title=f"seconds of the processor, nothing compiled ({started})")
    table.add_column("command", no_wrap=True)
    table.add_column("seconds", justify="right")
    table.add_column(f"within {REACH:g} s")
    for name, seconds in found.items():
        table.add_row(name, f"{seconds:.1f}", "yes" if seconds <= REACH else "no")
    wide_console().print(table)
    if json is not None:
        write_json(json, {"machine": machine(), "versions": versions({"big2_env", "numpy", "numba"}), "seconds": found})


if __name__ == "__main__":
    typer.run(main)
