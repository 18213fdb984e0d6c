"""How well the slope of one round of games points to where the true slope does, by how the choices are credited.

A policy's rounds, its learner alone among three heuristic players, are credited in several variants, the same games for all: by
what the critic says after each likely play, with several lambdas for the game as it went on, and by playing these games out
with several weights (`big2_agents.train.self_play`). Slopes are in the units of Adam's steps. The slope that all is measured by
is that of games played out with all weight, for nothing in it is a guess of the critic's: products of different rounds of it
and of another's have the mean that long runs would have. `one round` is the cosine between one round's slope and that mean,
`bias` between the means themselves: 1 for a credit that errs by chance alone.

    OMP_NUM_THREADS=1 big2 train candidate-ppo --minutes 60 --out runs/big2
    OMP_NUM_THREADS=1 python benchmarks/credit.py runs/big2 --json credit.json
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table
from side_by_side import machine, versions, write_json

from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.train.candidate_ppo import Learner
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.network import log_probs, subset, take_plays
from big2_agents.train.run_folder import read_args, rules_of_run
from big2_agents.train.self_play import Batch, collect
from big2_agents.train.updates import useful_choices

TRUE = "played out: 1"
VARIANTS: dict[str, dict[str, float]] = {
    "critic, lambda 0": {"gae_lambda": 0.0},
    "critic, lambda 0.6": {"gae_lambda": 0.6},
    "critic, lambda 0.95": {"gae_lambda": 0.95},
    "played out: 0.2": {"gae_lambda": 0.6, "playout_weight": 0.2},
    "played out: 0.4": {"gae_lambda": 0.6, "playout_weight": 0.4},
    "played out: 0.6": {"gae_lambda": 0.6, "playout_weight": 0.6},
    TRUE: {"gae_lambda": 0.6, "playout_weight": 1.0},
}
"""Variants of crediting choices: their names and hyper-parameters."""
CHUNK = 4096


def slope(learner: Learner, batch: Batch, size: torch.Tensor) -> torch.Tensor:
    """The slope of a batch's gains in the policy's weights, float32 (w,), divided by `size`."""
    rows, weight = useful_choices(batch.log_prob[batch.features.places(batch.chosen)], np.random.default_rng(0), learner.args)
    learner.policy.zero_grad(set_to_none=True)
    for start in range(0, len(rows), CHUNK):
        part = rows[start : start + CHUNK]
        features = subset(batch.features, part)
        with learner.policy.precision(True):
            log_prob = log_probs(learner.policy, features)
        gain = take_plays(batch.features.offsets, batch.gain[:, None], part)[0][:, 0]
        each = gain * np.repeat(weight[start : start + CHUNK], np.diff(features.offsets))
        (log_prob * learner.policy.to_device(each)).sum().div(len(batch.chosen)).backward()
    return torch.cat([weights.grad.reshape(-1) for weights in learner.policy.parameters() if weights.grad is not None]) / size


def compared(slopes: dict[str, torch.Tensor]) -> dict[str, tuple[float, float]]:
    """By variant: the cosine of a round's slope, and of the mean slope, with the mean of `TRUE`; NaN where noise hides it."""
    rounds = len(slopes[TRUE])

    def product(one: torch.Tensor, other: torch.Tensor) -> float:
        """Of the means, without the products of a round with itself, which noise would make large."""
        return float((one.sum(0) @ other.sum(0) - (one * other).sum()) / (rounds * (rounds - 1)))

    true = product(slopes[TRUE], slopes[TRUE])
    found = {}
    for variant, each in slopes.items():
        shared, own = product(each, slopes[TRUE]), product(each, each)
        square = float((each**2).sum()) / rounds
        found[variant] = tuple(shared / np.sqrt(norm * true) if norm * true > 0 else np.nan for norm in (square, own))
    return found  # type: ignore[return-value]


def main(
    run: Annotated[Path, typer.Argument(help="The folder of a run of big2 train candidate-ppo.")],
    rounds: Annotated[int, typer.Option(min=2, help="Rounds of games.")] = 16,
    games: Annotated[int, typer.Option(min=4, help="Games a round.")] = 6144,
    against: Annotated[str, typer.Option(help="Rule players beside the learner.")] = "heuristic=1",
    json: Annotated[Path | None, typer.Option(help="Where the figures go.")] = None,
) -> None:
    """Print a table of variants of crediting choices."""
    torch.set_num_threads(1)
    made = read_args(run)
    rules = rules_of_run(made)
    learner = Learner(CandidatePpoParameters(ruleset=rules.name, width=made["width"], games=4, out=run), rules)
    state = learner.optimizer.state if learner.load() else {}
    weights = list(learner.policy.parameters())
    if not all("exp_avg_sq" in state.get(each, ()) for each in weights):
        raise typer.BadParameter(
            f"{run}: allowed is a run whose policy has learned, which begins after {CandidatePpoParameters.warm_up} rounds"
        )
    size = torch.cat([(state[each]["exp_avg_sq"].sqrt() + 1e-5).reshape(-1) for each in weights])
    played = PlayedGames(rules, games)
    slopes: dict[str, list[torch.Tensor]] = {variant: [] for variant in VARIANTS}
    seconds = dict.fromkeys(VARIANTS, 0.0)
    common = replace(learner.args, opponent_share=1.0, opponents=against, win_bonus=made.get("win_bonus", 0.0))
    for seed in track(range(rounds), "rounds", transient=True):
        for variant, how in VARIANTS.items():
            rng, start = np.random.default_rng(seed), time.perf_counter()
            with learner.policy.precision(True):
                args = replace(common, **how)  # type: ignore[arg-type]
                batch = collect(played, learner.policy, learner.critic, None, rng, args, scale=learner.scale)
            seconds[variant] += (time.perf_counter() - start) / rounds
            slopes[variant].append(slope(learner, batch, size))
    found = compared({variant: torch.stack(each) for variant, each in slopes.items()})
    table = Table(
        "credit", "one round", "bias", "seconds a round", title=f"{made['ruleset']}, {rounds} rounds of {games:,} games"
    )
    for variant, (one, many) in found.items():
        table.add_row(variant, f"{one:.3f}", f"{many:.2f}", f"{seconds[variant]:.1f}")
    Console(soft_wrap=True).print(table)
    if json:
        settings = {
            "minutes": learner.minutes,
            "choices": learner.choices,
            "rounds": rounds,
            "games": games,
            "against": against,
        }
        results = {
            variant: {"one_round": one, "bias": many, "seconds": seconds[variant]} for variant, (one, many) in found.items()
        }
        write_json(
            json, {"settings": settings, "machine": machine(), "versions": versions(["big2_env", "torch"]), "results": results}
        )


if __name__ == "__main__":
    typer.run(main)
