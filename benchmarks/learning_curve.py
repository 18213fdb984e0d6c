"""Learning curves of MaskablePPO by wall-clock time, on the vector environment and on eight one-game environments.

    OMP_NUM_THREADS=1 python benchmarks/learning_curve.py --minutes 4 --record
    OMP_NUM_THREADS=1 python benchmarks/learning_curve.py --minutes 1 --learner "seat LegalPolicy"

Learners with the same network take turns of a few seconds, so that a slow moment of the machine affects all alike. After
each turn they are measured, which does not count as their time: the share of games that their most likely actions win in
one seat against three greedy and three random players. 25% is equal strength.

| learner | training |
| --- | --- |
| `self_play` | `SelfPlayPPO` on `SelfPlayVecEnv`; it meets greedy players only when it is measured |
| `seat` | `MaskablePPO` on `SeatVecEnv` against three greedy players |
| `dummy` | `MaskablePPO` on a `DummyVecEnv` of eight `SeatEnv` against three greedy players, the usual setup |

Each learns with `MlpPolicy` of sb3-contrib and with `LegalPolicy` of this package: six learners. The last table splits the
time of collecting a rollout into environment, masks, network, buffer and the rest.

Needs the extra `sb3`. Takes `--minutes` per learner and about a quarter more for measuring.
"""

from __future__ import annotations

import math
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any

import torch
import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row, around
from rich.console import Console
from rich.table import Table
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.ppo_mask import ppo_mask
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from big2_env.envs.sb3 import LegalPolicy, SeatVecEnv, SelfPlayPPO, SelfPlayVecEnv
from big2_env.envs.seat import SeatEnv
from big2_env.runs.intervals import NORMAL_95
from big2_env.runs.origin import machine, versions

COMMON = {"gamma": 1.0, "gae_lambda": 0.95, "ent_coef": 0.01, "learning_rate": 1e-3, "device": "cpu"}
NETWORK = {"net_arch": [128]}
MANY = {"n_steps": 64, "batch_size": 1024, "n_epochs": 3}
"""For 128 rows, or 8,192 decisions per rollout: many, so a few epochs suffice."""
FEW = {"n_steps": 128, "batch_size": 128, "n_epochs": 6}
"""For eight rows, or 1,024 decisions per rollout: few, so more epochs and smaller batches."""
ROWS = 128
PARTS = ("environment", "masks", "network", "buffer", "rest")


@dataclass
class Learner:
    """A model that learns, with its curve.

    Args:
        name: Name of its rows.
        make: Function that makes the model for a policy and a seed.
        policy: Policy class, or its name.
    """

    name: str
    make: Callable[..., MaskablePPO]
    policy: Any
    model: Any = None
    wall: float = 0.0
    """Wall-clock seconds of learning."""
    processor: float = 0.0
    """CPU seconds of learning."""
    curve: list[dict[str, float]] = field(default_factory=list)
    """By point: wall, processor, decisions, and the share of games won against each opponent."""

    def learn(self, seconds: float) -> None:
        """Learn from whole rollouts for at least the given seconds."""
        until = self.wall + seconds
        while self.wall < until:
            start, used = time.perf_counter(), time.process_time()
            self.model.learn(self.model.n_steps * self.model.n_envs, reset_num_timesteps=False)
            self.wall += time.perf_counter() - start
            self.processor += time.process_time() - used

    def measure(self, games: int) -> None:
        """Add a point to the curve; the games are the same for all learners and points."""
        point = {"wall": self.wall, "processor": self.processor, "decisions": float(self.model.num_timesteps)}
        for name in ("greedy", "random"):
            venv = SeatVecEnv(min(games, 256), name)  # as many games in each row, or short games would count too often
            venv.seed(10**6)
            payoffs, _ = evaluate_policy(self.model, venv, games, return_episode_rewards=True)
            point[name] = sum(payoff > 0 for payoff in payoffs) / len(payoffs)
        self.curve.append(point)


def self_play(policy: Any, seed: int) -> MaskablePPO:
    """Return a learner in all seats."""
    return SelfPlayPPO(policy, SelfPlayVecEnv(ROWS), seed=seed, policy_kwargs=NETWORK, **COMMON, **MANY)


def seat(policy: Any, seed: int) -> MaskablePPO:
    """Return a learner in one seat against greedy players of the batch."""
    return MaskablePPO(policy, SeatVecEnv(ROWS, "greedy"), seed=seed, policy_kwargs=NETWORK, **COMMON, **MANY)


def dummy(policy: Any, seed: int) -> MaskablePPO:
    """Return a learner in one seat against greedy agents, one game at a time."""
    venv = DummyVecEnv([lambda: Monitor(SeatEnv("greedy", skip_forced=True))] * 8)
    return MaskablePPO(policy, venv, seed=seed, policy_kwargs=NETWORK, **COMMON, **FEW)


LEARNERS: dict[str, tuple[Callable[..., MaskablePPO], Any]] = {
    f"{make.__name__} {getattr(policy, '__name__', policy)}": (make, policy)
    for policy in ("MlpPolicy", LegalPolicy)
    for make in (self_play, seat, dummy)
}


