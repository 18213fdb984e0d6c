"""The compiled search, for endings too large for plain Python: its arrays, which grow, and its calls piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from big2_env.kernels.sources import mark_of
from big2_env.solve import tree_moves, tree_search
from big2_env.solve.ending import FIRST_PLACES, MAX_PLACES, Tables
from big2_env.solve.plain_moves import Hands, State
from big2_env.solve.plain_search import Proof

MARK: Final = np.dtype([(mark_of(Path(__file__).parent), np.int8)])
"""The type of a field that holds nothing, so that no compiled code outlives these sources."""
PIECE: Final = 50_000
"""Positions between two looks at the clock."""


class CompiledSearch:
    """A position being proved, with all that has been proved so far.

    Args:
        tables: of the position.
        num_cards: how many cards are held in all.
        max_places: the table's places at most, a power of two; each takes 8 bytes for each seat and 16 more, or 40 more where
            not only the hands decide what is paid.
    """

    def __init__(self, tables: Tables, num_cards: int, max_places: int = MAX_PLACES) -> None:
        number = len(tables.guard)
        depth = number * num_cards + 2  # each play passed by all others
        self._tables = _as_arrays(tables)
        self._levels = np.zeros((depth, tree_search.LEVEL), np.int64)
        self._hands = np.zeros((depth, number), np.uint64)
        self._acts = np.zeros((depth, max(np.diff(tables.first).tolist()) + 1), np.int32)
        self._anything = np.ones(len(tables.code), np.bool_)
        narrow = tables.ends_at_once
        columns = number + (tree_search.NARROW_KEY + 1 if narrow else tree_search.WIDE_KEY + 2)
        self._table = np.zeros((FIRST_PLACES, columns), np.uint64)
        self._old = self._table[:0]
        """A table that the present one takes the place of."""
        self._most = max_places
        self._kept = 0
        """How many results the table has."""
        self.positions = 0
        """How many positions have been looked at."""

    def load(self, state: State, hands: Hands) -> None:
        """Load the search, and compile it where it has to be: that is no part of the time that proving takes."""
        self._enter(state, hands)
        self._search(self._anything, 0.0, np.zeros(tree_search.CONTROL, np.int64), -1)
        self.positions = 0

    def prove(
        self,
        state: State,
        hands: Hands,
        opening: Sequence[bool],
        target: float,
        goes_on: Callable[[], bool] = lambda: True,
    ) -> Proof | None:
        """Whether the team is paid so much from a position, and by which act; `opening` says which plays may be made there.

        `goes_on` is asked from time to time; where it says no, the answer is `None`.
        """
        self._enter(state, hands)
        allowed, control = np.array(opening, np.bool_), np.zeros(tree_search.CONTROL, np.int64)
        while True:
            status = self._search(allowed, target, control, PIECE)
            if status == tree_search.DONE:
                reached, bound = bool(control[tree_search.REACHED]), float(control.view(np.float64)[tree_search.BOUND])
                return Proof(reached, bound, int(control[tree_search.DISTANCE]), int(control[tree_search.BEST]))
            if status == tree_search.FULL:
                self._old, self._table = self._table, np.zeros((4 * len(self._table), self._table.shape[1]), np.uint64)
                self._kept = 0
            if not goes_on():
                return None

    @property
    def places(self) -> int:
        """How many places the table has."""
        return len(self._table)

    def _search(self, opening: NDArray[np.bool_], target: float, control: NDArray[np.int64], budget: int) -> int:
        """What `search` returns, with what it counts added up."""
        control[tree_search.NODES], control[tree_search.COUNT] = 0, self._kept
        old, self._old = self._old, self._table[:0]
        status: int = tree_search.search(
            *(self._tables, self._levels, self._hands, self._acts, opening, self._anything, old, self._table, self._most),
            *(target, control, budget),
        )
        self.positions += int(control[tree_search.NODES])
        self._kept = int(control[tree_search.COUNT])
        return status

    def _enter(self, state: State, hands: Hands) -> None:
        """Write a position over level 0."""
        self._hands[0] = np.array(hands, np.uint64)
        self._levels[0, : tree_moves.STATE] = state


def _as_arrays(tables: Tables) -> Tables:
    """The tables with arrays in place of lists, as the compiled search takes them."""
    arrays = tables._replace(**_arrays_of(tables))
    return arrays._replace(pay=arrays.pay._replace(**_arrays_of(arrays.pay)), mark=np.zeros(0, MARK))


def _arrays_of(lists: NamedTuple) -> dict[str, Any]:
    """Those fields of a tuple that are lists, as arrays."""
    kinds = {"code": np.uint64, "guard": np.uint64, "draw": np.uint64, "skips": np.bool_, "covers": np.bool_}
    floats = dict.fromkeys(("dear", "by_cards"), np.float64)
    named = zip(lists._fields, lists, strict=True)
    return {name: np.array(one, (kinds | floats).get(name, np.int64)) for name, one in named if isinstance(one, list)}
