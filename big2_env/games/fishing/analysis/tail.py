"""The tail of the length T: from some play on, each play ends the game with one and the same probability.

What is here is measured on simulated games and fitted; no figure is proven for the game.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from big2_env.errors import ConfigError
from big2_env.games.fishing.simulate import Tally
from big2_env.runs.intervals import Estimate, normal

TAIL_FROM: Final = 2000
"""The play from which on the hazard of the 54-card game shows no trend."""


@dataclass(frozen=True)
class Tail:
    """P(T > t) = weight exp(-t / scale), for t from `start` on."""

    start: int
    games: int
    """Games that were longer than `start`."""
    rate: float
    """The hazard: the chance that a play ends the game."""
    scale: Estimate
    """1 / -log(1 - rate), in plays."""
    weight: float
    variation: float
    """Standard deviation of T - start by its mean, given T > start; 1 for an exponential law."""
    distance: float
    """Kolmogorov and Smirnov's largest distance from the geometric law, times the root of the number of games."""

    def survival(self, t: NDArray[np.float64]) -> NDArray[np.float64]:
        """P(T > t) by the fit."""
        return np.asarray(self.weight * np.exp(-t / self.scale.mean))


def fitted_tail(tally: Tally, start: int = TAIL_FROM) -> Tail:
    """The geometric law of most likelihood for T - start, given T > start.

    The estimate of the rate is 1 / (mean of T - start); the interval of the scale is that mean's.

    Raises:
        ConfigError: fewer than two games are longer than `start`.
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
    """The chance that a play ends the game, by stretch of plays: float64, one shorter than `edges`.

    Stretch i has the plays edges[i] + 1 to edges[i + 1]; the figure is games that ended there by plays made there. NaN where no
    game got so far.
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
    """The mean of T - start over the games that are longer than `start`.

    Raises:
        ConfigError: fewer than two are.
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
