"""Means and shares with 95 % intervals.

Source of the bootstrap: B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONFIDENCE: Final = 0.95
NORMAL_95: Final = 1.959963984540054
"""Half the width of a 95 % interval of the normal distribution, in standard errors."""
RESAMPLES: Final = 2000
"""Bootstrap samples of an interval."""
_AT_ONCE: Final = 1 << 20
"""Numbers drawn at once, a bound for the memory."""
_SEED: Final = 0
"""Equal observations give an equal interval."""


class Estimate(NamedTuple):
    """A mean with half the width of its interval."""

    mean: float
    half_width: float
    """NaN where there are too few observations."""
    number: int
    """Number of observations."""

    @property
    def error(self) -> float:
        """The standard error, for intervals by the normal distribution."""
        return self.half_width / NORMAL_95

    @property
    def _has_interval(self) -> bool:
        return self.number > 1 and not math.isnan(self.half_width)

    def __str__(self) -> str:
        return f"{self.mean:.4g}" if not self._has_interval else f"{self.mean:.4g} ± {self.half_width:.2g}"

    def __format__(self, form: str) -> str:
        """Mean and half width in a format of numbers, the mean alone where there are too few observations."""
        if not form:
            return str(self)
        return f"{self.mean:{form}}" if not self._has_interval else f"{self.mean:{form}} ± {self.half_width:{form}}"


class Interval(NamedTuple):
    """A mean with the ends of its interval."""

    mean: float
    low: float
    """NaN where there are too few observations."""
    high: float


def normal(mean: float, error: float, number: int) -> Estimate:
    """An estimate from its standard error, by the normal distribution: for large numbers of observations.

    >>> print(normal(10, 1, 500))
    10 ± 2
    """
    return Estimate(mean, NORMAL_95 * error, number)


def student(values: Sequence[float]) -> Estimate:
    """The mean of independent observations with Student's interval.

    Raises:
        ImportError: scipy is not installed.
    """
    number = len(values)
    mean = math.fsum(values) / number if number else math.nan
    if number < 2:
        return Estimate(mean, math.nan, number)
    variance = math.fsum((value - mean) ** 2 for value in values) / (number - 1)
    try:
        from scipy.special import stdtrit
    except ImportError:
        raise _needs_scipy() from None
    return Estimate(mean, float(stdtrit(number - 1, (1 + CONFIDENCE) / 2)) * math.sqrt(variance / number), number)


def wilson(number: int, of: int) -> tuple[float, float]:
    """The interval of a share, by Wilson's formula.

    >>> [round(end, 3) for end in wilson(90, 100)]
    [0.826, 0.945]
    """
    share, z = number / of, NORMAL_95 * NORMAL_95 / of
    half = NORMAL_95 * math.sqrt(share * (1 - share) / of + z / of / 4)
    return (share + z / 2 - half) / (1 + z), (share + z / 2 + half) / (1 + z)


def bootstrap(values: NDArray[np.float64]) -> Interval:
    """The mean of independent observations, float64 (n,), with its percentile bootstrap interval.

    Raises:
        ImportError: scipy is not installed.
    """
    mean = math.fsum(values) / len(values) if len(values) else math.nan
    if len(values) < 2:
        return Interval(mean, math.nan, math.nan)
    import numpy as np

    try:
        from scipy.stats import bootstrap as resampled
    except ImportError:
        raise _needs_scipy() from None
    found: Any = resampled(
        (values,),
        np.mean,
        n_resamples=RESAMPLES,
        batch=max(1, _AT_ONCE // len(values)),
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(_SEED),
    ).confidence_interval
    return Interval(mean, float(found.low), float(found.high))


def _needs_scipy() -> ImportError:
    return ImportError("intervals need scipy: pip install 'big2_env[arena]'")
