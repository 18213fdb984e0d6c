"""Quality of policy gradients by how a learner credits its decisions: agreement of each variant with the true gradient.

    OMP_NUM_THREADS=1 big2 train candidate-ppo --minutes 60 --out runs/big2
    OMP_NUM_THREADS=1 python benchmarks/credit.py runs/big2 --record

The policy of a run plays rounds of games. Every variant credits the same games with another lambda: all likely plays of a
decision, valued by the critic of plays, or the chosen play alone (`big2_agents.train.self_play`). Gradients are in the units of
Adam's steps. The true gradient is the mean over rounds with a lambda of 1, in which errors of the critics cancel out.

| column | meaning |
| --- | --- |
| `one round` | cosine between the gradient of one round and the true gradient |
| `bias` | cosine between the mean gradient over many rounds and the true one; 1 for an unbiased credit |
| `seconds per round` | time to collect a round |

A value is NaN if noise hides it; use more rounds or games. Needs PyTorch and a run that has trained its policy. The example
takes about an hour for the run and ten minutes for the measurement.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row
from rich.console import Console
from rich.progress import track
from rich.table import Table

from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.train.candidate_ppo import Learner
from big2_agents.train.hyper_parameters import CandidatePpoParameters, Device
from big2_agents.train.network import log_probs
from big2_agents.train.run_folder import IDENTITY, read_args
from big2_agents.train.self_play import Batch, Round, collect, opponent_codes
from big2_agents.train.updates import gradient_lengths, useful_choices
from big2_env.climbing.saved_rules import SavedRules
from big2_env.runs.origin import machine, versions

LAMBDAS = (0.0, 0.6, 0.95, 1.0)
TRUE = "likely plays, lambda 1"
VARIANTS: dict[str, dict[str, float]] = {
    f"{plays}, lambda {each:g}": {"gae_lambda": each, "min_prob": min_prob}
    for plays, min_prob in (("likely plays", CandidatePpoParameters.min_prob), ("chosen play", 1.0))
    for each in LAMBDAS
}
"""Hyperparameters of each variant."""
CHUNK = 4096


def slope(learner: Learner, batch: Batch, size: torch.Tensor) -> torch.Tensor:
    """Return the gradient of a batch's gains in the policy's weights, float32 (w,), divided by `size`."""
    lengths = gradient_lengths(batch.features.offsets.numpy(), batch.log_prob, batch.gain, 0.0)
    rows, weight = useful_choices(lengths, learner.args.noise, np.random.default_rng(0))
    learner.policy.zero_grad(set_to_none=True)
    for start in range(0, len(rows), CHUNK):
        part = rows[start : start + CHUNK]
        features, places = batch.features.subset(part)
        with learner.policy.precision(learner.args.bfloat16):
            log_prob = log_probs(learner.policy, features)
        gain = torch.from_numpy(batch.gain)[places] * torch.from_numpy(weight[start : start + CHUNK])[features.owner]
        (log_prob * gain).sum().div(len(batch.chosen)).backward()
    return torch.cat([weights.grad.reshape(-1) for weights in learner.policy.parameters() if weights.grad is not None]) / size


def compared(slopes: dict[str, torch.Tensor]) -> dict[str, tuple[float, float]]:
    """Return by variant the cosines of one round's gradient and of the mean gradient with the mean of `TRUE`.

    A cosine is NaN if noise hides it.
    """
    rounds = len(slopes[TRUE])

    def product(one: torch.Tensor, other: torch.Tensor) -> float:
        """Return the product of the means, without products of a round with itself, which noise makes large."""
        return float((one.sum(0) @ other.sum(0) - (one * other).sum()) / (rounds * (rounds - 1)))

    true = product(slopes[TRUE], slopes[TRUE])
    found = {}
    for variant, each in slopes.items():
        shared, own = product(each, slopes[TRUE]), product(each, each)
        square = float((each**2).sum()) / rounds
        found[variant] = tuple(shared / np.sqrt(norm * true) if norm * true > 0 else np.nan for norm in (square, own))
    return found  # type: ignore[return-value]


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield both cosines of each variant, if noise hides none."""
    for variant, one in report["results"].items():
        for key, what in (("one_round", "one round"), ("bias", "many rounds")):
            if not np.isnan(one[key]):
                yield Row(f"cosine of {what} with the true gradient, {variant}", one[key], "cosine")


def main(
    run: Annotated[Path, typer.Argument(help="Folder of a run of big2 train candidate-ppo.")],
    rounds: Annotated[int, typer.Option(min=2, help="Rounds of games.")] = 16,
    games: Annotated[int, typer.Option(min=4, help="Games per round.")] = 6144,
    against: Annotated[str, typer.Option(help="Rule-based opponents with their weights.")] = "heuristic=1",
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure the gradients of each variant of credit."""
    recorder = Recorder("credit")
    torch.set_num_threads(1)
    made = read_args(run)
    if IDENTITY not in made:
        raise typer.BadParameter(f"expected a run of big2 train candidate-ppo, got {run}")
    rules = SavedRules().of(made[IDENTITY])
    settings = {name: made.get(name) for name in ("width", "bfloat16", "heuristic_features")}
    learner = Learner(CandidatePpoParameters(ruleset=rules.name, games=4, device=Device.CPU, out=run, **settings), rules)
    state = learner.optimizers.policy_and_critic.state if learner.load() else {}
    weights = list(learner.policy.parameters())
    if not all("exp_avg_sq" in state.get(each, ()) for each in weights):
        raise typer.BadParameter(
            f"expected a run whose policy has learned, which starts after {CandidatePpoParameters.warm_up} rounds, got {run}"
        )
    size = torch.cat([(state[each]["exp_avg_sq"].sqrt() + 1e-5).reshape(-1) for each in weights])
    played = PlayedGames(rules, games)
    slopes: dict[str, list[torch.Tensor]] = {variant: [] for variant in VARIANTS}
    seconds = dict.fromkeys(VARIANTS, 0.0)
    common = replace(learner.args, opponent_share=1.0, opponents=against, win_bonus=made["win_bonus"])
    for seed in track(range(rounds), "rounds", transient=True):
        for variant, how in VARIANTS.items():
            rng, start = np.random.default_rng(seed), time.perf_counter()
            with learner.policy.precision(learner.args.bfloat16):
                args = replace(common, **how)  # type: ignore[arg-type]
                batch = collect(played, learner.networks, Round(args, opponent_codes(args.opponents), rng), learner.scale)
            seconds[variant] += (time.perf_counter() - start) / rounds
            slopes[variant].append(slope(learner, batch, size))
    found = compared({variant: torch.stack(each) for variant, each in slopes.items()})
    table = Table(
        "credit", "one round", "bias", "seconds per round", title=f"{made['ruleset']}, {rounds} rounds of {games:,} games"
    )
    for variant, (one, many) in found.items():
        table.add_row(variant, f"{one:.3f}", f"{many:.2f}", f"{seconds[variant]:.1f}")
    Console(soft_wrap=True).print(table)
    settings = {"minutes": learner.minutes, "choices": learner.choices, "rounds": rounds, "games": games, "against": against}
    results = {variant: {"one_round": one, "bias": many, "seconds": seconds[variant]} for variant, (one, many) in found.items()}
    about = {"settings": settings, "machine": machine(), "versions": versions(["big2_env", "torch"])}
    recorder.save({**about, "results": results}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
