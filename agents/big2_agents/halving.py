"""Sequential halving: the rest of the budget goes to the better half of the candidates, again and again.

Karnin, Koren, Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", ICML 2013.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from big2_agents.estimates import Estimate
from big2_env.climbing.play import Play

DEEPEST: Final = -4.0
"""Scores further below the best are taken for this."""
PlayOut: TypeAlias = Callable[[Sequence[int], int, list[float], list[float]], tuple[float, float]]
"""Tries candidates on so many more deals: `trials.Trials.play_out` without the cards from which on a deal is solved."""


@dataclass(frozen=True)
class Halving:
    """How the candidates of a decision are compared.

    Few play-outs say little: between two plays the means of 100 sampled deals differ by chance as much as by merit. So the
    opinion of the player who lists the candidates counts like `trust` samples more.
    """

    playouts: int | None
    """Play-outs a decision; `None` where milliseconds are given."""
    milliseconds: float | None
    """Time a decision."""
    width: int
    """How many candidates are tried at most, the best ones by their scores."""
    trust: float
    """How many samples the scores count for."""
    slope: float
    """What a difference of 1 in the scores is worth, in standard deviations of the payoff."""
    gap: float
    """Candidates whose scores are so much less than the best one's are not tried."""

    def compare(
        self,
        plays: Sequence[Play],
        scores: Sequence[float],
        play_out: PlayOut,
        unit: float | None = None,
        kept: Sequence[int] = (),
    ) -> list[Estimate]:
        """What the candidates are worth, those tried longest first, of those the best; those of `kept` stay to the end.

        `unit` is what a difference of 1 in the scores is worth in payoff; `None` for `slope` standard deviations.
        """
        best = max(scores)
        alive = sorted(range(len(plays)), key=lambda i: -scores[i])[: self.width]
        alive = _with([i for i in alive if scores[i] >= best - self.gap], kept)
        if len(alive) == 1:
            return [Estimate(plays[alive[0]], 0.0, 0.0, 0)]
        worse = [score - best for score in scores]
        totals, squares, weights, squared_weights = ([0.0] * len(plays) for _ in range(4))
        samples = [0] * len(plays)
        rounds = max(1, math.ceil(math.log2(len(alive))))
        deadline = time.perf_counter() + (self.milliseconds or 0) / 1000
        order: list[int] = []
        for turn in range(rounds):
            until = time.perf_counter() + max(0.0, deadline - time.perf_counter()) / (rounds - turn)
            step = max(1, self.playouts // (rounds * len(alive))) if self.playouts else 2
            while True:
                weight, squared = play_out(alive, step, totals, squares)
                for i in alive:
                    weights[i] += weight
                    squared_weights[i] += squared
                    samples[i] += step
                if self.playouts or time.perf_counter() >= until:
                    break
            spread = _spread(math.fsum(totals), math.fsum(squares), math.fsum(weights))
            by = spread * self.slope if unit is None else unit
            judged = {}
            for i in alive:
                opinion = by * (max(worse[i], DEEPEST) if unit is None else worse[i])
                judged[i] = (samples[i] * (totals[i] / weights[i]) + self.trust * opinion) / (samples[i] + self.trust)
            alive.sort(key=lambda i: -judged[i])
            order = [*alive, *(i for i in order if i not in judged)]
            alive = _with(alive[: max(1, (len(alive) + 1) // 2)], kept)
            if len(alive) == 1:
                break
        found = []
        for i in order:
            error = _spread(totals[i], squares[i], weights[i]) * math.sqrt(squared_weights[i]) / weights[i]
            found.append(Estimate(plays[i], totals[i] / weights[i], error, samples[i]))
        return found


def _with(alive: Sequence[int], kept: Sequence[int]) -> list[int]:
    """Candidates, and those kept that are not among them."""
    return [*alive, *(number for number in kept if number not in alive)]


def _spread(total: float, square: float, weight: float) -> float:
    """The standard deviation of what came to these weighted sums."""
    mean = total / weight
    return math.sqrt(max(0.0, square / weight - mean * mean))
