"""Exact solver for positions with all cards known. It finds a winning line, or proves by exhaustive search that none exists.

`kernels/tree_search.py` does the search, interpreted at first and compiled for longer work. This module converts its path to
moves and makes each of them with the rules of the game.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from big2_env.base.errors import ConfigError
from big2_env.games.klondike.cards import DEAL, FOUNDATION, NUM_RANKS, NUM_SUITS, fits_pile, move_of, rank_of, shuffled, suit_of
from big2_env.games.klondike.moves import after, fits_foundation
from big2_env.games.klondike.position import F_SHIFT, KlondikePosition, card_of
from big2_env.kernels.dialect.loader import load
from big2_env.kernels.switch import PATIENCE, Compilation

if TYPE_CHECKING:
    from big2_env.games.klondike.kernels.tree_search import Search

MAX_POSITIONS: Final = 40_000_000
"""Default limit on stored positions, which takes half a gigabyte of memory."""


class Verdict(StrEnum):
    """Result of a search: winnable, lost, or undecided if a limit was reached first."""

    WON = "winnable"
    LOST = "lost"
    OPEN = "undecided"


@dataclass(frozen=True)
class Solution:
    """Result of the solver."""

    verdict: Verdict
    moves: tuple[int, ...] | None
    """Winning moves, including deals; `None` if no win was found or the line was not requested."""
    positions: int
    """Number of positions searched."""
    seconds: float
    """Search time in seconds, without the time to load the compiled search."""


def solve(
    state: KlondikePosition,
    *,
    seconds: float | None = None,
    max_positions: int = MAX_POSITIONS,
    line: bool = True,
    one_turn: bool = False,
    plain_positions: int | None = None,
) -> Solution:
    """Decide whether a position can be won by a player who knows all cards.

    Args:
        state: Any position of a game.
        seconds: Time limit in seconds; `None` for no limit.
        max_positions: Limit on stored positions, at 12 to 48 bytes each.
        line: False to skip the winning moves.
        one_turn: True to end the line at the first move that turns a card.
        plain_positions: Positions to search with interpreted kernels before compiled ones take over. By default these take over
            once they are ready, or once interpreted ones have taken `kernels.switch.PATIENCE` seconds in the process.

    Raises:
        ConfigError: No game can reach the position, or a limit is out of range.

    >>> from big2_env.games.klondike.cards import shuffled
    >>> solve(KlondikePosition.deal(shuffled(7))).verdict
    <Verdict.WON: 'winnable'>
    """
    if max_positions < 1 or (seconds is not None and not seconds > 0):
        raise ConfigError(f"expected limits above 0, got {max_positions} positions, {seconds} seconds")
    begin, spent = time.perf_counter(), COMPILATION.spent

    def goes_on() -> bool:
        return seconds is None or time.perf_counter() - begin < seconds

    def is_long(looked: int) -> bool:
        if plain_positions is not None:
            return looked >= plain_positions
        return COMPILATION.is_ready or spent + time.perf_counter() - begin >= PATIENCE

    search = won = None
    if not is_long(0):
        plain = search = interpreted_search()(state)
        with COMPILATION.timed() if plain_positions is None else nullcontext():
            won = plain.run(max_positions, lambda: goes_on() and not is_long(plain.looked), plain_positions or max_positions)
    if search is None or (won is None and is_long(search.looked) and goes_on()):
        COMPILATION.finish()
        if COMPILATION.is_ready:
            from big2_env.games.klondike.kernels.tree_search import Search  # numba takes a second to load

            search, begin = Search(state), time.perf_counter()
        elif search is None:
            search = interpreted_search()(state)
        won = search.run(max_positions, goes_on)
    verdict = Verdict.OPEN if won is None else Verdict.WON if won else Verdict.LOST
    moves = moves_of(state, search.path, one_turn=one_turn) if won and line else None
    return Solution(verdict, moves, search.looked, time.perf_counter() - begin)


def interpreted_search() -> type[Search]:
    """Return the search with interpreted kernels."""
    found: type[Search] = load(frozenset()).module("big2_env.games.klondike.kernels.tree_search").Search
    return found


def _compile() -> None:
    """Compile the search, or load it from numba's cache."""
    from big2_env.games.klondike.kernels.tree_search import Search

    Search(KlondikePosition.deal(shuffled(0))).run(1)


COMPILATION: Final = Compilation(_compile, what="the solver of Klondike")


def moves_of(state: KlondikePosition, path: Sequence[tuple[int, int]], *, one_turn: bool = False) -> tuple[int, ...]:
    """Convert a path of the search to moves, checking each with the rules.

    Args:
        state: Position at the start of the path.
        path: Keys of positions, each with the move that leads to it.
        one_turn: True to end at the first move that turns a card.
    """
    return tuple(_Line(state, one_turn).of(path))


class _TurnedError(Exception):
    """Internal signal: a card was turned over."""


class _Line:
    """Converter from a path of the search to moves."""

    def __init__(self, state: KlondikePosition, one_turn: bool = False) -> None:
        self.state = state
        self.moves: list[int] = []
        self.one_turn = one_turn

    def of(self, path: Sequence[tuple[int, int]]) -> list[int]:
        """Return the moves from the first position of a path to the win, or to the first turned card."""
        try:
            self._follow(path)
        except _TurnedError:
            return self.moves
        if not self.state.is_won:
            raise AssertionError("the search's line does not win")
        return self.moves

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

    def _do(self, move: int) -> None:
        if not self.state.is_won:
            before, self.state = self.state, after(self.state, move)
            self.moves.append(move)
            if self.one_turn and self.state.down != before.down:
                raise _TurnedError

    def _deal_up_to(self, card: int) -> None:
        while card in self.state.dealer and card not in self.state.window:
            self._do(DEAL)

    def _last_cards(self) -> list[int | None]:
        return [pile[-1] if pile else None for pile in self.state.piles]

    def _free_twin(self, card: int) -> int | None:
        """Return the pile whose last card can receive the cards on top of `card`; `None` if there is none."""
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
            self._do(move_of(pile[pile.index(card) + 1], target))
        self._do(move_of(card, FOUNDATION))

    def _down(self, card: int) -> None:
        self._deal_up_to(card)
        last = self._last_cards()
        target = next(
            number for number, top in enumerate(last) if fits_pile(card, top) and card not in self.state.piles[number]
        )
        self._do(move_of(card, target))
