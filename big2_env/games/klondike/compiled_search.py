"""The compiled search, for positions that take plain Python too long: its arrays, which grow, and its calls piece by piece."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from big2_env.games.klondike.kernels import tree_search
from big2_env.games.klondike.kernels.packed import CONTROL, tables_of
from big2_env.games.klondike.position import KlondikePosition

FIRST_TABLE: Final = 1 << 12
"""Places of the table at first; it grows by factors of 4."""
MAX_DEPTH: Final = 400
PIECE: Final = 100_000
"""Positions between two looks at the clock."""


class CompiledSearch:
    """A search from a position, loaded; what is not in numba's cache is compiled."""

    def __init__(self, state: KlondikePosition) -> None:
        self._tables, key = tables_of(state)
        self._keys, self._stack = np.zeros(FIRST_TABLE, np.uint64), np.zeros((FIRST_TABLE, 2), np.uint64)
        self._path, self._control = np.zeros((MAX_DEPTH, 2), np.uint64), np.zeros(1, CONTROL)[0]
        tree_search.started(self._tables, np.uint64(key), self._keys, self._stack, self._control)
        self._search(0)

    def run(self, max_positions: int, goes_on: Callable[[], bool]) -> bool | None:
        """True where a win is found, False where there is none, `None` where so many positions are kept, or time is over."""
        while True:
            status = self._search(min(PIECE, max_positions))
            if status in (tree_search.WON, tree_search.LOST):
                return bool(status == tree_search.WON)
            if self._control["kept"] >= max_positions or not goes_on():
                return None
            if status == tree_search.FULL:
                self._grow()

    @property
    def path(self) -> list[tuple[int, int]]:
        """The positions from the start to the last one, and the move to each."""
        found: list[tuple[int, int]] = list(map(tuple, self._path[: self._control["depth"] + 1].tolist()))
        return found

    @property
    def looked(self) -> int:
        """How many positions were looked at."""
        return int(self._control["looked"])

    def _search(self, budget: int) -> int:
        status: int = tree_search.search(self._tables, self._keys, self._stack, self._path, self._control, budget)
        return status

    def _grow(self) -> None:
        """Give the arrays more room where it ran out."""
        control: Any = self._control
        if control["kept"] + 64 > len(self._keys) // 8 * 5:
            new = np.zeros(4 * len(self._keys), np.uint64)
            tree_search.moved(self._keys, new)
            self._keys = new
        if control["stacked"] + 64 > len(self._stack):
            self._stack = np.concatenate([self._stack, np.zeros_like(self._stack)])
        if control["depth"] + 1 >= len(self._path):
            self._path = np.concatenate([self._path, np.zeros_like(self._path)])
