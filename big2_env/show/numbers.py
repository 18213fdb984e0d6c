"""Payoffs and values as people read them."""

from __future__ import annotations


def points(value: float, *, signed: bool = True) -> str:
    """A payoff: whole numbers without a fraction, others with at most three decimals, no zero with a sign.

    >>> points(1.0), points(-1 / 3), points(-0.0), points(2.5, signed=False)
    ('+1', '-0.333', '0', '2.5')
    """
    rounded = round(value, 3) or 0.0
    text = f"{rounded:+.3f}" if signed and rounded else f"{rounded:.3f}"
    return text.rstrip("0").rstrip(".")
