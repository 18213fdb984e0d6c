"""The compiled rules as an engine of the turn-by-turn environments: a batch of one game, for every ruleset that compiles.

The game with its history stays the reference engine's: acts are passed on to it, and checked by it, when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from big2_env.climbing.game import Game
from big2_env.climbing.payoff_bound import check_exact
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.envs.turn_engine import Array, Engine
from big2_env.kernels.batch import ENDED, RUNNING
from big2_env.kernels.engine import BatchEngine


class CompiledEngine(Engine):
    """An `Engine` by the compiled rules.

    Raises:
        ConfigError: as `Engine`; a ruleset that cannot be compiled.

    >>> from big2_env import BIG2
    >>> engine = CompiledEngine(BIG2)
    >>> engine.start(Game.deal(BIG2, seed=7))
    >>> engine.act(1)
    >>> engine.turn, len(engine.game.history)
    (2, 1)
    """

    def __init__(
        self,
        ruleset: RuleSet,
        num_players: int | None = None,
        dtype: npt.DTypeLike = np.int8,
        skip_forced: bool = False,
    ) -> None:
        super().__init__(ruleset, num_players, dtype, skip_forced)
        self._batch = batch = BatchEngine(ruleset, 1, num_players=num_players, dtype=dtype, skip_forced=skip_forced)
        self._record = batch.games[0]
        self._observation, self._mask, self._seat, self._status = batch.observation[0], batch.mask[0], batch.seat, batch.status
        self._game: Game | None = None
        self._seed: int | None = None
        """The seed of a deal that no game has been made of yet."""
        self._pending: list[int] = []
        """The acts that the reference game does not have yet."""
        self._shown = 0

    def __reduce__(self) -> tuple[Any, ...]:
        game = self.game if self.is_started else None
        return type(self), (self.ruleset, self.num_players, self.dtype, self.skip_forced), game

    def __setstate__(self, game: Game) -> None:
        self.start(game)

    def start(self, game: Game) -> None:
        """Go on with a game, which is shared and not copied."""
        check_exact(self.ruleset, self.num_players, game.position)
        self._game, self._seed, self.is_started = game, None, True
        self._pending.clear()
        self._pack()

    def deal(self, seed: int) -> None:
        """Start the game that `Game.deal` deals by a seed."""
        self._game, self._seed, self.is_started = None, seed, True
        self._pending.clear()
        self._batch.deal([seed])
        if self.skip_forced:  # forced passes after a forced lead
            self._pending += [0] * (int(self._record.steps) - self.ruleset.auto_lead)
        self._note()

    def _pack(self) -> None:
        """Take the position from the game, and make the forced passes where they are skipped."""
        assert self._game is not None
        self._batch.set_position(0, self._game.position)
        self._status[0] = ENDED if self._record.winner >= 0 else RUNNING
        self._batch.show()
        self._note()
        if self.skip_forced and self.is_forced():
            self.act(0)

    def _note(self) -> None:
        """Note where the game stands now."""
        self.turn = self._shown = self._seat.item()
        self.is_over = self._status.item() == ENDED
        if self.is_over:  # then the seat that acted last is shown
            self.turn = int(self._record.turn)

    def _make(self, action: int, pending: Sequence[int] = ()) -> bool:
        """Make an act; `False`, and nothing done, where it is not legal.

        The forced passes after it are pending then, and before them those acts that the reference game has to make as well.
        """
        before = int(self._record.steps) if self.skip_forced else 0
        if not self._batch.try_act(action):
            return False
        self._pending += pending
        self._note()
        if self.skip_forced:
            self._pending += [0] * (int(self._record.steps) - before - 1)
        return True

    @property
    def game(self) -> Game:
        """The game with its history, hidden cards included: to look at, not to play."""
        self.sync()
        assert self._game is not None  # the environments see to it
        return self._game

    def sync(self) -> None:
        """Apply pending actions to the shared Game."""
        if self._game is None and self._seed is not None:
            self._game = Game.deal(self.ruleset, self._seed, self.num_players)
        game = self._game
        if game is not None:
            for action in self._pending:
                game.push(self.space.verify(action, game.legal_plays()))
            self._pending.clear()

    def look(self, seat: int) -> tuple[Array, npt.NDArray[np.int8]]:
        """What a seat sees, int8 or float32 `(size,)`, and its legal acts, int8 `(num_actions,)`: 0 for all off turn."""
        if seat != self._shown:
            self._batch.show([seat])
            self._shown = seat
        return self._observation.copy(), self._mask.copy()

    def is_forced(self) -> bool:
        """True if the only legal act of the seat to move is the pass."""
        counts, ids = self._batch.legal_ids()
        return bool(counts[0] == 1 and ids[0, 0] == 0)

    def act(self, action: int) -> None:
        """Make the act of an id. A refused one changes nothing. Raises as `ActionSpace.verify` does."""
        if self._make(action, (action,)):
            return
        self.space.verify(action, self.game.legal_plays())
        raise RuntimeError(f"action {action}: the compiled engine refuses what the rules allow")

    def play(self, play: Play) -> None:
        """Make an act given as a play. A refused one changes nothing. Raises as `Game.play` does."""
        game = self.game
        hand = game.position.hands[game.turn]
        made = game.play(play)
        action = self.space.of_play(made, hand)
        if made and self.space.cards(action, hand) != made.mask:  # other cards of these ranks than an action names
            self._pack()
        else:
            self._make(action)

    def payoffs(self) -> tuple[float, ...]:
        """What each seat gets; 0 for everyone before the end."""
        return tuple((self._batch.paid[0] + 0.0).tolist()) if self.is_over else (0.0,) * self.num_players
