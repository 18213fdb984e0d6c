"""Candidate PPO beside deep Monte Carlo, by wall-clock time: which gets stronger from nothing in the same minutes.

Both have the same network over candidate plays, the same features, the same games and share of opponents, in batches of
the same size, and take turns of one iteration, so that a slow moment of the machine hits both alike. Deep Monte Carlo (Zha et
al., arXiv 2106.06135) learns Q(view, play), the payoff at the end of the game, by least squares on the plays that were made,
and plays the largest Q, or any play with probability epsilon. `big2_agents.train.candidate_ppo` is PPO. Each is measured by
its best plays alone against three of each compiled rule player; measuring does not count as time.

    OMP_NUM_THREADS=1 python benchmarks/monte_carlo.py --minutes 10 --json monte_carlo.json
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from rich.console import Console
from rich.table import Table
from side_by_side import machine, versions, write_json

from big2_agents.kernels.acts import NET
from big2_agents.kernels.selfplay import Features
from big2_agents.train.candidate_ppo import Learner
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.network import sample, scores, subset
from big2_agents.train.self_play import seat_players
from big2_agents.train.updates import minibatches, step


class MonteCarlo(Learner):
    """Deep Monte Carlo on candidate PPO's network and games: its scores are Q, in scaled payoffs."""

    def __init__(self, args: CandidatePpoParameters, epsilon: float) -> None:
        super().__init__(args)
        self.epsilon = epsilon
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=args.learning_rate, eps=1e-5)

    def iterate(self) -> dict[str, float]:
        """One round of games, and one pass over its choices."""
        rng = np.random.default_rng([self.args.seed, self.iteration])
        with self.policy.precision(self.args.bfloat16):
            features, targets = self.play(rng)
            loss = self.learn(features, targets, rng)
        self.iteration += 1
        self.choices += len(targets)
        return {"loss": loss}

    @torch.no_grad()
    def play(self, rng: np.random.Generator) -> tuple[Features, Any]:
        """The choices of games to the end, the play made as the only candidate of each, and their payoffs, float32 (n,)."""
        games = self.games
        number = len(games.games)
        controllers = seat_players(rng, number, games.seats, self.args.opponent_share, self.opponents, with_past=False)
        games.deal(rng.integers(0, 2**63, number), controllers)
        states, plays, keys = [], [], []
        while len(rows := games.advance()):
            features = games.features(rows)
            counts = np.diff(features.offsets)
            chosen = sample(scores(self.policy, features)[0].cpu().numpy(), features.offsets, None)
            explores = rng.random(len(rows)) < self.epsilon
            chosen[explores] = rng.integers(0, counts[explores])
            states.append(features.states)
            plays.append(features.plays[features.places(chosen)])
            keys.append(rows * games.seats + games.games.turn[rows])
            games.choose(rows, chosen)
        payoffs = (games.payoffs() / self.scale).astype(np.float32).reshape(-1)
        key = np.concatenate(keys)
        assert (controllers.reshape(-1)[key] == NET).all()
        nothing = np.empty((0, 0), np.int8)
        return Features(np.concatenate(states), nothing, np.concatenate(plays), np.arange(len(key) + 1)), payoffs[key]

    def learn(self, features: Features, targets: Any, rng: np.random.Generator) -> float:
        """Least squares on the plays made, one pass; the mean squared error."""
        losses = []
        for rows in minibatches(len(targets), self.args.minibatch, rng):
            value = scores(self.policy, subset(features, rows))[0]
            loss = torch.nn.functional.mse_loss(value, self.policy.to_device(targets[rows]))
            step(loss, self.policy, self.optimizer)
            losses.append(loss.item())
        return float(np.mean(losses))


def main(
    minutes: Annotated[float, typer.Option(help="Wall-clock minutes of learning for each.")] = 10.0,
    points: Annotated[int, typer.Option(min=1, help="How often each is measured.")] = 5,
    ruleset: Annotated[str, typer.Option(help="The games' rules.")] = "big2",
    games: Annotated[int, typer.Option(min=4, help="Games an iteration.")] = 1024,
    deals: Annotated[int, typer.Option(min=1, help="Deals of a measurement, each in all four seats.")] = 1000,
    opponent_share: Annotated[float, typer.Option(help="Fraction of games with rule players in some seats.")] = 0.9,
    epsilon: Annotated[float, typer.Option(help="How often deep Monte Carlo explores.")] = 0.01,
    seed: Annotated[int, typer.Option()] = 1,
    json: Annotated[Path | None, typer.Option(help="Where the figures go.")] = None,
) -> None:
    """Print win rates of both by minutes of learning."""
    torch.set_num_threads(1)
    few = CandidatePpoParameters(ruleset=ruleset, games=4, minibatch=8)
    for learner in (Learner(few), MonteCarlo(few, epsilon)):
        learner.iterate()  # compiles what is not cached
    common = {
        "ruleset": ruleset,
        "minutes": minutes,
        "seed": seed,
        "games": games,
        "opponent_share": opponent_share,
        "evaluation_deals": deals,
    }
    learners: dict[str, Learner] = {
        "PPO": Learner(CandidatePpoParameters(**common, learning_rate=7e-4)),  # type: ignore[arg-type]
        "deep Monte Carlo": MonteCarlo(CandidatePpoParameters(**common, learning_rate=7e-4), epsilon),  # type: ignore[arg-type]
    }
    found: list[dict[str, Any]] = []
    opponents = ("random", "greedy", "heuristic")
    console = Console(soft_wrap=True)
    table = Table(
        "minutes", "learner", "choices", "random", "greedy", "heuristic", title=f"wins alone against three, {ruleset}"
    )
    for point in range(1, points + 1):
        until = minutes * point / points
        while any(learner.minutes < until for learner in learners.values()):
            for learner in learners.values():
                if learner.minutes < until:
                    start = time.perf_counter()
                    learner.iterate()
                    learner.minutes += (time.perf_counter() - start) / 60
        for name, learner in learners.items():
            row = {"learner": name, "minutes": learner.minutes, "choices": learner.choices, **learner.evaluate()}
            found.append(row)
            rates = [f"{row[f'wins_{opponent}']:.1%}" for opponent in opponents]
            table.add_row(f"{learner.minutes:.1f}", name, f"{learner.choices:,}", *rates)
            console.print(f"{learner.minutes:.1f} min {name}: {' '.join(rates)}", style="dim", highlight=False)
    console.print(table)
    if json:
        settings = {**common, "epsilon": epsilon, "points": points}
        write_json(
            json, {"settings": settings, "machine": machine(), "versions": versions(["big2_env", "torch"]), "results": found}
        )


if __name__ == "__main__":
    typer.run(main)
