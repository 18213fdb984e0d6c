"""The truth about a position with all cards known: a line that wins, or the proof by exhaustion that there is none.

The search is in `kernels/tree_search.py`, interpreted at first and compiled for what takes long; here its path becomes acts,
each done by the rules.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Final

from big2_env.errors import ConfigError
from big2_env.games.klondike.cards import DEAL, FOUNDATION, NUM_RANKS, NUM_SUITS, act_of, fits_pile, rank_of, shuffled, suit_of
from big2_env.games.klondike.moves import after, fits_foundation
from big2_env.games.klondike.position import F_SHIFT, KlondikePosition, card_of
from big2_env.kernels.dialect.loader import load
from big2_env.runs.progress import waiting

if TYPE_CHECKING:
    from big2_env.games.klondike.kernels.tree_search import Search

PLAIN_POSITIONS: Final = 60_000
"""Positions that one process looks at with interpreted kernels, a second's worth or two, before they are compiled."""

MAX_POSITIONS: Final = 40_000_000
"""Positions that are kept at most where nothing else is said: half a gigabyte."""


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
    plain_positions: int | None = None,
) -> Solution:
    """Whether a position can be won, by whoever knows every card.

    Args:
        state: any position of a game.
        seconds: time after which it stays undecided; `None` for no limit.
        max_positions: so many positions may be kept (12 to 48 bytes each) before it stays undecided.
        line: whether the acts are wanted.
        one_turn: whether they may end with the first that turns a card: the plan for now.
        plain_positions: positions that interpreted kernels look at before they are compiled; by default as many as are left of
            those that all calls in the process have together.

    Raises:
        ConfigError: a position that no game can come to, or a limit out of range.

    >>> from big2_env.games.klondike.cards import shuffled
    >>> solve(KlondikePosition.deal(shuffled(7))).verdict
    <Verdict.WON: 'winnable'>
    """
    if max_positions < 1 or (seconds is not None and not seconds > 0):
        raise ConfigError(f"expected limits above 0, got {max_positions} positions, {seconds} seconds")
    budget = _SHARED if plain_positions is None else Budget(plain_positions)
    begin = time.perf_counter()

    def goes_on() -> bool:
        return seconds is None or time.perf_counter() - begin < seconds

    won, most = None, budget.positions
    if most > 0:
        search = _interpreted_search()(state)
        won = search.run(max_positions, goes_on, most)
        budget.positions -= search.looked
    if won is None and (most <= 0 or search.looked >= most):
        search = _compiled_search()(state)
        begin = time.perf_counter()
        won = search.run(max_positions, goes_on)
    verdict = Verdict.OPEN if won is None else Verdict.WON if won else Verdict.LOST
    acts = acts_of(state, search.path, one_turn=one_turn) if won and line else None
    return Solution(verdict, acts, search.looked, time.perf_counter() - begin)


class Budget:
    """How many positions may still be looked at before kernels are compiled."""

    def __init__(self, positions: int) -> None:
        self.positions = positions


_SHARED: Final = Budget(PLAIN_POSITIONS)
"""The budget of this process."""


def _interpreted_search() -> type[Search]:
    """The search by interpreted kernels."""
    found: type[Search] = load(frozenset()).module("big2_env.games.klondike.kernels.tree_search").Search
    return found


@cache
def _compiled_search() -> type[Search]:
    """The compiled search, loaded, and compiled where it has to be."""
    with waiting():
        # Imported where it is used: numba takes a second to load.
        from big2_env.games.klondike.kernels.tree_search import Search

        Search(KlondikePosition.deal(shuffled(0))).run(1)
    return Search


def acts_of(state: KlondikePosition, path: Sequence[tuple[int, int]], *, one_turn: bool = False) -> tuple[int, ...]:
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

    def of(self, path: Sequence[tuple[int, int]]) -> list[int]:
        """The acts from the first position to the last one, at which the game is won; or to the first turned card."""
        try:
            self._follow(path)
        except _TurnedError:
            return self.acts
        if not self.state.is_won:
            raise AssertionError("the search's line does not win")
        return self.acts

    def _follow(self, path: Sequence[tuple[int, int]]) -> None:
        for number, (key, move) in enumerate(path):
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
