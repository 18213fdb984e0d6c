"""Speed of this checkout relative to another revision of the project.

    python benchmarks/against.py 9d7db64 --rounds 9 --record
    python benchmarks/against.py HEAD~1 --row "heuristic big2" --row "vector big2"

Both revisions do the same work in two processes. The other revision is checked out in a temporary folder and
runs with the same interpreter and libraries, but with its own sources and its own numba cache. The work uses only
`gymnasium.make_vec`, `raw_env`, `make_agent` and the learner of candidate PPO, so that both checkouts run the same text.

Each round starts one process per side. Both run a row once to compile; then they take turns, so a processor that slows down
slows both, and the median of `--repeats` ratios of CPU seconds counts. A ratio above 1 means that this checkout is faster.
`lowest` and `highest` are the range of the rounds.

Needs git and a clone with the other revision, and PyTorch for the rows of training, which are iterations of 512 games. Nine
rounds of all rows take about 20 minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Final

import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row
from rich.console import Console
from rich.table import Table

ROOT: Final = Path(__file__).parents[1]
COMMON: Final = """
import copy, json, random, sys, threading, time, warnings
warnings.simplefilter("ignore")
import gymnasium, numpy as np, big2_env
from big2_env import Game, ruleset
try:
    from big2_env.agents.interface import make_agent
except ImportError:  # an earlier revision
    from big2_env.agents import make_agent
from big2_env.envs.aec import env, raw_env

def vector(name, number=256, opponents="random"):
    envs = gymnasium.make_vec("big2/Big2-v0", num_envs=number, ruleset=name, opponents=opponents)
    getattr(envs.unwrapped.engine, "finish_compiling", int)()
    state, steps = [envs.reset(seed=1)[1]], 30 if number > 64 else 300
    def work():
        for _ in range(steps):
            *_, state[0] = envs.step(state[0]["action_mask"].argmax(1))
    return work, steps * number

def seat(opponents):
    one = gymnasium.make("big2/Big2-v0", opponents=opponents, engine="compiled")
    info = [one.reset(seed=1)[1]]
    def work():
        for _ in range(400):
            *_, ended, _, info[0] = one.step(int(info[0]["action_mask"].argmax()))
            if ended:
                info[0] = one.reset()[1]
    return work, 400

def copies(name):
    one = raw_env(name)
    one.reset(seed=1)
    def work():
        for _ in range(10):
            copy.deepcopy(one)
    return work, 10

def rows(name, number, **options):
    envs = gymnasium.make_vec("big2/Big2-v0", num_envs=number, ruleset=name, mode="self_play", **options).unwrapped
    getattr(envs.engine, "finish_compiling", int)()
    envs.reset(seed=1)
    actions, steps = [], 600 if number > 64 else 1500  # so many that the reset does not count
    for _ in range(steps):
        actions.append(envs.random_actions())
        envs.step(actions[-1])
    def work():
        envs.reset(seed=1)
        for each in actions:
            kept = envs.step(each)
    return work, steps

def into(number):
    envs = gymnasium.make_vec("big2/Big2-v0", num_envs=number, mode="self_play").unwrapped
    getattr(envs.engine, "finish_compiling", int)()
    envs.reset(seed=1)
    made = [np.zeros_like(one) for one in (envs.engine.observation, envs.engine.mask, envs.engine.reward)]
    made.append(np.zeros(number, bool))
    def work():
        envs.reset(seed=1)
        for _ in range(300):
            envs.step_into(envs.engine.legal_ids()[1][:, 0], *made)
    return work, 300

def aec(name, make=raw_env):
    one = make(name, engine="compiled")
    def work():
        one.reset(seed=1)
        for _ in range(400):
            seen = one.observe(one.agent_selection)
            legal = np.flatnonzero(seen["action_mask"])
            if len(legal) == 0:
                one.reset(seed=2)
            else:
                one.step(int(legal[0]))
    return work, 400

