"""The truth about a position with all cards known: a line that wins, or the proof by exhaustion that there is none.

The search is in `kernels/tree_search.py`; here positions become its tables and its path becomes acts, each done by the rules.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from big2_env.errors import ConfigError
from big2_env.games.klondike.actions import DEAL, FOUNDATION, act_of
from big2_env.games.klondike.cards import NUM_RANKS, NUM_SUITS, fits_pile, rank_of, suit_of
from big2_env.games.klondike.kernels import tree_search
from big2_env.games.klondike.kernels.packed import CONTROL, F_SHIFT, card_of, tables_of
from big2_env.games.klondike.moves import after, fits_foundation
from big2_env.games.klondike.position import KlondikePosition

FIRST_TABLE: Final = 1 << 12
"""Places of the table at first; it grows by factors of 4."""
MAX_POSITIONS: Final = 40_000_000
"""Positions that are kept at most where nothing else is said: half a gigabyte."""
MAX_DEPTH: Final = 400
PIECE: Final = 100_000
"""Positions between two looks at the clock."""


class Verdict(StrEnum):
    """What is known of a position."""

    WON = "winnable"
    LOST = "lost"
    OPEN = "undecided"


@dataclass(frozen=True)
class Solution:
    """What the solver found."""

    verdict: Verdict
    acts: tuple[int, ...] | None
    """Acts that win, deals included; `None` where none are known."""
    positions: int
    """How many positions were looked at."""
    seconds: float
    """How long that took, without loading the compiled search."""


def solve(
    state: KlondikePosition,
    *,
    seconds: float | None = None,
    max_positions: int = MAX_POSITIONS,
    line: bool = True,
    one_turn: bool = False,
) -> Solution:
    """Whether a position can be won, by whoever knows every card.

    Args:
        state: any position of a game.
        seconds: time after which it stays undecided; `None` for no limit.
        max_positions: so many positions may be kept (12 to 48 bytes each) before it stays undecided.
        line: whether the acts are wanted.
        one_turn: whether they may end with the first that turns a card: the plan for now.

    Raises:
        ConfigError: a position that no game can come to, or a limit out of range.

    >>> from big2_env.games.klondike.cards import shuffled
    >>> solve(KlondikePosition.deal(shuffled(7))).verdict
    <Verdict.WON: 'winnable'>
    """
    if max_positions < 1 or (seconds is not None and not seconds > 0):
        raise ConfigError(f"limits of {max_positions} positions, {seconds} seconds: allowed is more than 0")
    tables, key = tables_of(state.checked())
    keys, stack = np.zeros(FIRST_TABLE, np.uint64), np.zeros((FIRST_TABLE, 2), np.uint64)
    path, control = np.zeros((MAX_DEPTH, 2), np.uint64), np.zeros(1, CONTROL)[0]
    tree_search.started(tables, np.uint64(key), keys, stack, control)
    tree_search.search(
        tables, keys, stack, path, control, 0
    )  # a first call loads or compiles, which is not the position's time
    begin = time.perf_counter()
    verdict = Verdict.OPEN
    while True:
        status = tree_search.search(tables, keys, stack, path, control, min(PIECE, max_positions))
        if status == tree_search.WON:
            verdict = Verdict.WON
        elif status == tree_search.LOST:
            verdict = Verdict.LOST
        elif control["kept"] < max_positions and (seconds is None or time.perf_counter() - begin < seconds):
            if status == tree_search.FULL:
                keys, stack, path = _larger(keys, stack, path, control)
            continue
        break
    acts = None
    if verdict is Verdict.WON and line:
        acts = acts_of(state, path[: control["depth"] + 1], one_turn=one_turn)
    return Solution(verdict, acts, int(control["looked"]), time.perf_counter() - begin)


def _larger(keys: Any, stack: Any, path: Any, control: Any) -> tuple[Any, Any, Any]:
    """The arrays of a search with more room where it ran out."""
    if control["kept"] + 64 > len(keys) // 8 * 5:
        new = np.zeros(4 * len(keys), np.uint64)
        tree_search.moved(keys, new)
        keys = new
    if control["stacked"] + 64 > len(stack):
        stack = np.concatenate([stack, np.zeros_like(stack)])
    if control["depth"] + 1 >= len(path):
        path = np.concatenate([path, np.zeros_like(path)])
    return keys, stack, path


def acts_of(state: KlondikePosition, path: NDArray[np.uint64], *, one_turn: bool = False) -> tuple[int, ...]:
    """The acts of a path of the search from a position, each done by the rules; with `one_turn` to the first turned card."""
    return tuple(_Line(state, one_turn).of(path))


class _TurnedError(Exception):
    """A card was turned."""


class _Line:
    """Acts for a path of the search, each done by the rules."""

    def __init__(self, state: KlondikePosition, one_turn: bool = False) -> None:
        self.state = state
        self.acts: list[int] = []
        self.one_turn = one_turn

    def of(self, path: NDArray[np.uint64]) -> list[int]:
        """The acts from the first position to the last one, at which the game is won; or to the first turned card."""
        try:
            self._follow(path)
        except _TurnedError:
            return self.acts
        if not self.state.is_won:
            raise AssertionError("the search's line does not win")
        return self.acts

    def _follow(self, path: NDArray[np.uint64]) -> None:
        for number, (key, move) in enumerate(path.tolist()):
            if number:
                if move & 1:
                    self._up(card_of(move >> 1))
                else:
                    self._down(card_of(move >> 1))
            # What went up by itself.
            wanted = [key >> (F_SHIFT + 4 * suit) & 15 for suit in range(4)]
            while any(have < want for have, want in zip(self.state.foundations, wanted, strict=True)):
                before = self.state
                for suit, want in enumerate(wanted):
                    card = suit * NUM_RANKS + self.state.foundations[suit]
                    if self.state.foundations[suit] < want and not self.state.is_won and self._can_go_up(card):
                        self._up(card)
                if self.state is before:
                    break

    def _do(self, act: int) -> None:
        if not self.state.is_won:
            before, self.state = self.state, after(self.state, act)
            self.acts.append(act)
            if self.one_turn and self.state.down != before.down:
                raise _TurnedError

    def _deal_up_to(self, card: int) -> None:
        while card in self.state.dealer and card not in self.state.window:
            self._do(DEAL)

    def _last_cards(self) -> list[int | None]:
        return [pile[-1] if pile else None for pile in self.state.piles]

    def _free_twin(self, card: int) -> int | None:
        """The pile on whose last card what lies on `card` may be put."""
        twin = (NUM_SUITS - 1 - suit_of(card)) * NUM_RANKS + rank_of(card)
        last = self._last_cards()
        return last.index(twin) if twin in last else None

    def _can_go_up(self, card: int) -> bool:
        if not fits_foundation(self.state, card):
            return False
        if card in self.state.dealer or card in self._last_cards():
            return True
        shown = any(card in pile[down:] for pile, down in zip(self.state.piles, self.state.down, strict=True))
        return shown and self._free_twin(card) is not None

    def _up(self, card: int) -> None:
        self._deal_up_to(card)
        if card not in self.state.dealer and card not in self._last_cards():
            pile = next(pile for pile in self.state.piles if card in pile)
            target = self._free_twin(card)
            assert target is not None
            self._do(act_of(pile[pile.index(card) + 1], target))
        self._do(act_of(card, FOUNDATION))

    def _down(self, card: int) -> None:
        self._deal_up_to(card)
        last = self._last_cards()
        target = next(
            number for number, top in enumerate(last) if fits_pile(card, top) and card not in self.state.piles[number]
        )
        self._do(act_of(card, target))
