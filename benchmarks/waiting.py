"""CPU time until the first answer, game or step, with an empty numba cache.

    python benchmarks/waiting.py --record
    python benchmarks/waiting.py --only play --only solve
    python benchmarks/waiting.py --only step --only arena --against 9d7db64

Each row is a new process, measured from its start to its end, imports and threads included: a `big2` command, a program that
makes the first step of a vector environment, or a review of a game as at a table, without compiled code. `play` ends when it
asks for the person's first move. The last column shows whether the row stays within three seconds, the arena within ten and
a whole review within fifteen. Another revision must have the installed entry points of the agents that a row names.

Needs nothing else, except git for `--against`; takes about a minute.
"""

from __future__ import annotations

import os
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final

import typer
from against import ROOT, checked_out
from measured_rows import JsonOption, Recorder, RecordOption, Row
from rich.progress import track
from rich.table import Table
from side_by_side import wide_console

from big2_env.registration import env_id
from big2_env.runs.origin import machine, versions

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
    "arena": "arena heuristic greedy --deals 20",
}
"""Commands by name of their row."""
STEP = """
import gymnasium
import big2_env
envs = gymnasium.make_vec({id!r}, num_envs=8, opponents={opponents!r})
envs.reset(seed=1)
envs.step(envs.unwrapped.random_actions())
print("made a step")
"""
REVIEW = """
from big2_agents.review.replays import plain
from big2_env.agents.interface import make_agent, play_out, reset_seats
from big2_env.climbing.game import Game
from big2_env.climbing.rulesets import ruleset
from big2_env.base.language import Language
from big2_env.notation.transcript import Transcript
from big2_env.drawing.replays import game_replay
game = Game.deal(ruleset({name!r}), 4)
agents = [make_agent("greedy")] * game.num_players
reset_seats(agents, game)
play_out(game, agents)
transcript, review = Transcript(game, tuple("ABCD"[: game.num_players])), plain(game, 0)
while review.done < review.moments and not ({first} and review.edition):
    review.step()
print(review.judged(game_replay(transcript, 0), transcript, Language.EN))
"""
STEPS = {
    f"first step of make_vec, {name}{opponents and f', {opponents}'}": STEP.format(
        id=env_id(name), opponents=opponents or "random"
    )
    for name in ("big2", "dou_dizhu", "dou_dizhu_x")
    for opponents in ("", "greedy", "heuristic")
}
REVIEWS = {
    f"{part} of a review, {name}": REVIEW.format(name=name, first=part == "first sentence")
    for name in ("big2", "dou_dizhu")
    for part in ("first sentence", "all values")
}
PROGRAMS = STEPS | REVIEWS
"""Programs by name of their row."""
REACH: Final = 3.0
"""Longest acceptable seconds of most rows."""
LONGER_REACH: Final = {"arena": 10.0} | {name: 15.0 for name in REVIEWS if name.startswith("all values")}
"""Longest acceptable seconds of the other rows."""


def seconds_of(name: str, folder: Path) -> float:
    """Return the CPU seconds of a row's process and its threads, with an empty cache and the sources of a folder."""
    given = ["-c", PROGRAMS[name]] if name in PROGRAMS else ["-m", "big2_env", *shlex.split(COMMANDS[name])]
    with TemporaryDirectory() as cache:
        sources = os.pathsep.join([str(folder), str(folder / "agents")])
        variables = os.environ | {"NUMBA_CACHE_DIR": cache, "CI": "true", "PYTHONPATH": sources}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        options: dict[str, Any] = {"cwd": cache, "env": variables, "stdin": subprocess.DEVNULL, "capture_output": True}
        done = subprocess.run([sys.executable, *given], text=True, check=False, **options)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode or not done.stdout:
        raise RuntimeError(f"{name}: {done.stderr}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield the seconds of each row."""
    for name, seconds in report["seconds"].items():
        yield Row(f"CPU time of {name}, cache empty", seconds, "s")
    for name, seconds in report.get("other", {}).items():
        yield Row(f"CPU time of {name} at {report['revision']}, cache empty", seconds, "s")


def main(
    only: Annotated[list[str] | None, typer.Option(help="Word in the names of rows to measure; repeatable.")] = None,
    against: Annotated[str | None, typer.Option(help="Revision to measure, too.", metavar="REVISION")] = None,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure CPU seconds of commands."""
    recorder = Recorder("waiting")
    asked = [name for name in (*COMMANDS, *PROGRAMS) if not only or any(word in name for word in only)]
    if not asked:
        raise typer.BadParameter(f"expected words of {', '.join((*COMMANDS, *PROGRAMS))}")
    started, found, other = time.strftime("%Y-%m-%d"), dict[str, float](), dict[str, float]()
    with checked_out(against) if against else nullcontext() as folder:
        for name in track(asked, "waiting", console=wide_console(stderr=True)):
            found[name] = seconds_of(name, ROOT)
            if folder is not None:
                other[name] = seconds_of(name, folder)
    table = Table(title=f"CPU seconds, nothing compiled ({started})")
    table.add_column("row", no_wrap=True)
    for column in ("seconds", *([f"at {against}"] if against else []), "within reach"):
        table.add_column(column, justify="right")
    for name, seconds in found.items():
        reach = LONGER_REACH.get(name, REACH)
        table.add_row(name, *(f"{each[name]:.1f}" for each in (found, other) if each), "yes" if seconds <= reach else "no")
    wide_console().print(table)
    about = {"machine": machine(), "versions": versions({"big2_env", "numpy", "numba"})}
    compared = {"other": other, "revision": against} if against else {}
    recorder.save({**about, "seconds": found, **compared}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
