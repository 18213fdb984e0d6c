"""Payoffs and values as people read them."""

from __future__ import annotations


def points(value: float, *, signed: bool = True) -> str:
    """A payoff: whole numbers without a fraction, others with at most three decimals, no zero with a sign.

    >>> points(1.0), points(-1 / 3), points(-0.0), points(2.5, signed=False)
    ('+1', '-0.333', '0', '2.5')
    """
    if isinstance(value, int):  # it may be longer than a float
        return f"{value:+d}" if signed and value else f"{value:d}"
    rounded = round(value, 3) or 0.0
    text = f"{rounded:+.3f}" if signed and rounded else f"{rounded:.3f}"
    return text.rstrip("0").rstrip(".")


def estimate(value: float, *, signed: bool = True) -> str:
    """A mean: two decimals below 10, one below 100, then none; a zero has no sign.

    >>> estimate(0.125), estimate(-1 / 3), estimate(-0.001), estimate(37.24, signed=False), estimate(-250.0)
    ('+0.12', '-0.33', '0.00', '37.2', '-250')
    """
    digits = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    rounded = round(value, digits) or 0.0
    return f"{rounded:+.{digits}f}" if signed and rounded else f"{rounded:.{digits}f}"
