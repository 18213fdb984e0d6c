"""Decisions of games as arrays, the contents of a piece of a data set."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Rows(NamedTuple):
    """Decisions of m games in order, n rows.

    Observations are zeros and ones, packed eight to a byte, the first in the lowest bit. Legal actions are listed, because
    masks with thousands of entries would dominate the file: row i has `legal[legal_start[i]:legal_start[i + 1]]`, ascending.
    """

    game: Array
    """Number of the game in the data set, int64 (n,)."""
    seat: Array
    """Seat that decided, int8 (n,)."""
    agent: Array
    """Index of its agent in the list of agents, int8 (n,)."""
    action: Array
    """Action id, int32 (n,)."""
    payoff: Array
    """Return: payoff of the seat at the end of the game, float32 (n,)."""
    bits: Array
    """Packed observation of the seat, uint8 (n, ceil(size / 8))."""
    legal: Array
    """Legal actions of all rows, one row after another, int32 (total,)."""
    legal_start: Array
    """Start of each row's legal actions, int64 (n + 1,)."""
    final_bits: Array
    """Packed observation of each seat at the end of each game, uint8 (m, seats, ceil(size / 8))."""

    def observations(self, size: int, which: Any = slice(None)) -> npt.NDArray[np.int8]:
        """Return unpacked observations, int8 (k, size).

        Args:
            size: Entries of an observation.
            which: Index of the rows, all by default.
        """
        return unpack_bits(self.bits[which], size)

    def masks(self, num_actions: int, which: Any = slice(None)) -> npt.NDArray[np.bool_]:
        """Return masks of legal actions, bool (k, num_actions).

        Args:
            num_actions: Number of actions of the ruleset.
            which: Index of the rows, all by default.
        """
        rows = np.arange(len(self.action))[which]
        counts = (self.legal_start[1:] - self.legal_start[:-1])[rows]
        mask = np.zeros((len(rows), num_actions), np.bool_)
        mask[np.repeat(np.arange(len(rows)), counts), self.legal[spans(self.legal_start[rows], counts)]] = True
        return mask

    @property
    def num_legal(self) -> Array:
        """Number of legal actions of each row, int64 (n,); 1 means a forced action."""
        return np.diff(self.legal_start)


def pack_bits(zeros_and_ones: Array) -> npt.NDArray[np.uint8]:
    """Pack the last axis, eight entries to a byte, the first in the lowest bit."""
    return np.packbits(zeros_and_ones, axis=-1, bitorder="little")


def unpack_bits(bits: Array, size: int) -> npt.NDArray[np.int8]:
    """Undo `pack_bits`.

    Args:
        bits: Packed values, uint8 (..., ceil(size / 8)).
        size: Entries of the last axis.

    Returns:
        Zeros and ones, int8 (..., size).
    """
    return np.unpackbits(bits, axis=-1, count=size, bitorder="little").view(np.int8)


def spans(starts: Array, counts: Array) -> npt.NDArray[np.int64]:
    """Return consecutive numbers, `counts[i]` of them from `starts[i]` on, one span after another.

    >>> spans(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(counts)
    places: npt.NDArray[np.int64] = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - counts), counts)
    return places


def join_rows(pieces: list[Rows]) -> Rows:
    """Join the rows of several pieces."""
    starts = [np.zeros(1, np.int64)]
    for piece in pieces:
        starts.append(piece.legal_start[1:] + starts[-1][-1])
    whole = {name: np.concatenate([getattr(piece, name) for piece in pieces]) for name in Rows._fields if name != "legal_start"}
    return Rows(**whole, legal_start=np.concatenate(starts))
