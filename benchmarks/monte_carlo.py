"""Candidate PPO compared with deep Monte Carlo: strength from scratch after the same wall-clock time.

    OMP_NUM_THREADS=1 python benchmarks/monte_carlo.py --minutes 10 --record

Both learners have the same network over candidate plays, the same features, games, share of opponents and batch size. They
take turns of one iteration, so that a slow moment of the machine affects both alike. Deep Monte Carlo (Zha et al., arXiv
2106.06135) learns Q(view, play), the payoff at the end of the game, by least squares on the plays made. It plays the
largest Q, or any play with probability `--epsilon`. PPO is `big2_agents.train.candidate_ppo`.

Each row shows, for one learner at one time, the decisions it learned from and the share of games that its best plays win
against three players of each compiled rule-based agent. Measuring does not count as time.

Needs PyTorch. Takes twice `--minutes`, plus some minutes of measuring.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import torch
import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row
from rich.console import Console
from rich.table import Table

from big2_agents.kernels.codes import NET
from big2_agents.train.candidate_ppo import Learner
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.network import Decisions, sample, scores
from big2_agents.train.self_play import seat_players
from big2_agents.train.updates import minibatches, step
from big2_env.runs.origin import machine, versions


class MonteCarlo(Learner):
    """Deep Monte Carlo on candidate PPO's network and games; its scores are Q, in scaled payoffs.

    Args:
        args: Hyperparameters, as for PPO.
        epsilon: Probability of a random play.
    """

    def __init__(self, args: CandidatePpoParameters, epsilon: float) -> None:
        super().__init__(args)
        self.epsilon = epsilon
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=args.learning_rate, eps=1e-5)

    def iterate(self) -> dict[str, float]:
        """Play one batch of games, learn from its decisions in one pass, and return the loss."""
        rng = np.random.default_rng([self.args.seed, self.iteration])
        with self.policy.precision(self.args.bfloat16):
            features, targets = self.play(rng)
            loss = self.learn(features, targets, rng)
        self.iteration += 1
        self.choices += len(targets)
        return {"loss": loss}

    @torch.no_grad()
    def play(self, rng: np.random.Generator) -> tuple[Decisions, Any]:
        """Play games to their ends; return decisions, the play made as their only candidate, and payoffs, float32 (n,)."""
        games = self.games
        number = len(games.games)
        controllers = seat_players(rng, number, games.seats, self.args, self.opponents, with_past=False)
        games.deal(rng.integers(0, 2**63, number), controllers)
        states, plays, keys = [], [], []
        while len(rows := games.advance()):
            features = Decisions.of(games.features(rows), self.policy.device)
            counts = features.offsets.diff().numpy()
            chosen, _ = sample(scores(self.policy, features)[0].cpu().numpy(), features.offsets.numpy(), None)
            explores = rng.random(len(rows)) < self.epsilon
            chosen[explores] = rng.integers(0, counts[explores])
            states.append(features.states)
            plays.append(features.plays[features.places(chosen)])
            keys.append(rows * games.seats + games.games.turn[rows])
            games.choose(rows, chosen)
        payoffs = (games.payoffs() / self.scale).astype(np.float32).reshape(-1)
        key = np.concatenate(keys)
        assert (controllers.reshape(-1)[key] == NET).all()
        nothing = torch.empty((0, 0), dtype=torch.int8)
        return Decisions(torch.cat(states), nothing, torch.cat(plays), torch.arange(len(key) + 1)), payoffs[key]

    def learn(self, features: Decisions, targets: Any, rng: np.random.Generator) -> float:
        """Fit payoffs by least squares in one pass, and return the mean squared error."""
        losses = []
        for rows in minibatches(len(targets), self.args.minibatch, rng):
            value = scores(self.policy, features.subset(rows)[0])[0]
            loss = torch.nn.functional.mse_loss(value, self.policy.to_device(targets[rows]))
            step(loss, self.policy, self.optimizer)
            losses.append(loss.item())
        return float(np.mean(losses))


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield each learner's decisions and wins at the end."""
    last = {one["learner"]: one for one in report["results"]}
    for name, one in last.items():
        after = f"after {report['settings']['minutes']:g} minutes of {name} in {report['settings']['ruleset']}"
        yield Row(f"decisions learned from {after}", one["choices"], "decisions")
        for opponent in ("random", "greedy", "heuristic"):
            yield Row(f"wins against three {opponent} {after}", 100 * one[f"wins_{opponent}"], "%")


def main(
    minutes: Annotated[float, typer.Option(help="Minutes of learning per learner.")] = 10.0,
    points: Annotated[int, typer.Option(min=1, help="Measurements per learner.")] = 5,
    ruleset: Annotated[str, typer.Option(help="Ruleset of the games.")] = "big2",
    games: Annotated[int, typer.Option(min=4, help="Games per iteration.")] = 1024,
    deals: Annotated[int, typer.Option(min=1, help="Deals per measurement, each in all four seats.")] = 1000,
    opponent_share: Annotated[float, typer.Option(help="Fraction of games with rule-based players in some seats.")] = 0.9,
    epsilon: Annotated[float, typer.Option(help="Probability of a random play in deep Monte Carlo.")] = 0.01,
    seed: Annotated[int, typer.Option(help="Seed of networks and games.")] = 1,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure win rates of both learners by minutes of learning."""
    recorder = Recorder("monte_carlo")
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
        "heuristic_features": True,
    }
    learners: dict[str, Learner] = {
        "PPO": Learner(CandidatePpoParameters(**common, learning_rate=7e-4)),  # type: ignore[arg-type]
        "deep Monte Carlo": MonteCarlo(CandidatePpoParameters(**common, learning_rate=7e-4), epsilon),  # type: ignore[arg-type]
    }
    found: list[dict[str, Any]] = []
    opponents = ("random", "greedy", "heuristic")
    console = Console(soft_wrap=True)
    table = Table(
        "minutes", "learner", "decisions", "random", "greedy", "heuristic", title=f"wins against three players, {ruleset}"
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
    settings = {**common, "epsilon": epsilon, "points": points}
    about = {"settings": settings, "machine": machine(), "versions": versions(["big2_env", "torch"])}
    recorder.save({**about, "results": found}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
