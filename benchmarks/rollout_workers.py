"""What rollout workers bring to `big2 train candidate-ppo`: choices a second, processor time, and how strong the player gets.

Each run makes the same number of updates on as many games, from scratch, without a clock: so the last columns compare what is
learned from fresh rounds and from stale ones. Processor time is that of the learner and its processes beyond a run of one
update, so that starting does not count; a Ray's is not known.

    python benchmarks/rollout_workers.py --workers 0 --workers 2 --updates 40
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from side_by_side import machine, wide_console, write_json

from big2_agents.train.candidate_ppo import Learner, train
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_env.cli._options import executor_of
from big2_env.runs.intervals import NORMAL_95

ENDLESS = 1e9
"""Minutes of a run that is ended by its updates: the learning rate stays as it is."""


def processor_seconds() -> float:
    """The processor time of this process and of those that it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def run(workers: int, ray: str | None, updates: int, args: dict[str, Any]) -> tuple[Learner, float]:
    """A learner after some updates, and the processor seconds that they took."""
    with tempfile.TemporaryDirectory() as folder:
        parameters = CandidatePpoParameters(minutes=ENDLESS, evaluate_every=ENDLESS, workers=workers, out=Path(folder), **args)
        executor = executor_of(ray, workers) if workers else None
        done: list[int] = []
        spent = processor_seconds()
        learner = train(parameters, lambda at, _: done.append(at.iteration), lambda: len(done) >= updates, executor)
        return learner, processor_seconds() - spent


def measure(workers: int, ray: str | None, updates: int, args: dict[str, Any]) -> dict[str, float]:
    """What a run does in a second, and how it plays in the end."""
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


def main(
    workers: Annotated[list[int] | None, typer.Option(help="Rollout workers of each run; 0 for none.")] = None,
    ray: Annotated[str | None, typer.Option(help="Workers of the Ray at this address; `local` starts one.")] = None,
    updates: Annotated[int, typer.Option(min=2, help="Updates of each run.")] = 40,
    games: Annotated[int, typer.Option(min=4, help="Games of each update.")] = 512,
    width: Annotated[int, typer.Option(min=4, help="Width of the networks.")] = 128,
    heuristic_prior: Annotated[float, typer.Option(min=0, help="Initial score bonus of the heuristic's choice.")] = 0.0,
    deals: Annotated[int, typer.Option(min=1, help="Deals of the evaluation.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the runs.")] = 1,
    json: Annotated[Path | None, typer.Option(help="Write the figures there.")] = None,
) -> None:
    """Measure what rollout workers bring."""
    args = {"games": games, "width": width, "heuristic_prior": heuristic_prior, "evaluation_deals": deals, "seed": seed}
    rows = [measure(number, ray, updates, args) for number in workers or [0, 2]]
    here = machine()
    table = Table(title=f"{updates} updates of {games} games; {here['cores']} cores, load {here['load']:.1f}")
    for name in ("workers", "staleness", "choices", "choices/s", "processor s / 1,000", "wins", "payoff against greedy"):
        table.add_column(name, justify="right")
    for row in rows:
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
    if json:
        write_json(json, {"machine": here, "runs": rows})


if __name__ == "__main__":
    typer.run(main)
