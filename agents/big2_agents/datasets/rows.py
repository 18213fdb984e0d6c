"""The decisions of some games as arrays: what a piece of a data set holds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Rows(NamedTuple):
    """Decisions in the order in which they were made, game after game; a row each, n rows, m games.

    Observations are zeros and ones, eight to a byte, the first in the lowest bit. Legal actions are listed, because masks of
    27,474 actions would be most of a file: those of row i are `legal[legal_start[i]:legal_start[i + 1]]`, ascending.
    """

    game: Array
    """int64 (n,), the number of the game in the data set."""
    seat: Array
    """int8 (n,), the seat that decided."""
    agent: Array
    """int8 (n,), who sat there: the place of the agent in the list of agents."""
    action: Array
    """int32 (n,), the action's id."""
    payoff: Array
    """float32 (n,), the return: what the seat got when the game ended."""
    bits: Array
    """uint8 (n, ceil(size / 8)), what the seat saw, packed."""
    legal: Array
    """int32 (total,), the legal actions of all rows, one row after another."""
    legal_start: Array
    """int64 (n + 1,), where those of each row begin."""
    final_bits: Array
    """uint8 (m, seats, ceil(size / 8)), what each seat saw when each game had ended, packed."""

    def observations(self, size: int, which: Any = slice(None)) -> npt.NDArray[np.int8]:
        """What the seats saw in the chosen rows, int8 (k, size)."""
        return unpacked(self.bits[which], size)

    def masks(self, num_actions: int, which: Any = slice(None)) -> npt.NDArray[np.bool_]:
        """The legal actions of the chosen rows as masks, bool (k, num_actions)."""
        rows = np.arange(len(self.action))[which]
        counts = (self.legal_start[1:] - self.legal_start[:-1])[rows]
        mask = np.zeros((len(rows), num_actions), np.bool_)
        mask[np.repeat(np.arange(len(rows)), counts), self.legal[spans(self.legal_start[rows], counts)]] = True
        return mask

    @property
    def num_legal(self) -> Array:
        """How many legal actions each row has, int64 (n,); rows with 1 were no choice."""
        counts: Array = np.diff(self.legal_start)
        return counts


def packed(zeros_and_ones: Array) -> npt.NDArray[np.uint8]:
    """The last axis eight to a byte, the first in the lowest bit."""
    return np.packbits(zeros_and_ones, axis=-1, bitorder="little")


def unpacked(bits: Array, size: int) -> npt.NDArray[np.int8]:
    """What `packed` packed, int8, `size` entries along the last axis."""
    return np.unpackbits(bits, axis=-1, count=size, bitorder="little").view(np.int8)


def spans(starts: Array, counts: Array) -> npt.NDArray[np.int64]:
    """The numbers from each start on, as many as its count, one span after another, int64 (sum of counts,).

    >>> spans(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(counts)
    places: npt.NDArray[np.int64] = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - counts), counts)
    return places


def joined(pieces: list[Rows]) -> Rows:
    """The rows of several pieces as one."""
    starts = [np.zeros(1, np.int64)]
    for piece in pieces:
        starts.append(piece.legal_start[1:] + starts[-1][-1])
    whole = {name: np.concatenate([getattr(piece, name) for piece in pieces]) for name in Rows._fields if name != "legal_start"}
    return Rows(**whole, legal_start=np.concatenate(starts))
