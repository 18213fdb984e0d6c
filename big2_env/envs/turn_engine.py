"""What an environment asks of a running game, in one small place: the hot path of every decision goes through here.

`reference.ReferenceEngine` answers by the plain rules and serves every ruleset; `compiled.CompiledEngine` answers the same,
several times faster, for the rulesets that compile. `engines.make_engine` takes the faster one that there is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from big2_env.climbing.action_base import ActionSpace
from big2_env.climbing.actions import action_space
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.game import Game
from big2_env.climbing.payoff_bound import check_exact
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError

Array = npt.NDArray[Any]


class Engine(ABC):
    """One game at a time for an environment. Arrays that come out are always new ones.

    With `skip_forced` a seat whose only legal act is the pass is passed by the engine, after a start and after every act; the
    game's history has these passes.

    Raises:
        ConfigError: a number of players that the ruleset does not allow, stakes whose payoffs float64 does not hold exactly, or
            a dtype other than int8 and float32.
    """

    turn: int = 0
    """The seat to move; without meaning once the game is over."""
    is_over: bool = False
    """True if the game has ended."""
    is_started: bool = False
    """True if there is a game."""

    def __init__(
        self,
        ruleset: RuleSet,
        num_players: int | None = None,
        dtype: npt.DTypeLike = np.int8,
        skip_forced: bool = False,
    ) -> None:
        self.ruleset = ruleset
        self.num_players = ruleset.seats(num_players)
        check_exact(ruleset, self.num_players)
        try:
            self.dtype = np.dtype(dtype)
        except TypeError:
            self.dtype = np.dtype(object)
        if self.dtype not in (np.dtype(np.int8), np.dtype(np.float32)):
            raise ConfigError(f"expected dtype 'int8' or 'float32', got {dtype!r}")
        self.skip_forced = skip_forced
        self.space: ActionSpace = action_space(ruleset)
        """Acts as numbers."""
        self.layout = ObservationLayout(ruleset, self.num_players)
        """Where everything stands in an observation."""

    @abstractmethod
    def start(self, game: Game) -> None:
        """Go on with a game, which is shared and not copied.

        Raises:
            ConfigError: its stake is one whose payoffs float64 may not hold exactly.
        """

    @property
    @abstractmethod
    def game(self) -> Game:
        """The game with its history, hidden cards included: to look at, not to play."""

    def deal(self, seed: int) -> None:
        """Start the game that `Game.deal` deals by a seed."""
        self.start(Game.deal(self.ruleset, seed, self.num_players))

    def sync(self) -> None:  # noqa: B027  # nothing to do is an answer
        """Apply pending actions to the shared Game: for those who hold it themselves."""

    @abstractmethod
    def look(self, seat: int) -> tuple[Array, npt.NDArray[np.int8]]:
        """What a seat sees, int8 or float32 `(size,)`, and its legal acts, int8 `(num_actions,)`: 0 for all off turn."""

    def observation(self, seat: int) -> Array:
        """What a seat sees, int8 or float32 `(size,)`."""
        return self.look(seat)[0]

    def mask(self, seat: int) -> npt.NDArray[np.int8]:
        """The legal acts of a seat, int8 `(num_actions,)`: 1 for each legal id, all 0 for a seat that is not to move."""
        return self.look(seat)[1]

    @abstractmethod
    def is_forced(self) -> bool:
        """Whether the only legal act of the seat to move is the pass."""

    @abstractmethod
    def act(self, action: int) -> None:
        """Make the act of an id. A refused one changes nothing. Raises as `ActionSpace.verify` does."""

    @abstractmethod
    def play(self, play: Play) -> None:
        """Make an act given as a play. A refused one changes nothing. Raises as `Game.play` does."""

    @abstractmethod
    def payoffs(self) -> tuple[float, ...]:
        """What each seat gets; 0 for everyone before the end."""
