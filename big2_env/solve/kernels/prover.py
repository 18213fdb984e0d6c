"""A search with its growing arrays, called in pieces."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from big2_env.kernels.dialect.records import COMPILED, paste
from big2_env.kernels.dialect.transpositions import capacity, moved, new_table
from big2_env.solve.ending import FIRST_PLACES, MAX_PLACES, Hands, State, Tables
from big2_env.solve.kernels import tree_search
from big2_env.solve.kernels.tree_search import STATE

PIECE: Final = 50_000
"""Positions searched between two checks of the clock, if kernels are compiled."""


class Proof(NamedTuple):
    """Result for a position."""

    reached: bool
    """True if the team is paid at least the target."""
    bound: float
    """Lower bound of the payoff if the target is reached, otherwise an upper bound."""
    distance: int
    """Number of decisions until the end of the proof."""
    move: int
    """Move that achieves it."""


class Prover:
    """Search of a position, with everything proved so far.

    Args:
        tables: Tables of the position.
        num_cards: Total number of cards held.
        max_places: Maximum number of memo slots, a power of two. Each takes 8 bytes per seat plus 16, or plus 40 if the
            payoff depends on more than the hands.
    """

    def __init__(self, tables: Tables, num_cards: int, max_places: int = MAX_PLACES) -> None:
        number = len(tables.guard)
        depth = number * num_cards + 2  # each play passed by all others
        most = max(stop - start for start, stop in pairwise(tables.first)) + 1
        self._tables = _as_arrays(tables) if COMPILED else tables
        self._levels: Any = np.zeros((depth, tree_search.LEVEL), np.int64)
        self._hands: Any = np.zeros((depth, number), np.uint64)
        self._moves: Any = np.zeros(depth * most, np.int32)
        self._soft: Any = np.zeros(depth, np.float64)
        self._opening = self._anything = np.array([True] * len(tables.code), np.bool_)
        self._has_amounts = not tables.ends_at_once
        self._words = number + (tree_search.WIDE_KEY if self._has_amounts else tree_search.NARROW_KEY)
        self._keys: Any = np.zeros((depth, self._words), np.uint64)
        self._scores: Any = np.zeros(most, np.int64)
        self._memo: Any = new_table(FIRST_PLACES, self._words, self._has_amounts)
        self._most = max_places
        self._control: Any = np.zeros(tree_search.CONTROL, np.int64)
        self._target = 0.0

    @property
    def positions(self) -> int:
        """Number of positions searched so far."""
        return int(self._control[tree_search.NODES])

    @property
    def places(self) -> int:
        """Number of slots of the memo."""
        return len(self._memo.rows)

    def ask(self, state: State, hands: Hands, opening: Sequence[bool], target: float) -> None:
        """Set the question whether the team is paid at least `target` from a position.

        Args:
            state: Position without the hands.
            hands: Hands of all seats.
            opening: By play, whether it is allowed as the first move.
            target: Payoff in question.
        """
        self._levels[0][:STATE] = list(state)
        self._hands[0][:] = np.array(hands, np.uint64)
        self._opening, self._target = np.array(opening, np.bool_), target
        self._control[tree_search.DEPTH] = 0

    def run(self, budget: int = PIECE) -> Proof | None:
        """Search up to `budget` positions and return the proof, or `None` if there is none yet."""
        before = self.positions
        while True:
            status = tree_search.search(
                *(self._tables, self._levels, self._hands, self._moves, self._soft, self._keys, self._scores),
                *(self._opening, self._anything, self._memo, capacity(self._memo, self._most)),
                *(self._target, self._control, budget - (self.positions - before)),
            )
            if status == tree_search.DONE:
                control = self._control
                reached, bound = bool(control[tree_search.REACHED]), float(self._soft[0])
                return Proof(reached, bound, int(control[tree_search.DISTANCE]), int(control[tree_search.BEST]))
            if status == tree_search.PAUSED:
                return None
            self._adopt(self._memo)

    def resume_from(self, other: Prover) -> None:
        """Continue from where an interpreted search of the same question has stopped."""
        if other.positions == 0:
            return
        for name in ("_levels", "_hands", "_moves", "_soft", "_keys", "_control"):
            paste(getattr(self, name), getattr(other, name))
        self._adopt(other._memo)

    def _adopt(self, old: Any) -> None:
        """Move all results of a memo to a larger one."""
        places = min(self._most, max(FIRST_PLACES, 1 << (4 * len(old.rows) - 1).bit_length()))
        self._memo = new_table(places, self._words, self._has_amounts)
        self._control[tree_search.COUNT] = moved(old, self._memo)


def _as_arrays(tables: Tables) -> Tables:
    """Return the tables with arrays instead of lists, as compiled code expects them."""
    arrays = tables._replace(**_arrays_of(tables))
    return arrays._replace(pay=arrays.pay._replace(**_arrays_of(arrays.pay)))


def _arrays_of(lists: NamedTuple) -> dict[str, Any]:
    """Return the list fields of a tuple as arrays."""
    kinds = {
        "code": np.uint64,
        "lot_code": np.uint64,
        "guard": np.uint64,
        "draw": np.uint64,
        "last": np.bool_,
        "skips": np.bool_,
        "beats": np.bool_,
    }
    floats = dict.fromkeys(("card_cost", "by_cards", "card_factor"), np.float64)
    named = zip(lists._fields, lists, strict=True)
    return {name: np.array(one, (kinds | floats).get(name, np.int64)) for name, one in named if isinstance(one, list)}
