"""Means and shares with 95% intervals.

Source of the bootstrap: B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONFIDENCE: Final = 0.95
FEWEST: Final = 5
"""Fewest observations with an interval. With two it would be far too wide, or without width if they are equal."""
NORMAL_95: Final = 1.959963984540054
"""Half the width of a 95% interval of the normal distribution, in standard errors."""
_MANY_FREE: Final = 1000
"""Degrees of freedom from which Student's distribution is computed by a series in their inverse."""
RESAMPLES: Final = 2000
"""Bootstrap samples per interval."""
_AT_ONCE: Final = 1 << 20
"""Numbers drawn at once, which bounds the memory."""
_SEED: Final = 0
"""Fixed seed, so that equal observations give equal intervals."""


class Estimate(NamedTuple):
    """A mean with half the width of its interval."""

    mean: float
    half_width: float
    """NaN if there are fewer than `FEWEST` observations."""
    number: int

    @property
    def error(self) -> float:
        """Standard error, for an interval from the normal distribution."""
        return self.half_width / NORMAL_95

    @property
    def has_interval(self) -> bool:
        """True if the interval is known."""
        return not math.isnan(self.half_width)

    def as_json(self, unit: str, digits: int | None = None) -> dict[str, float | None]:
        """Return the estimate as JSON values: `mean` and `half_width` (`None` if not known) and the number of observations.

        Args:
            unit: Key of the number, such as `deals`.
            digits: Decimals of the others; all by default.
        """
        mean, half = self[:2] if digits is None else (round(value, digits) for value in self[:2])
        return {"mean": known(mean), "half_width": known(half), unit: self.number}

    def __str__(self) -> str:
        return f"{self.mean:.4g}" if not self.has_interval else f"{self.mean:.4g} ± {self.half_width:.2g}"

    def __format__(self, form: str) -> str:
        """Format the mean and the half width with the same number format; the mean alone without an interval."""
        if not form:
            return str(self)
        return f"{self.mean:{form}}" if not self.has_interval else f"{self.mean:{form}} ± {self.half_width:{form}}"


def known(value: float) -> float | None:
    """Return a number for JSON: `None` instead of NaN and infinity."""
    return value if math.isfinite(value) else None


class Interval(NamedTuple):
    """A mean with the ends of its interval."""

    mean: float
    low: float
    """NaN if there are fewer than `FEWEST` observations, like `high`."""
    high: float


def normal(mean: float, error: float, number: int) -> Estimate:
    """Return an estimate from a standard error by the normal distribution, for many observations.

    >>> print(normal(10, 1, 500))
    10 ± 2
    """
    return Estimate(mean, NORMAL_95 * error if number >= FEWEST else math.nan, number)


def student(values: Sequence[float]) -> Estimate:
    """Return the mean of independent observations with Student's 95% interval."""
    number = len(values)
    mean = math.fsum(values) / number if number else math.nan
    if number < FEWEST:
        return Estimate(mean, math.nan, number)
    variance = math.fsum((value - mean) ** 2 for value in values) / (number - 1)
    return Estimate(mean, student_95(number - 1) * math.sqrt(variance / number), number)


@cache
def student_95(freedom: int) -> float:
    """Return half the width of a 95% interval of Student's distribution, in standard errors.

    Source: M. Abramowitz, I. A. Stegun, "Handbook of Mathematical Functions", 1964, 26.7.3 and 26.7.4; for many degrees of
    freedom 26.7.5.

    Args:
        freedom: Degrees of freedom, 1 or more.

    >>> [round(student_95(freedom), 6) for freedom in (1, 4, 10**6)]
    [12.706205, 2.776445, 1.959966]
    """
    if freedom >= _MANY_FREE:
        z = NORMAL_95
        terms = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
            (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
        )
        return z + math.fsum(term / freedom**power for power, term in enumerate(terms, start=1))
    low, high = NORMAL_95, 13.0
    for _ in range(60):  # each halves the width, to less than a rounding error
        middle = (low + high) / 2
        low, high = (middle, high) if _student_share(middle, freedom) < CONFIDENCE else (low, middle)
    return (low + high) / 2


def _student_share(t: float, freedom: int) -> float:
    """Return the probability that Student's t is between `-t` and `t`."""
    cos2, sin = freedom / (freedom + t * t), t / math.sqrt(freedom + t * t)
    is_odd = freedom % 2
    term, total = (math.sqrt(cos2) if is_odd else 1.0), 0.0
    for k in range(1, freedom // 2 + 1):
        total += term
        term *= cos2 * (2 * k / (2 * k + 1) if is_odd else (2 * k - 1) / (2 * k))
    return 2 / math.pi * (math.asin(sin) + sin * total) if is_odd else sin * total


def wilson(number: int, of: int) -> tuple[float, float]:
    """Return the ends of the 95% interval of a share, by Wilson's formula.

    Args:
        number: Successes.
        of: Trials, at least 1.

    >>> [round(end, 3) for end in wilson(90, 100)]
    [0.826, 0.945]
    """
    share, z = number / of, NORMAL_95 * NORMAL_95 / of
    half = NORMAL_95 * math.sqrt(share * (1 - share) / of + z / of / 4)
    return (share + z / 2 - half) / (1 + z), (share + z / 2 + half) / (1 + z)


def bootstrap(values: NDArray[np.float64]) -> Interval:
    """Return the mean of independent observations with its percentile bootstrap interval.

    Args:
        values: Observations, shape `(n,)`. With fewer than `FEWEST` the interval is NaN.
    """
    mean = math.fsum(values) / len(values) if len(values) else math.nan
    if len(values) < FEWEST:
        return Interval(mean, math.nan, math.nan)
    import numpy as np

    rng, rows = np.random.default_rng(_SEED), max(1, _AT_ONCE // len(values))
    means = [
        values[rng.integers(0, len(values), (min(rows, RESAMPLES - first), len(values)))].mean(axis=1)
        for first in range(0, RESAMPLES, rows)
    ]
    low, high = np.percentile(np.concatenate(means), [50 * (1 - CONFIDENCE), 50 * (1 + CONFIDENCE)])
    return Interval(mean, float(low), float(high))
