"""Evolution strategy with a normal distribution that has its own spread along each coordinate.

Source: R. Ros, N. Hansen, "A Simple Modification in CMA-ES Achieving Linear Time and Space Complexity", 2008 (sep-CMA-ES).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from big2_env.base.errors import ConfigError

Array = npt.NDArray[Any]


class Evolution:
    """Maximizer of a noisy function: `points` proposes points, `learn` takes their values."""

    def __init__(self, size: int, population: int, sigma: float) -> None:
        if size < 1 or population < 4:
            raise ConfigError(f"expected at least 1 coordinate and a population of 4, got {size} and {population}")
        self.mean: Array = np.zeros(size)
        """Mean of the distribution, float64 (size,)."""
        self.average: Array = np.zeros(size)
        """Moving average of the mean, which has less noise."""
        self.sigma = sigma
        """Spread of points around the mean, in steps."""
        self.generation = 0
        self._population = population
        self._variance: Array = np.ones(size)
        self._path: Array = np.zeros(size)
        self._sigma_path: Array = np.zeros(size)

    def points(self, rng: np.random.Generator) -> Array:
        """Return the points of a generation, float64 (population, size), in pairs opposite of each other."""
        half = rng.standard_normal((-(-self._population // 2), len(self.mean)))
        draws = np.concatenate([half, -half])[: self._population]
        found: Array = self.mean + self.sigma * np.sqrt(self._variance) * draws
        return found

    def learn(self, points: Array, values: Array) -> None:
        """Move towards the points with the highest values, float64 (population,)."""
        size, number = len(self.mean), self._population
        parents = number // 2
        weights = math.log((number + 1) / 2) - np.log(np.arange(1, parents + 1))
        weights /= weights.sum()
        mass = 1 / float((weights**2).sum())
        rate = (mass + 2) / (size + mass + 5)
        damping = 1 + 2 * max(0.0, math.sqrt((mass - 1) / (size + 1)) - 1) + rate
        path_rate = (4 + mass / size) / (size + 4 + 2 * mass / size)
        one = 2 / ((size + 1.3) ** 2 + mass)
        many = min(1 - one, 2 * (mass - 2 + 1 / mass) / ((size + 2) ** 2 + mass))
        faster = (size + 2) / 3  # only the diagonal is learned
        one, many = min(0.5, one * faster), min(0.5, many * faster)

        best = points[np.argsort(-values, kind="stable")[:parents]]
        deviations = (best - self.mean) / self.sigma
        step = weights @ deviations
        self.mean = self.mean + self.sigma * step
        self._sigma_path = (1 - rate) * self._sigma_path + math.sqrt(rate * (2 - rate) * mass) * step / np.sqrt(self._variance)
        self.generation += 1
        length = float(np.linalg.norm(self._sigma_path))
        usual = math.sqrt(size) * (1 - 1 / (4 * size) + 1 / (21 * size**2))
        is_short = length / math.sqrt(1 - (1 - rate) ** (2 * self.generation)) < (1.4 + 2 / (size + 1)) * usual
        self._path = (1 - path_rate) * self._path + is_short * math.sqrt(path_rate * (2 - path_rate) * mass) * step
        self._variance = (
            (1 - one - many) * self._variance + one * self._path**2 + many * (weights[:, None] * deviations**2).sum(axis=0)
        )
        self.sigma *= math.exp(min(1.0, rate / damping * (length / usual - 1)))
        share = max(0.04, 1 / self.generation)
        self.average = (1 - share) * self.average + share * self.mean