@contextmanager
def timed(owner: Any, name: str, seconds: dict[str, float], part: str) -> Iterator[None]:
    """Add the time that a function takes to a part while the context is active."""
    function = getattr(owner, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            seconds[part] += time.perf_counter() - start

    setattr(owner, name, call)
    try:
        yield
    finally:
        setattr(owner, name, function)


def collecting(model: Any, seconds: float) -> dict[str, float]:
    """Measure decisions per second while rollouts are collected, and each part's share of the time."""
    spent: dict[str, float] = defaultdict(float)
    _, callback = model._setup_learn(1, reset_num_timesteps=False)
    callback.on_training_start({}, {})
    decisions, total = 0, 0.0
    with (
        timed(model.env, "step", spent, "environment"),
        timed(ppo_mask, "get_action_masks", spent, "masks"),
        timed(model.policy, "forward", spent, "network"),
        timed(model.policy, "predict_values", spent, "network"),
        timed(model.rollout_buffer, "reset", spent, "buffer"),
        timed(model.rollout_buffer, "add", spent, "buffer"),
        timed(model.rollout_buffer, "compute_returns_and_advantage", spent, "buffer"),
    ):
        while total < seconds:
            start = time.perf_counter()
            model.collect_rollouts(model.env, callback, model.rollout_buffer, model.n_steps)
            total += time.perf_counter() - start
            decisions += model.n_steps * model.n_envs
    spent["rest"] = total - sum(spent.values())
    return {"decisions": decisions / total} | {part: spent[part] / total for part in PARTS}


def print_curves(learners: list[Learner], games: int) -> None:
    """Print the points of all curves."""
    error = 100 * NORMAL_95 * math.sqrt(0.25 * 0.75 / games)
    table = Table(title=f"games won by time, {games} games per point (±{error:.1f} at 25%)")
    for column in ("learner", "wall s", "CPU s", "decisions", "% v greedy", "% v random"):
        table.add_column(column, justify="left" if column == "learner" else "right", no_wrap=True)
    for learner in learners:
        for point in learner.curve:
            shares = [f"{100 * point[name]:.1f}" for name in ("greedy", "random")]
            table.add_row(learner.name, *(f"{point[key]:,.0f}" for key in ("wall", "processor", "decisions")), *shares)
        table.add_section()
    Console(width=100).print(table)


def print_collecting(results: dict[str, dict[str, float]]) -> None:
    """Print speed and parts of the time of collecting."""
    table = Table(title="collecting a rollout, one torch thread: share of the time, %")
    for column in ("learner", "decisions/s", *PARTS):
        table.add_column(column, justify="left" if column == "learner" else "right", no_wrap=True)
    for name, result in results.items():
        table.add_row(name, f"{result['decisions']:,.0f}", *(f"{100 * result[part]:.1f}" for part in PARTS))
    Console(width=100).print(table)


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield each learner's share of games won at the end, and the speed of collecting relative to the slowest learner's."""
    settings = report["settings"]
    for name, curve in report["curves"].items():
        for opponent in ("greedy", "random"):
            share = 100 * curve[-1][opponent]
            half = NORMAL_95 * math.sqrt(share * (100 - share) / settings["games"])
            after = f"after {settings['minutes']:g} minutes of {name}"
            yield Row(f"wins against three {opponent} {after}", share, "%", around(share, half))
    speeds = {name: parts["decisions"] for name, parts in report["collecting"].items()}
    slowest = min(speeds, key=lambda name: speeds[name])
    for name, speed in speeds.items():
        if name == slowest:
            continue
        yield Row(f"speed of collecting, {name} relative to {slowest}", speed / speeds[slowest], "ratio")


def main(
    minutes: Annotated[float, typer.Option(help="Minutes of learning per learner.", min=0.0)] = 0.5,
    points: Annotated[int, typer.Option(help="Points per curve after the first.", min=1)] = 8,
    games: Annotated[int, typer.Option(help="Games per point against each opponent.", min=2)] = 1024,
    learner: Annotated[list[str] | None, typer.Option(help="Learner to measure; repeatable.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of networks, deals and players.")] = 1,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure learning curves and the time of collecting rollouts."""
    recorder = Recorder("learning_curve")
    torch.set_num_threads(1)
    unknown = set(learner or ()) - set(LEARNERS)
    if unknown:
        raise typer.BadParameter(
            f"unknown: {', '.join(sorted(unknown))}; expected some of {', '.join(LEARNERS)}", param_hint="--learner"
        )
    learners = [Learner(name, *LEARNERS[name]) for name in learner or LEARNERS]
    loads = []
    for one in learners:
        one.model = one.make(one.policy, seed)
        one.measure(games)
    for point in range(points):
        for one in learners:
            one.learn(60 * minutes * (point + 1) / points - one.wall)
            one.measure(games)
        loads.append(os.getloadavg()[0])
    parts = {one.name: collecting(one.model, min(20.0, 6 * minutes)) for one in learners}
    print_curves(learners, games)
    print_collecting(parts)
    least, most = min(loads), max(loads)
    print(f"load of the machine during the run: {least:.1f} to {most:.1f} on {os.cpu_count()} cores")
    settings = {"minutes": minutes, "points": points, "games": games, "seed": seed, "network": NETWORK}
    report = {
        "settings": settings | {"common": COMMON, "many": MANY | {"rows": ROWS}, "few": FEW | {"rows": 8}},
        "machine": machine() | {"loads": loads},
        "versions": versions({"big2_env", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib"}),
        "curves": {one.name: one.curve for one in learners},
        "collecting": parts,
    }
    recorder.save(report, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
