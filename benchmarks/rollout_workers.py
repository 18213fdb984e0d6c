"""Rollout workers of `big2 train candidate-ppo`: speed, CPU time, and strength after the same number of updates.

    OMP_NUM_THREADS=1 python benchmarks/rollout_workers.py --workers 0 --workers 2 --updates 40 --record

Each run makes the same number of updates on the same number of games, from scratch and without a time limit. So the last
columns compare learning from fresh games with learning from games of earlier weights.

| column | meaning |
| --- | --- |
| `staleness` | updates by which the games' weights may be older than the learner's |
| `decisions/s` | decisions learned from per wall-clock second |
| `CPU s / 1,000` | CPU seconds of learner and workers per 1,000 decisions, without the start; unknown on Ray |
| `wins`, `payoff` | share of games won and mean payoff against three greedy players, with its 95% interval |

Needs PyTorch; `--ray` needs the extra `ray`. The example takes a few minutes on two free cores.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row, around
from rich.table import Table
from side_by_side import wide_console

from big2_agents.train.candidate_ppo import Learner, train
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.loop import Callbacks
from big2_env.cli._options import executor_of
from big2_env.runs.intervals import NORMAL_95
from big2_env.runs.origin import machine

ENDLESS = 1e9
"""Minutes of a run that its updates end; the learning rate stays constant."""


def processor_seconds() -> float:
    """Return the CPU time of this process and of its finished child processes."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def run(workers: int, ray: str | None, updates: int, args: dict[str, Any]) -> tuple[Learner, float]:
    """Return a learner after some updates, and the CPU seconds that they took."""
    with tempfile.TemporaryDirectory() as folder:
        parameters = CandidatePpoParameters(minutes=ENDLESS, evaluate_every=ENDLESS, workers=workers, out=Path(folder), **args)
        executor = executor_of(ray, workers) if workers else None
        done: list[int] = []
        spent = processor_seconds()
        callbacks = Callbacks(lambda at, _: done.append(at.iteration), lambda: len(done) >= updates)
        learner = train(parameters, callbacks, executor)
        return learner, processor_seconds() - spent


def measure(workers: int, ray: str | None, updates: int, args: dict[str, Any]) -> dict[str, float]:
    """Measure the speed of a run, and its strength at the end."""
    (short, start), (learner, spent) = run(workers, ray, 1, args), run(workers, ray, updates, args)
    found = learner.evaluate()
    each = (spent - start) / (learner.choices - short.choices)
    return {
        "workers": workers,
        "staleness": learner.staleness,
        "choices": learner.choices,
        "choices_per_second": learner.choices / 60 / learner.minutes,
        "processor_seconds_per_1000": float("nan") if ray else 1000 * each,
        "wins_greedy": found["wins_greedy"],
        "payoff_greedy": found["payoff_greedy"],
        "error_greedy": found["error_greedy"],
    }


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield the speed of each run relative to the first one, and its payoff against greedy players."""
    first = report["runs"][0]
    for one in report["runs"]:
        name = f"{one['workers']:.0f} workers"
        yield Row(f"rate of {name}", one["choices_per_second"], "decisions per second")
        if one is not first:
            ratio = one["choices_per_second"] / first["choices_per_second"]
            yield Row(f"speed of {name} relative to {first['workers']:.0f}", ratio, "ratio")
        interval = around(one["payoff_greedy"], NORMAL_95 * one["error_greedy"])
        name = f"payoff against greedy after {report['updates']} updates with {name}"
        yield Row(name, one["payoff_greedy"], "points per game", interval)


def main(
    workers: Annotated[
        list[int] | None, typer.Option(help="Rollout workers of a run, repeatable; 0 for none.", show_default="0, 2")
    ] = None,
    ray: Annotated[str | None, typer.Option(help="Address of a Ray for the workers; `local` starts one.")] = None,
    updates: Annotated[int, typer.Option(min=2, help="Updates per run.")] = 40,
    games: Annotated[int, typer.Option(min=4, help="Games per update.")] = 512,
    width: Annotated[int, typer.Option(min=4, help="Width of the networks.")] = 128,
    heuristic_prior: Annotated[float, typer.Option(min=0, help="Initial score bonus of the heuristic's choice.")] = 0.0,
    deals: Annotated[int, typer.Option(min=1, help="Deals of the evaluation.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the runs.")] = 1,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure runs with and without rollout workers."""
    recorder = Recorder("rollout_workers")
    args = {
        "games": games,
        "width": width,
        "heuristic_features": True,
        "heuristic_prior": heuristic_prior,
        "evaluation_deals": deals,
        "seed": seed,
    }
    runs = [measure(number, ray, updates, args) for number in workers or [0, 2]]
    here = machine()
    table = Table(title=f"{updates} updates of {games} games; {here['cores']} cores, load {here['load']:.1f}")
    for name in ("workers", "staleness", "decisions", "decisions/s", "CPU s / 1,000", "wins", "payoff against greedy"):
        table.add_column(name, justify="right")
    for row in runs:
        table.add_row(
            f"{row['workers']:.0f}",
            f"{row['staleness']:.0f}",
            f"{row['choices']:,.0f}",
            f"{row['choices_per_second']:,.0f}",
            f"{row['processor_seconds_per_1000']:.3f}",
            f"{row['wins_greedy']:.1%}",
            f"{row['payoff_greedy']:+.3f} ± {NORMAL_95 * row['error_greedy']:.3f}",
        )
    wide_console().print(table)
    recorder.save({"machine": here, "updates": updates, "runs": runs}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
