"""Seats of self-play games that are not the learner's: which they are, and who plays there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from stable_baselines3.common.callbacks import BaseCallback

from big2_env.envs.league import League
from big2_env.envs.opponents import LeagueRows, OpponentLike
from big2_env.envs.sb3_policy import PolicyOpponent
from big2_env.errors import ConfigError
from big2_env.kernels.batch import mixed
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.opponents import RowRandom, ask, refuse_act

Array = npt.NDArray[Any]


class OpponentPool:
    """In a share of the games one of the opponents plays one, two or three seats (of four), drawn when the game is dealt.

    Each row draws from a stream of its own: same seed, same seats, whatever the number of rows.

    Args:
        engine: the games, in which every seat is the learner's.
        opponents: a `League`, or opponents as of `SeatVecEnv`; none: all seats are the learner's.
        share: of the games, 0 to 1.

    Raises:
        ConfigError: something else; an opponent that cannot play these games.
    """

    def __init__(self, engine: BatchEngine, opponents: League | OpponentLike | Iterable[OpponentLike], share: float) -> None:
        if not 0.0 <= share <= 1.0:
            raise ConfigError(f"expected a share from 0 to 1, got {share}")
        self._engine, self.share = engine, share
        self.league = League()
        """Who is drawn."""
        self.draw_from(opponents)
        num_rows = engine.num_games
        self.is_own: Array = np.ones((num_rows, engine.num_players), np.bool_)
        """Which seats are the learner's, bool (rows, seats)."""
        self._streams = np.random.default_rng().integers(1 << 63, size=num_rows, dtype=np.uint64)
        self._deals = np.zeros(num_rows, np.int64)

    def draw_from(self, opponents: League | OpponentLike | Iterable[OpponentLike]) -> None:
        """Draw from these opponents from the next deal of each row on; who plays already plays on.

        Raises:
            ConfigError: as the class.
        """
        self.league = opponents if isinstance(opponents, League) else League(opponents)
        players = LeagueRows(self.league, self._engine.ruleset, self._engine.num_players)
        if players.uses_history:
            self._engine.keep_history()
        known: LeagueRows | None = getattr(self, "_players", None)
        if known is None:
            self._players = players
        else:
            known.league = self.league

    def seed(self, seeds: npt.ArrayLike) -> None:
        """Begin the rows' streams anew, a number for each."""
        self._streams = np.array([int(seed) % 2**64 for seed in np.asarray(seeds, object)], np.uint64)
        self._deals[:] = 0

    def deal(self, rows: Array) -> None:
        """Draw the seats of the games that were dealt in these rows, int64 (M,)."""
        self.is_own[rows] = True
        self._players.leave(rows)
        if not self.league.members or self.share == 0.0 or not len(rows):
            return
        self._deals[rows] += 1
        streams = mixed(self._streams[rows] ^ mixed(self._deals[rows].astype(np.uint64)))
        rng, seats = RowRandom(streams), self.is_own.shape[1]
        number = np.where(rng.random() < self.share, 1 + rng.integers(seats - 1), 0)
        order = np.argsort(np.stack([rng.random() for _ in range(seats)], axis=1), axis=1)
        self.is_own[rows] = order >= number[:, None]

    def play(self, rows: Array) -> Array:
        """The acts of the opponents that are to move in these rows, int64 (M,).

        Raises:
            ConfigError: an opponent gives something else than an action for each row.
            IllegalPlayError: an action is not legal.
        """
        engine = self._engine
        actions = ask(engine, self._players, rows, RowRandom(engine.move_streams(rows)))
        all_actions = np.zeros(engine.num_games, np.int64)
        all_actions[rows] = actions
        wrong = np.flatnonzero(~engine.are_legal(all_actions)[rows])
        if len(wrong):
            refuse_act(engine, self._players, int(rows[wrong[0]]), int(actions[wrong[0]]))
        return actions


class SnapshotCallback(BaseCallback):
    """Lets a snapshot of the model join a league, between rollouts, whenever the league's schedule says so.

    Args:
        league: that the environment was given, with a `snapshot_interval`.
        deterministic: whether snapshots make their likeliest acts.
        verbose: as of SB3.

    Raises:
        ConfigError: a league without a schedule.
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