def spiel(sees):
    from big2_env.envs import openspiel
    game, rng = openspiel.load_game("big2"), random.Random(7)
    def play():
        decisions, state = 0, game.new_initial_state()
        while not state.is_terminal():
            if not state.is_chance_node():
                decisions += 1
                if sees:
                    state.observation_tensor()
            moves = state.legal_actions()
            state.apply_action(moves[int(rng.random() * len(moves))])
        return decisions
    def work():
        rng.seed(7)
        return sum(play() for _ in range(10))
    return work, work()

def views(name, number):
    rng, found = random.Random(3), []
    while True:
        game = Game.deal(ruleset(name), rng.getrandbits(32))
        while not game.is_over:
            found.append((game.view(), game.legal_plays()))
            if len(found) == number:
                return found
            game.push(rng.choice(list(game.legal_plays())))

def agent(spec, name, number):
    asked, player = views(name, number), make_agent(spec)
    player.prepare(asked[0][0])
    def work():
        for view, legal in asked:
            player.act(view, legal)
    return work, number

def trained(bfloat16):
    import tempfile
    from pathlib import Path
    import torch
    from big2_agents.train.candidate_ppo import CandidatePpoParameters, Learner
    torch.set_num_threads(1)
    made = dict(games=512, warm_up=0, heuristic_prior=0.0, bfloat16=bfloat16, out=Path(tempfile.gettempdir()))
    return Learner(CandidatePpoParameters(**made)).iterate, 1

ROWS = {
    "train in bfloat16": lambda: trained(True),
    "train in float32": lambda: trained(False),
    "vector big2": lambda: vector("big2"),
    "vector dou_dizhu": lambda: vector("dou_dizhu"),
    "step of 8 rows": lambda: rows("big2", 8),
    "step of 64 rows": lambda: rows("big2", 64),
    "step_into of 1 row": lambda: into(1),
    "step_into of 8 rows": lambda: into(8),
    "step of 256 rows with masks, dou_dizhu": lambda: rows("dou_dizhu", 256),
    "step of 256 rows with masks, pao_de_kuai": lambda: rows("pao_de_kuai", 256),
    "step of 256 rows with masks, dou_dizhu_x": lambda: rows("dou_dizhu_x", 256),
    "openspiel with the observation": lambda: spiel(True),
    "openspiel": lambda: spiel(False),
    "decision in 1 row against greedy": lambda: vector("big2", 1, "greedy"),
    "decision in 8 rows against greedy": lambda: vector("big2", 8, "greedy"),
    "decision in 64 rows against greedy": lambda: vector("big2", 64, "greedy"),
    "decision in 8 rows against heuristic": lambda: vector("big2", 8, "heuristic"),
    "decision in make against random": lambda: seat("random"),
    "decision in make against greedy": lambda: seat("greedy"),
    "decision in make against heuristic": lambda: seat("heuristic"),
    "aec_env big2": lambda: aec("big2", lambda name, **how: env(ruleset=name, **how)),
    "deepcopy of raw_env, pao_de_kuai": lambda: copies("pao_de_kuai"),
    "aec big2": lambda: aec("big2"),
    "aec dou_dizhu": lambda: aec("dou_dizhu"),
    "heuristic big2": lambda: agent("heuristic", "big2", 200),
    "heuristic dou_dizhu": lambda: agent("heuristic", "dou_dizhu", 200),
    "learned big2": lambda: agent("learned", "big2", 100),
    "learned dou_dizhu": lambda: agent("learned", "dou_dizhu", 100),
    "search:200 big2": lambda: agent("search:200", "big2", 10),
    "search:200 dou_dizhu": lambda: agent("search:200", "dou_dizhu", 5),
}
"""
WORK: Final = """
for name in sys.argv[1:] or ROWS:
    work, number = ROWS[name]()
    begun = time.perf_counter()
    work()
    if "against" in name or "openspiel" in name:  # compiled in the background, after some seconds of work
        while time.perf_counter() - begun < 4 or any(one.name == "compiling" for one in threading.enumerate()):
            work()
    print(name, flush=True)
    while input() == "again":
        start = time.process_time()
        work()
        print((time.process_time() - start) / number, flush=True)
