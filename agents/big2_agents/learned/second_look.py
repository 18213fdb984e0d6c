"""Second look at the best candidates of a search: playouts by `learned` instead of rule-based agents.

Rule-based agents misjudge some decisions by much more than the noise of their playouts, such as bombs that multiply the stake
or calls of an auction. More of their playouts do not help there, but playouts by a better player do. These are slow, so only a
few candidates have them. Both looks count equally, since their errors are of different kinds: bias and noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from big2_agents.estimates import Estimate
from big2_env.climbing.play import Play

CONTESTANTS: Final = 4
"""Number of candidates that are tried again."""
DEALS: Final = 64
"""Sampled deals of a second look."""


def contestants(found: Sequence[Estimate], kept: Sequence[Play]) -> list[int]:
    """Return the indices of the estimates to try again: the best ones, and kept moves.

    Args:
        found: Estimates, the best first.
        kept: Moves that are tried again in any case.
    """
    return [i for i, each in enumerate(found) if each.samples and (i < CONTESTANTS or each.play in kept)]


def looked_again(found: Sequence[Estimate], tried: Sequence[int], paid: Any) -> list[Estimate]:
    """Return estimates that take account of a second look: candidates tried again, the best first, then the others.

    The second look sets the level of all values. Candidates without one keep their distance from the first candidate.

    Args:
        found: Estimates of the first look, the best first.
        tried: Indices of the candidates that were tried again, beginning with 0.
        paid: Payoffs of each on the same sampled deals, (number tried, deals).
    """
    deals = paid.shape[1]
    level = float(paid[0].mean()) - found[0].value
    again = []
    for i, payoffs in zip(tried, paid, strict=True):
        first = found[i]
        value = (first.value + level + float(payoffs.mean())) / 2
        error = math.hypot(first.error, float(payoffs.std()) / math.sqrt(deals)) / 2
        again.append(Estimate(first.play, value, error, first.samples + deals))
    again.sort(key=lambda each: -each.value)
    rest = [replace(each, value=each.value + level) for i, each in enumerate(found) if i not in tried]
    return [*again, *rest]
