"""One game by the compiled rules, for the turn-by-turn environment.

The game with its history stays the reference engine's: acts are passed on to it, and checked by it, when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from big2_env.games.uno.actions import NUM_ACTS, check_act
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.kernels import one_game
from big2_env.games.uno.kernels.dtypes import GAME, OUT, rules_record
from big2_env.games.uno.observation import UnoLayout
from big2_env.games.uno.outcome import UnoEnd, UnoOutcome
from big2_env.games.uno.rules import UnoRules

Array = npt.NDArray[Any]


class CompiledUnoGame:
    """A game that is stepped by the compiled rules, act for act as `UnoGame` is.

    >>> game = CompiledUnoGame(UnoRules())
    >>> game.deal(7)
    >>> game.act(60)
    >>> game.turn, len(game.game.history)
    (1, 1)
    """

    def __init__(self, rules: UnoRules) -> None:
        self.rules = rules
        size = UnoLayout(rules).size
        self._record, self._games = rules_record(rules), np.zeros(1, GAME)
        words, self._observation, self._mask = (
            np.zeros(size // 64 + 4, np.uint64), np.zeros((1, size), np.int8), np.zeros((1, NUM_ACTS), np.int8),
        )  # fmt: skip
        self._given = self._record, self._games, words, self._observation, self._mask
        self._game: UnoGame | None = None
        self._seed = 0
        """The seed of the deal, where there is no reference game yet."""
        self._pending: list[int] = []
        """The acts that the reference game does not have yet."""
        self._shown = -1
        """The seat that observation and mask are of, -1 for none."""
        self.turn = 0
        """The seat to move."""
        self.is_over = False

    def deal(self, seed: int) -> None:
        """Deal the game of a seed."""
        self._game, self._seed = None, seed
        self._begin(one_game.deal_game(self._record, self._games, np.uint64(seed)))

    def start(self, deck: Iterable[int], stream: int) -> None:
        """Begin a game with a deck, as `UnoGame` does. Raises as that."""
        self._game = UnoGame(self.rules, deck, stream)
        cards = np.array(self._game.deck, np.uint8)
        self._begin(one_game.start_game(self._record, self._games, cards + cards // 15, np.uint64(stream)))

    def _begin(self, stands: int) -> None:
        self._pending.clear()
        self._note(stands)
        self._shown = -1

    def _note(self, stands: int) -> None:
        """Note where the game stands."""
        self.is_over = stands >= one_game.OVER
        self.turn = stands - one_game.OVER if self.is_over else stands

    @property
    def game(self) -> UnoGame:
        """The game with its history, hidden cards included: to look at, not to play."""
        if self._game is None:
            self._game = UnoGame.deal(self.rules, self._seed)
        for act in self._pending:
            self._game.play(act)
        self._pending.clear()
        return self._game

    @property
    def outcome(self) -> UnoOutcome:
        """The result of a game that is over."""
        scores = np.zeros(self.rules.players, np.int64)
        ended = one_game.write_scores(self._record, self._games, scores)
        return UnoOutcome.of(self.rules, UnoEnd.OUT if ended == OUT else UnoEnd.EXHAUSTED, scores.tolist())

    def look(self, seat: int) -> tuple[Array, Array]:
        """What a seat sees, int8 `(size,)`, and its legal acts, int8 `(62,)`: 0 for all off turn."""
        self._show(seat)
        return self._observation[0].copy(), self._mask[0].copy()

    def _show(self, seat: int) -> None:
        if seat != self._shown:
            one_game.show_seat(*self._given, seat)
            self._shown = seat

    def act(self, act: int) -> None:
        """Make an act of the seat to move. A refused one changes nothing. Raises as `UnoGame.play`."""
        check_act(act)  # compiled code takes no number of more than 64 bits
        self._show(self.turn)
        stands = one_game.act_in_game(*self._given, act)
        if stands == one_game.REFUSED:
            self.game.play(act)
            raise RuntimeError(f"action {act}: the compiled rules refuse what the reference rules allow")
        self._pending.append(act)
        self._note(stands)
        self._shown = self.turn