"""


class Side:
    """Process that does rows of work one after another on the sources of a folder, as often as it is asked to.

    Args:
        folder: Checkout of the project.
        cache: Folder for numba's cache.
        names: Names of the rows; none for all.
    """

    def __init__(self, folder: Path, cache: Path, names: list[str]) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(folder), str(folder / "agents")]),
            "NUMBA_CACHE_DIR": str(cache),
            "OMP_NUM_THREADS": "1",
        }
        command, pipe = [sys.executable, "-c", COMMON + WORK, *names], subprocess.PIPE
        self._folder, self._errors = folder, tempfile.TemporaryFile("w+")  # noqa: SIM115 # lives as long as the process
        self._process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=self._errors, text=True, bufsize=1
        )

    def line(self) -> str:
        """Return the next line of the process: the name of a row that is ready, CPU seconds, or nothing at the end."""
        assert self._process.stdout is not None
        found = self._process.stdout.readline().strip()
        if not found and self._process.wait():
            self._errors.seek(0)
            raise typer.BadParameter(f"the work fails in {self._folder}: {self._errors.read().strip().splitlines()[-1]}")
        return found

    def ask(self, request: str) -> None:
        """Ask for the same work `again`, or for the `next` row."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{request}\n")

    def seconds(self) -> float:
        """Do the work once more and return its CPU seconds."""
        self.ask("again")
        return float(self.line())


def ratios_of(other: Side, own: Side, repeats: int) -> Iterator[tuple[str, float]]:
    """Yield each row's name and speed of `own` relative to `other`: the median over pairs of runs that take turns."""
    while name := other.line():
        own.line()
        ratios = []
        for number in range(repeats):
            times = {one: one.seconds() for one in ((other, own) if number % 2 else (own, other))}
            ratios.append(times[other] / times[own])
        yield name, median(ratios)
        for side in (other, own):
            side.ask("next")


def git(*arguments: str) -> str:
    """Return the output of git in this checkout."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise typer.BadParameter(f"expected a revision, got {arguments[-1]!r}: {done.stderr.strip()}")
    return done.stdout.strip()


@contextmanager
def checked_out(revision: str) -> Iterator[Path]:
    """Yield a temporary folder with a revision of the project."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "other"
        git("worktree", "add", "--detach", str(folder), revision)
        try:
            yield folder
        finally:
            git("worktree", "remove", "--force", str(folder))


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield the ratio of each row's work."""
    for name, found in report["ratios"].items():
        name = f"{name}, speed relative to {report['revision']}, range of {len(found)} rounds"
        yield Row(name, median(found), "ratio", (min(found), max(found)))


def main(
    revision: Annotated[str, typer.Argument(help="Revision to compare with.")],
    rounds: Annotated[int, typer.Option(help="Processes per side.", min=1)] = 9,
    repeats: Annotated[int, typer.Option(help="Timed runs per row and process.", min=1)] = 15,
    row: Annotated[
        list[str] | None, typer.Option(help="Row to measure, repeatable; all by default.", show_default=False)
    ] = None,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Compare this checkout with another revision."""
    other, recorder = git("rev-parse", "--short", revision), Recorder("against")
    console, ratios = Console(), dict[str, list[float]]()
    with tempfile.TemporaryDirectory() as scratch, checked_out(revision) as folder_of_other:
        for number in range(rounds):
            folders = ("other", folder_of_other), ("own", ROOT)
            other_side, own_side = (Side(folder, Path(scratch) / side, row or []) for side, folder in folders)
            for name, ratio in ratios_of(other_side, own_side, repeats):
                ratios.setdefault(name, []).append(ratio)
            console.print(f"round {number + 1} of {rounds}", style="dim")
    table = Table("work", f"speed relative to {other}", "lowest", "highest")
    for name, found in ratios.items():
        table.add_row(name, *(f"{value:.2f}" for value in (median(found), min(found), max(found))))
    console.print(table)
    recorder.save({"revision": other, "ratios": ratios}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
