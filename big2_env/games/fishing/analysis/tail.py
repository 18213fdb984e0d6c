"""Tail of the game length T: after enough plays, every further play ends the game with the same probability.

All values are measured on simulated games and fitted. Nothing here is proven for the game.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from big2_env.base.errors import ConfigError
from big2_env.games.fishing.simulate import Tally
from big2_env.runs.intervals import Estimate, normal

TAIL_FROM: Final = 2000
"""First play after which the hazard of the 54-card game shows no trend."""


@dataclass(frozen=True)
class Tail:
    """Exponential tail P(T > t) = weight exp(-t / scale) for t >= `start`."""

    start: int
    games: int
    """Number of games longer than `start`."""
    rate: float
    """Hazard: the probability that a play ends the game."""
    scale: Estimate
    """1 / -log(1 - rate), in plays."""
    weight: float
    variation: float
    """Coefficient of variation of T - start, given T > start; 1 for an exponential distribution."""
    distance: float
    """Kolmogorov-Smirnov distance from the geometric distribution, times the square root of the number of games."""

    def survival(self, t: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the fitted P(T > t)."""
        return np.asarray(self.weight * np.exp(-t / self.scale.mean))


def fitted_tail(tally: Tally, start: int = TAIL_FROM) -> Tail:
    """Fit a geometric distribution to T - start, given T > start, by maximum likelihood.

    The estimated rate is 1 / (mean of T - start). The interval of the scale is the interval of that mean.

    Args:
        tally: Simulated games.
        start: Play after which the tail begins.

    Raises:
        ConfigError: Fewer than two games are longer than `start`.
    """
    lengths, counts = tally.counts()
    longer = lengths > start
    over, number = lengths[longer] - start, counts[longer]
    games = int(number.sum())
    if games < 2 or int(over @ number) == games:
        raise ConfigError(f"expected at least two games of more than {start} plays, not all of one play more, got {games}")
    mean = int(over @ number) / games
    sd = math.sqrt(float(((over - mean) ** 2) @ number) / (games - 1))
    rate = 1 / mean
    scale = -1 / math.log1p(-rate)
    share = games / int(counts.sum())
    upto = np.cumsum(number) / games
    by_law = -np.expm1(-over / scale)
    before = -np.expm1(-(over - 1) / scale)  # just under a step of the games' own distribution, the law has come this far
    distance = max(float(np.abs(upto - by_law).max()), float(np.abs(np.r_[0.0, upto[:-1]] - before).max()))
    return Tail(
        start=start,
        games=games,
        rate=rate,
        scale=normal(scale, sd / math.sqrt(games), games),
        weight=share * math.exp(start / scale),
        variation=sd / mean,
        distance=distance * math.sqrt(games),
    )


def hazard(tally: Tally, edges: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the probability that a play ends the game, for each interval of plays.

    Args:
        tally: Simulated games.
        edges: Ascending play numbers. Interval i has the plays edges[i] + 1 to edges[i + 1].

    Returns:
        Games that ended in each interval divided by plays made in it, float64, one value fewer than `edges`; NaN if no game
        reached the interval.
    """
    lengths, counts = tally.counts()
    ended, made = [], []
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        inside = (lengths > low) & (lengths <= high)
        ended.append(int(counts[inside].sum()))
        made.append(int((np.minimum(lengths, high) - low)[lengths > low] @ counts[lengths > low]))
    with np.errstate(invalid="ignore"):
        return np.asarray(np.array(ended, np.float64) / np.array(made, np.float64))


def residual_life(tally: Tally, start: int) -> Estimate:
    """Return the mean of T - start over the games longer than `start`.

    Raises:
        ConfigError: Fewer than two games are longer than `start`.
    """
    lengths, counts = tally.counts()
    longer = lengths > start
    over, number = lengths[longer] - start, counts[longer]
    games = int(number.sum())
    if games < 2:
        raise ConfigError(f"expected at least two games of more than {start} plays, got {games}")
    mean = int(over @ number) / games
    sd = math.sqrt(float(((over - mean) ** 2) @ number) / (games - 1))
    return normal(mean, sd / math.sqrt(games), games)
