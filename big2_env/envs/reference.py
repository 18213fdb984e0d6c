"""The reference rules as an engine of the turn-by-turn environments: they serve every ruleset."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from big2_env.climbing.game import Game
from big2_env.climbing.payoff_bound import check_exact
from big2_env.climbing.play import PASS, Play
from big2_env.envs.turn_engine import Array, Engine


class ReferenceEngine(Engine):
    """An `Engine` by the reference rules.

    >>> from big2_env import BIG2
    >>> engine = ReferenceEngine(BIG2)
    >>> engine.start(Game.deal(BIG2, seed=7))
    >>> observation, mask = engine.look(engine.turn)
    >>> engine.turn, observation.shape, int(mask.sum())
    (1, (547,), 2)
    """

    _game: Game | None = None
    _ids: list[int] | None = None
    """The legal ids of the present position, once asked for."""

    def start(self, game: Game) -> None:
        """Go on with a game, which is shared and not copied."""
        check_exact(self.ruleset, self.num_players, game.position)
        self._game, self.is_started = game, True
        self._note()

    @property
    def game(self) -> Game:
        """The game with its history, hidden cards included: to look at, not to play."""
        assert self._game is not None  # the environments see to it
        return self._game

    def _note(self) -> None:
        """Note where the game stands after an act."""
        self._ids = None
        while self.skip_forced and self.is_forced():
            self.game.push(PASS)
        self.turn, self.is_over = self.game.turn, self.game.is_over

    def look(self, seat: int) -> tuple[Array, npt.NDArray[np.int8]]:
        """What a seat sees, int8 or float32 `(size,)`, and its legal acts, int8 `(num_actions,)`: 0 for all off turn."""
        mask = np.zeros(self.space.n, np.int8)
        if seat == self.game.turn:
            if self._ids is None:
                self._ids = self.space.ids(self.game.legal_plays())
            mask[self._ids] = 1
        return self.layout.encode(self.game.view(seat), np.empty(self.layout.size, self.dtype)), mask

    def is_forced(self) -> bool:
        """Whether the only legal act of the seat to move is the pass."""
        return next(iter(self.game.legal_plays()), None) is PASS

    def act(self, action: int) -> None:
        """Make the act of an id. A refused one changes nothing. Raises as `ActionSpace.verify` does."""
        game = self.game
        game.push(self.space.verify(action, game.legal_plays()))
        self._note()

    def play(self, play: Play) -> None:
        """Make an act given as a play. A refused one changes nothing. Raises as `Game.play` does."""
        self.game.play(play)
        self._note()

    def payoffs(self) -> tuple[float, ...]:
        """What each seat gets; 0 for everyone before the end."""
        outcome = self.game.outcome
        return (0.0,) * self.num_players if outcome is None else outcome.payoffs
