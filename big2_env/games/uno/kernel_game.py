"""One game by the kernels, for the turn-by-turn environment: interpreted until compiled code is ready.

The game with its history stays the reference engine's: acts are passed on to it, and checked by it, when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from big2_env.games.uno.cards import NUM_ACTS, check_act
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.observation import UnoLayout
from big2_env.games.uno.rules import MAX_PLAYERS, UnoEnd, UnoOutcome, UnoRules
from big2_env.kernels.dialect.loader import load
from big2_env.runs.background_compile import BackgroundCompile
from big2_env.side_game import SideGame

if TYPE_CHECKING:
    from big2_env.games.uno.kernels.one_game import OneGame

Array = npt.NDArray[Any]


class KernelUnoGame:
    """A game that is stepped by the kernels, act for act as `UnoGame` is. It pickles and copies.

    The kernels are interpreted at first. Once that has taken long enough they are compiled in the background, and games that
    begin later are stepped by compiled kernels.

    >>> game = KernelUnoGame(UnoRules())
    >>> game.deal(7)
    >>> game.play(60)
    >>> game.turn, len(game.game.history)
    (1, 1)
    """

    def __init__(self, rules: UnoRules) -> None:
        self._set_up(rules, UnoLayout(rules).size)

    def _set_up(self, rules: UnoRules, size: int) -> None:
        self.rules = rules
        self._observation, self._mask = np.zeros((1, size), np.int8), np.zeros((1, NUM_ACTS), np.int8)
        self._kernels: OneGame | None = None
        self._begun: int | tuple[tuple[int, ...], int] | None = None
        """The seed of the deal, or the deck and the stream."""
        self._acts: list[int] = []
        """All acts of the game."""
        self._game: UnoGame | None = None
        """The reference game, which may not have the last acts yet."""
        self._shown = -1
        """The seat that observation and mask are of, -1 for none."""
        self.turn = 0
        """The seat to move."""
        self.is_over = False

    def __getstate__(self) -> tuple[Any, ...]:
        return self.rules, self._observation.size, self._begun, self._acts[:]

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        rules, size, begun, acts = state
        self._set_up(rules, size)
        if begun is not None:
            self._begin(begun)
            for act in acts:
                self.play(act)

    def deal(self, seed: int) -> None:
        """Deal the game of a seed."""
        self._game = None
        self._begin(seed)

    def start(self, game: SideGame) -> None:
        """Go on with a game that has just begun, by the same rules."""
        assert isinstance(game, UnoGame)
        self._game = game
        self._begin((game.deck, game.stream))

    def _begin(self, begun: int | tuple[tuple[int, ...], int]) -> None:
        if self._kernels is None or COMPILING.is_ready != self._kernels.is_compiled:
            made = (_compiled if COMPILING.is_ready else _interpreted)()
            self._kernels = made(self.rules, self._observation, self._mask)
            self._step = self._kernels.act if self._kernels.is_compiled else _timed(self._kernels.act)
        self._begun, self._acts, self._shown = begun, [], -1
        self._note(self._kernels.deal(begun) if isinstance(begun, int) else self._kernels.start(*begun))

    def _note(self, stands: int) -> None:
        """Note where the game stands."""
        self.is_over = stands >= MAX_PLAYERS
        self.turn = stands - MAX_PLAYERS if self.is_over else stands

    @property
    def game(self) -> UnoGame:
        """The game with its history, hidden cards included: to look at, not to play."""
        if self._game is None:
            begun = self._begun
            assert begun is not None
            self._game = UnoGame.deal(self.rules, begun) if isinstance(begun, int) else UnoGame(self.rules, *begun)
        for act in self._acts[len(self._game.history) :]:
            self._game.play(act)
        return self._game

    @property
    def outcome(self) -> UnoOutcome:
        """The result of a game that is over."""
        assert self._kernels is not None
        is_out, scores = self._kernels.result()
        return UnoOutcome.of(self.rules, UnoEnd.OUT if is_out else UnoEnd.EXHAUSTED, scores)

    def payoffs(self, scoring: str) -> tuple[float, ...]:
        """What each seat gets from a game that is over."""
        return self.outcome.payoffs(scoring)

    def look(self, seat: int) -> tuple[Array, Array]:
        """What a seat sees, int8 `(size,)`, and its legal acts, int8 `(62,)`: 0 for all off turn."""
        self._show(seat)
        return self._observation[0].copy(), self._mask[0].copy()

    def _show(self, seat: int) -> None:
        if seat != self._shown:
            assert self._kernels is not None
            self._kernels.show(seat)
            self._shown = seat

    def play(self, act: int) -> None:
        """Make an act of the seat to move. A refused one changes nothing. Raises as `UnoGame.play`."""
        check_act(act)  # compiled code takes no number of more than 64 bits
        self._show(self.turn)
        if not self._mask[0, act]:
            self.game.play(act)
            raise RuntimeError(f"action {act}: the kernels refuse what the reference rules allow")
        self._note(self._step(act))
        self._acts.append(act)
        self._shown = self.turn


def _interpreted() -> type[OneGame]:
    found: type[OneGame] = load(frozenset()).module("big2_env.games.uno.kernels.one_game").OneGame
    return found


def _compiled() -> type[OneGame]:
    # Imported where it is used: numba takes half a second to load.
    from big2_env.games.uno.kernels.one_game import OneGame

    return OneGame


def _timed(step: Callable[[int], int]) -> Callable[[int], int]:
    """A step of interpreted kernels whose time counts towards compiling."""

    def timed(act: int) -> int:
        began = perf_counter()
        stands = step(act)
        COMPILING.spend(perf_counter() - began)
        return stands

    return timed


def _compile() -> None:
    """Compile, or load, all that a game calls."""
    rules = UnoRules()
    kernels = _compiled()(rules, np.zeros((1, UnoLayout(rules).size), np.int8), np.zeros((1, NUM_ACTS), np.int8))
    kernels.start(UnoGame.deal(rules, 0).deck, 0)
    kernels.deal(0)
    kernels.show(0)
    kernels.act(60)
    kernels.result()


COMPILING: Final = BackgroundCompile(_compile)
"""Whether the kernels are compiled."""
