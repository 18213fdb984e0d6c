"""Second look at the best candidates of a search: playouts by `learned` instead of rule-based agents.

Rule-based agents misjudge some decisions by much more than the noise of their playouts, such as bombs that multiply the stake
or calls of an auction. More of their playouts do not help there, but playouts by a better player do. These are slow, so only a
few candidates have them. Differences between candidates count equally in both looks, since their errors are of different kinds:
bias and noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from big2_agents.kernels.estimates import Estimate
from big2_env.climbing.play import Play

FINALISTS: Final = 4
"""Number of candidates that are tried again."""
DEALS: Final = 64
"""Sampled deals of a second look."""


def finalists(found: Sequence[Estimate], kept: Sequence[Play]) -> list[int]:
    """Return the indices of the estimates to try again: the best ones, and kept moves.

    Args:
        found: Estimates, the best first.
        kept: Moves that are tried again in any case.
    """
    return [i for i, each in enumerate(found) if each.samples and (i < FINALISTS or each.play in kept)]


def looked_again(found: Sequence[Estimate], tried: Sequence[int], paid: Any) -> list[Estimate]:
    """Return estimates that take account of a second look: candidates tried again, the best first, then the others.

    With f and p as the values of both looks and 0 as the first candidate, candidate i has the value
    (f_i - f_0 + p_0 + p_i) / 2. The others keep their distance from the first candidate, but none is better than the worst that
    was tried again.

    Args:
        found: Estimates of the first look, the best first.
        tried: Indices of the candidates that were tried again, beginning with 0.
        paid: Payoffs of each on the same sampled deals, (number tried, deals).
    """
    deals, leader = paid.shape[1], found[0]
    level = float(paid[0].mean()) - leader.value
    again = []
    for i, payoffs in zip(tried, paid, strict=True):
        first = found[i]
        error = _error_of_mean((paid[0] + payoffs) / 2)
        if i > 0:
            error = math.hypot(error, first.error / 2, leader.error / 2)
        again.append(Estimate(first.play, (first.value + level + float(payoffs.mean())) / 2, error, first.samples + deals))
    again.sort(key=lambda each: -each.value)
    rest = []
    for i, each in enumerate(found):
        if i not in tried:
            error = math.hypot(each.error, leader.error, _error_of_mean(paid[0]))
            rest.append(replace(each, value=min(each.value + level, again[-1].value), error=error))
    return [*again, *rest]


def _error_of_mean(payoffs: Any) -> float:
    return float(payoffs.std(ddof=1)) / math.sqrt(len(payoffs))
