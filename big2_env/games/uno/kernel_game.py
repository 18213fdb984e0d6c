"""One game stepped by kernels, for the turn-based environment. Kernels are interpreted until compiled code is ready.

The history is kept by a reference game. It replays and checks the moves on demand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from big2_env.base.one_call import OneCall, one_at_a_time
from big2_env.base.side_game import SideGame
from big2_env.games.uno.cards import NUM_MOVES, check_move
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.observation import UnoLayout
from big2_env.games.uno.rules import MAX_PLAYERS, UnoEnd, UnoOutcome, UnoRules
from big2_env.kernels.dialect.loader import load
from big2_env.kernels.switch import Compilation

if TYPE_CHECKING:
    from big2_env.games.uno.kernels.one_game import OneGame

Array = npt.NDArray[Any]


class KernelUnoGame:
    """Game stepped by kernels, with the same moves and results as `UnoGame`. It can be pickled and copied.

    Threads take turns, since what a seat sees is written to one place. Kernels are interpreted at first. After
    enough work they are compiled in the background, and later games use compiled code.

    >>> game = KernelUnoGame(UnoRules())
    >>> game.deal(7)
    >>> game.play(60)
    >>> game.turn, len(game.game.history)
    (1, 1)
    """

    def __init__(self, rules: UnoRules) -> None:
        self._set_up(rules, UnoLayout(rules).size)

    def _set_up(self, rules: UnoRules, size: int) -> None:
        self.rules, self.one_call = rules, OneCall()
        self._observation, self._mask = np.zeros((1, size), np.int8), np.zeros((1, NUM_MOVES), np.int8)
        self._kernels: OneGame | None = None
        self._begun: int | tuple[tuple[int, ...], int] | None = None
        """Seed of the deal, or its deck and generator state."""
        self._moves: list[int] = []
        """All moves of the game."""
        self._game: UnoGame | None = None
        """Reference game, which may lack the last moves."""
        self._shown = -1
        """Seat shown in the observation and the mask; -1 for none."""
        self.turn = 0
        """Seat to move."""
        self.is_over = False

    def __getstate__(self) -> tuple[Any, ...]:
        return self.rules, self._observation.size, self._begun, self._moves[:]

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        rules, size, begun, moves = state
        self._set_up(rules, size)
        if begun is not None:
            self._begin(begun)
            for move in moves:
                self.play(move)

    @one_at_a_time
    def deal(self, seed: int) -> None:
        """Deal the game of a seed."""
        self._game = None
        self._begin(seed)

    @one_at_a_time
    def start(self, game: SideGame) -> None:
        """Continue a game that has just begun, with the same rules."""
        assert isinstance(game, UnoGame)
        self._game = game
        self._begin((game.deck, game.stream))

    def _begin(self, begun: int | tuple[tuple[int, ...], int]) -> None:
        if self._kernels is None or COMPILING.is_ready != self._kernels.is_compiled:
            made = (_compiled if COMPILING.is_ready else _interpreted)()
            self._kernels = made(self.rules, self._observation, self._mask)
            self._step = self._kernels.act if self._kernels.is_compiled else _timed(self._kernels.act)
        self._begun, self._moves, self._shown = begun, [], -1
        self._note(self._kernels.deal(begun) if isinstance(begun, int) else self._kernels.start(*begun))

    def _note(self, stands: int) -> None:
        """Update `turn` and `is_over` from a result of the kernels."""
        self.is_over = stands >= MAX_PLAYERS
        self.turn = stands - MAX_PLAYERS if self.is_over else stands

    @property
    def game(self) -> UnoGame:
        """Game with its history, including hidden cards. For inspection only: do not make moves in it."""
        if self._game is None:
            begun = self._begun
            assert begun is not None
            self._game = UnoGame.deal(self.rules, begun) if isinstance(begun, int) else UnoGame(self.rules, *begun)
        for move in self._moves[len(self._game.history) :]:
            self._game.play(move)
        return self._game

    @property
    def outcome(self) -> UnoOutcome:
        """Result of a finished game."""
        assert self._kernels is not None
        is_out, scores = self._kernels.result()
        return UnoOutcome.of(self.rules, UnoEnd.OUT if is_out else UnoEnd.EXHAUSTED, scores)

    def payoffs(self, scoring: str) -> tuple[float, ...]:
        """Return the payoff of each seat in a finished game."""
        return self.outcome.payoffs(scoring)

    @one_at_a_time
    def look(self, seat: int) -> tuple[Array, Array]:
        """Return a seat's observation, int8 `(size,)`, and its legal actions, int8 `(62,)`; all 0 off turn."""
        self._show(seat)
        return self._observation[0].copy(), self._mask[0].copy()

    def _show(self, seat: int) -> None:
        if seat != self._shown:
            assert self._kernels is not None
            self._kernels.show(seat)
            self._shown = seat

    @one_at_a_time
    def play(self, move: int) -> None:
        """Make a move for the seat to move. A refused move changes nothing. Raises the same errors as `UnoGame.play`."""
        check_move(move)  # compiled code takes no number of more than 64 bits
        self._show(self.turn)
        if not self._mask[0, move]:
            self.game.play(move)
            raise RuntimeError(f"action {move}: the kernels refuse what the reference rules allow")
        self._note(self._step(move))
        self._moves.append(move)
        self._shown = self.turn


def _interpreted() -> type[OneGame]:
    found: type[OneGame] = load(frozenset()).module("big2_env.games.uno.kernels.one_game").OneGame
    return found


def _compiled() -> type[OneGame]:
    # Imported where it is used: numba takes half a second to load.
    from big2_env.games.uno.kernels.one_game import OneGame

    return OneGame


def _timed(step: Callable[[int], int]) -> Callable[[int], int]:
    """Wrap a step of interpreted kernels so that its time counts toward compilation."""

    def timed(move: int) -> int:
        with COMPILING.timed():
            return step(move)

    return timed


def _compile() -> None:
    """Compile or load all kernels of a game."""
    rules = UnoRules()
    kernels = _compiled()(rules, np.zeros((1, UnoLayout(rules).size), np.int8), np.zeros((1, NUM_MOVES), np.int8))
    kernels.start(UnoGame.deal(rules, 0).deck, 0)
    kernels.deal(0)
    kernels.show(0)
    kernels.act(60)
    kernels.result()


COMPILING: Final = Compilation(_compile)
"""Background compilation of the kernels."""
