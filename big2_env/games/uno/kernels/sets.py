"""Sets of ages, as the low and the high word of 128 bits: which cards are of a colour, a face, a kind."""

from __future__ import annotations

from typing import Any

from big2_env.kernels.dialect.bits import U, lowest_bit, popcount
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.vectors import places_where


@kernel(entry=True)
def of_card(g: Any, code: Any) -> Any:
    """The ages of a card, by its code; those from `taken` on have no meaning, here and below."""
    return places_where(g.codes, 255, code, 1)


@kernel(entry=True)
def of_face(g: Any, face: Any) -> Any:
    """The ages of a face."""
    return places_where(g.codes, 15, face, 1)


@kernel(entry=True)
def of_faces(g: Any, first: Any, number: Any) -> Any:
    """The ages of several faces in a row."""
    return places_where(g.codes, 15, first, number)


@kernel(entry=True)
def of_colour(g: Any, colour: Any) -> Any:
    """The ages of a colour."""
    return places_where(g.codes, 240, colour << 4, 1)


@kernel(entry=True)
def until(taken: Any) -> Any:
    """The first so many ages."""
    low = ~U(0) if taken >= 64 else (U(1) << U(taken)) - U(1)
    return low, U(0) if taken <= 64 else (U(1) << U(taken - 64)) - U(1)


@kernel(entry=True)
def oldest(low: Any, high: Any) -> Any:
    """The lowest of a set of ages that is not empty."""
    return lowest_bit(low) if low != U(0) else 64 + lowest_bit(high)


@kernel(entry=True)
def size(low: Any, high: Any) -> Any:
    """How many ages a set has."""
    return popcount(low) + popcount(high)
