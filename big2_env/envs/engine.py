"""What an environment asks of a running game, in one small place: the hot path of every decision goes through here.

`ReferenceEngine` answers by the plain rules. Another engine that has the same methods may take its place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from big2_env.climbing.actions import HandSlots
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.envs.observation import ObservationLayout
from big2_env.errors import ConfigError

Array = npt.NDArray[Any]


class ReferenceEngine:
    """One game at a time for an environment, by the reference rules. Arrays that come out are always new ones.

    Raises:
        ConfigError: a number of players that the ruleset does not allow, or a dtype other than int8 and float32.

    >>> from big2_env import BIG2
    >>> engine = ReferenceEngine(BIG2)
    >>> engine.start(Game.deal(BIG2, seed=7))
    >>> engine.turn, engine.observation(0).shape, int(engine.mask(engine.turn).sum())
    (1, (547,), 2)
    """

    def __init__(self, ruleset: RuleSet, num_players: int | None = None, dtype: npt.DTypeLike = np.int8) -> None:
        self.ruleset = ruleset
        self.num_players = ruleset.min_players if num_players is None else num_players
        if not ruleset.min_players <= self.num_players <= ruleset.max_players:
            raise ConfigError(
                f"{self.num_players} players: {ruleset.name} allows {ruleset.min_players} to {ruleset.max_players}"
            )
        try:
            self.dtype = np.dtype(dtype)
        except TypeError:
            self.dtype = np.dtype(object)
        if self.dtype not in (np.dtype(np.int8), np.dtype(np.float32)):
            raise ConfigError(f"dtype {dtype!r}: allowed are 'int8' and 'float32'")
        self.space = HandSlots(ruleset)
        """Acts as numbers."""
        self.layout = ObservationLayout(ruleset, self.num_players)
        """Where everything stands in an observation."""
        self._game: Game | None = None
        self._ids: list[int] | None = None
        """The legal ids of the present position, once asked for."""

    def start(self, game: Game) -> None:
        """Go on with a game, which is shared and not copied."""
        self._game, self._ids = game, None

    @property
    def is_started(self) -> bool:
        """Whether there is a game."""
        return self._game is not None

    @property
    def game(self) -> Game:
        """The game, hidden cards included: to look at, not to play."""
        assert self._game is not None  # the environments see to it
        return self._game

    @property
    def turn(self) -> int:
        """The seat to move; without meaning once the game is over."""
        return self.game.turn

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.game.is_over

    def observation(self, seat: int) -> Array:
        """What a seat sees, int8 or float32 `(size,)`."""
        return self.layout.encode(self.game.view(seat), np.empty(self.layout.size, self.dtype))

    def legal_ids(self) -> list[int]:
        """The ids of the legal acts of the seat to move; none when the game is over."""
        if self._ids is None:
            self._ids = self.space.ids(self.game.legal_plays())
        return self._ids

    def mask(self, seat: int) -> npt.NDArray[np.int8]:
        """The legal acts of a seat, int8 `(num_actions,)`: 1 for each legal id, all 0 for a seat that is not to move."""
        mask = np.zeros(self.space.n, np.int8)
        if seat == self.game.turn:
            mask[self.legal_ids()] = 1
        return mask

    def act(self, action: int) -> None:
        """Make the act of an id. A refused one changes nothing. Raises as `HandSlots.verify` does."""
        game = self.game
        game.push(self.space.verify(action, game.legal_plays()))
        self._ids = None

    def play(self, play: Play) -> None:
        """Make an act given as a play. A refused one changes nothing. Raises as `Game.play` does."""
        self.game.play(play)
        self._ids = None

    def payoffs(self) -> tuple[float, ...]:
        """What each seat gets; 0 for everyone before the end."""
        outcome = self.game.outcome
        return (0.0,) * self.num_players if outcome is None else outcome.payoffs
