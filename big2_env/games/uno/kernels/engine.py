"""Batch engine of UNO, the Python interface to its kernels: many games stepped together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from big2_env.base.errors import ConfigError, IllegalPlayError, Refusal
from big2_env.base.salts import Salts
from big2_env.games.uno.cards import NUM_MOVES, check_move, move_text
from big2_env.games.uno.kernels.dtypes import LEARNER, OPPONENTS, new_games, rules_record
from big2_env.games.uno.observation import UnoLayout
from big2_env.games.uno.rules import SCORINGS, UnoRules
from big2_env.kernels.batch import first_salts
from big2_env.kernels.opponents import fixed_seat
from big2_env.kernels.side_batch import SideBatch
from big2_env.kernels.switch import Compilation

Array = npt.NDArray[Any]


class UnoBatchEngine(SideBatch):
    """Batch of UNO games with the output buffers of a step, like `big2_env.kernels.engine.BatchEngine`.

    Each game has its own random stream, seeded by `seed` plus its index. Results do not depend on the batch size or on threads.
    A deal uses one number of the stream and equals `UnoGame.deal(rules, number)`. The record of a game is
    `uno.kernels.dtypes.GAME`.

    A row without opponents shows the seat to move, and a step makes its move. With opponents every row has one learner: the
    others move inside the step, and the reward is the learner's payoff no matter who ends the game. Opponents' random choices
    depend only on their views and on the game's salt (`big2_env.base.salts`).

    Args:
        rules: Rules of the games.
        num_games: Number of games.
        scoring: One of `SCORINGS`.
        opponents: Names from `dtypes.OPPONENTS`, starting with the seat after the learner's; `None` for no learner.
        seat: Learner's seat: `"rotate"`, `"random"` or a number.
        agent_seed: Number that is mixed into the salts, for other random choices of opponents in the same games.
        dtype: Type of the observation, int8 or float32.
        threads: Number of threads that step the games.
        may_interpret: As of `BatchEngine`.

    Raises:
        ConfigError: An argument is invalid.

    >>> engine = UnoBatchEngine(UnoRules(), 3)
    >>> engine.reset(seed=7)
    >>> engine.mask.shape, engine.observation.shape
    ((3, 62), (3, 406))
    """

    package = "big2_env.games.uno.kernels"

    def __init__(
        self,
        rules: UnoRules,
        num_games: int,
        *,
        scoring: str = "winner",
        opponents: Sequence[str] | None = None,
        seat: int | str = "rotate",
        agent_seed: int | None = None,
        dtype: npt.DTypeLike = np.int8,
        threads: int = 1,
        may_interpret: bool = False,
    ) -> None:
        if scoring not in SCORINGS:
            raise ConfigError(f"unknown scoring {scoring!r}; expected one of {', '.join(SCORINGS)}")
        self.rules, self.scoring = rules, scoring
        self.layout = UnoLayout(rules)
        super().__init__(num_games, rules.players, NUM_MOVES, self.layout.size, dtype, threads)
        self._rules = (rules_record(rules, scoring),)
        self._set_games(new_games(num_games), np.zeros(num_games, np.uint64), self.layout.size // 64 + 4, may_interpret)
        self._set_learners(opponents, seat)
        self._salts = Salts(agent_seed)

    def _set_learners(self, opponents: Sequence[str] | None, seat: int | str) -> None:
        """Set the opponents and the learner's seat.

        Raises:
            ConfigError: An opponent or the seat does not exist.
        """
        players, given = self.num_players, [] if opponents is None else list(opponents)
        if opponents is not None and (len(given) != players - 1 or not set(given) <= set(OPPONENTS)):
            raise ConfigError(f"expected {players - 1} opponents of {', '.join(OPPONENTS)}, got {given!r}")
        self._has_learner = opponents is not None
        self._kinds = np.array([OPPONENTS.index(name) for name in given], np.int64)
        self._fixed = fixed_seat(seat, players)
        self._learners = np.zeros(self.num_games, LEARNER)
        self._learners["first"] = np.arange(self.num_games) % players
        self._with_learner = self._learners, self._kinds, self._fixed

    def _compilation(self) -> Compilation:
        return compilation(self._has_learner, self.observation.dtype.name)

    @property
    def skipped(self) -> tuple[Array, Array] | None:
        """Games that ended before the learner's first turn; see `Batch.skipped`."""
        return (self._learners["skipped_games"], self._learners["skipped_payoff"]) if self._has_learner else None

    def _seeded(self, streams: Array, chosen: Array) -> None:
        self._learners["salts"][chosen] = first_salts(self._salts, streams[chosen].tolist())
        self._learners["deals"][chosen] = 0

    def _show(self, chosen: Array, anew: bool) -> None:
        shown = chosen, anew, self.observation, self.mask, self._legal, self._seat
        if self._has_learner:
            self._each("learners.show_seats", *self._with_learner, *shown)
        else:
            self._each("loops.show_games", *shown)

    def masks(self) -> Array:
        """Return the masks of legal actions; see `Batch.masks`."""
        return (self._legal[:, None] >> np.arange(NUM_MOVES, dtype=np.uint64) & np.uint64(1)).astype(np.int8)

    def _step(self, actions: Array, obs: Array, mask: Array, reward: Array, status: Array, reset: int) -> None:
        stepped = (
            actions, reset, obs, mask, reward, status, self.payoffs, self.final_observation, self._legal, self._seat,
            self._actor,
        )  # fmt: skip
        if self._has_learner:
            self._each("learners.step_seats", *self._with_learner, *stepped)
        else:
            self._each("loops.step_games", *stepped)

    def are_legal(self, actions: npt.ArrayLike) -> Array:
        """Return which actions are legal; see `Batch.are_legal`."""
        asked = np.broadcast_to(np.asarray(actions), (self.num_games,))
        known = (asked >= 0) & (asked < NUM_MOVES)
        return known & ((self._legal >> np.where(known, asked, 0).astype(np.uint64)) & np.uint64(1)).astype(np.bool_)

    def verify(self, index: int, action: int) -> None:
        """Check that an action is legal; see `Batch.verify`."""
        check_move(action)
        if not self._legal[index] >> np.uint64(action) & np.uint64(1):
            allowed = ", ".join(move_text(move) for move in range(NUM_MOVES) if int(self._legal[index]) >> move & 1)
            raise IllegalPlayError(f"expected {allowed or 'none'}, got {move_text(action)}", Refusal.DOES_NOT_COVER)

    def play_random(self, steps: int) -> int:
        """Make `steps` random legal moves in each game, with observations and masks. Return the number of finished games."""
        ended = 0
        for _ in range(steps):
            self.step(self.random_actions())
            ended += int(np.count_nonzero(self.status))
        return ended


@lru_cache(maxsize=8)
def compilation(has_learner: bool, dtype: str) -> Compilation:
    """Return this process's background compilation of the kernels of batches.

    Args:
        has_learner: True for games with one learner each.
        dtype: Observation dtype.
    """

    def prepare() -> None:
        engine = UnoBatchEngine(UnoRules(), 1, opponents=["random"] if has_learner else None, dtype=dtype)
        engine.reset(0)
        engine.step(engine.random_actions())
        engine.legal_ids()

    kind = f"{'seat' if has_learner else 'self-play'}-{dtype}"
    return Compilation(prepare, f"{UnoBatchEngine.package}.loops.list_games", kind=lambda: kind, what="UNO")
