"""Seats of self-play games that belong to opponents, and the opponents that play there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from stable_baselines3.common.callbacks import BaseCallback

from big2_env.base.errors import ConfigError
from big2_env.envs.league import League
from big2_env.envs.opponents import LeagueRows, OpponentLike
from big2_env.envs.sb3_policy import PolicyOpponent
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.opponents import RowRandom, ask, refuse_act

Array = npt.NDArray[Any]


class OpponentPool:
    """Opponent pool of self-play: in a share of the games, one opponent plays one to all but one of the seats.

    Seats and opponent are drawn when the game is dealt, the seats by the game's salt: same seed, same seats, for any number
    of rows.

    Args:
        engine: Engine that holds the games.
        opponents: A `League`, or any number of opponents as of `SeatVecEnv`. Empty: all seats are the learner's.
        share: Fraction of games with an opponent, 0 to 1.

    Raises:
        ConfigError: If an argument is invalid, or an opponent cannot play these games.
    """

    def __init__(self, engine: BatchEngine, opponents: League | OpponentLike | Iterable[OpponentLike], share: float) -> None:
        if not 0.0 <= share <= 1.0:
            raise ConfigError(f"expected a share from 0 to 1, got {share}")
        self._engine, self.share = engine, share
        self._players = LeagueRows(League(), engine.ruleset, engine.num_players)
        self.draw_from(opponents)
        num_rows = engine.num_games
        self.is_own: Array = np.ones((num_rows, engine.num_players), np.bool_)
        """Bool (rows, seats), true for the learner's seats."""

    def draw_from(self, opponents: League | OpponentLike | Iterable[OpponentLike]) -> None:
        """Replace the opponents, from the next deal of each row on. Current games keep theirs.

        Raises:
            ConfigError: As the class.
        """
        self.league = opponents if isinstance(opponents, League) else League(opponents)
        """League from which opponents are drawn."""
        self._players.draw_from(self.league)
        self.keep_history()

    def keep_history(self) -> None:
        """Record all moves from now on if a member of the league needs them. Call this before each step."""
        if self._players.uses_history:
            self._engine.keep_history()

    def deal(self, rows: Array) -> None:
        """Draw the opponents' seats of the games just dealt in these rows, int64 (M,)."""
        self.is_own[rows] = True
        self._players.leave(rows)
        if not self.league.members or self.share == 0.0 or not len(rows):
            return
        rng, seats = RowRandom(self._engine.salts[rows]), self.is_own.shape[1]
        number = np.where(rng.random() < self.share, 1 + rng.integers(seats - 1), 0)
        order = np.argsort(np.stack([rng.random() for _ in range(seats)], axis=1), axis=1)
        self.is_own[rows] = order >= number[:, None]

    def play(self, rows: Array) -> Array:
        """Return the actions of the opponents that are to move in these rows, int64 (M,).

        Raises:
            ConfigError: If an opponent does not return one action per row.
            IllegalPlayError: If an action is illegal.
        """
        engine = self._engine
        actions = ask(engine, self._players, rows, RowRandom(engine.move_streams(rows)))
        all_actions = np.zeros(engine.num_games, np.int64)
        all_actions[rows] = actions
        wrong = np.flatnonzero(~engine.are_legal(all_actions)[rows])
        if len(wrong):
            refuse_act(engine, f"opponent {self._players!r}", int(rows[wrong[0]]), int(actions[wrong[0]]))
        return actions


class SnapshotCallback(BaseCallback):
    """SB3 callback that adds snapshots of the model to a league, between rollouts, on the league's schedule.

    Args:
        league: League of the environment, with a `snapshot_interval`.
        deterministic: True if snapshots choose their most likely action, False if they sample.
        verbose: As in SB3.

    Raises:
        ConfigError: If the league has no schedule.
    """

    def __init__(self, league: League, *, deterministic: bool = False, verbose: int = 0) -> None:
        super().__init__(verbose)
        if league.snapshot_interval is None:
            raise ConfigError("expected a league with a schedule, League(..., snapshot_interval=STEPS), got none")
        self.league, self.deterministic = league, deterministic

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        model: Any = self.model
        if self.league.snapshot_due(self.num_timesteps):
            self.league.add_snapshot(self.num_timesteps, PolicyOpponent(model, deterministic=self.deterministic))
