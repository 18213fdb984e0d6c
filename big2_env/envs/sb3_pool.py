"""Seats of self-play games that are not the learner's: which they are, and what is played there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from big2_env.errors import ConfigError
from big2_env.kernels.opponents import Opponent, RowRandom

Array = npt.NDArray[Any]


class OpponentPool:
    """In a share of the games one of the opponents plays one, two or three seats (of four), drawn when the game is dealt.

    Each row draws from a stream of its own: same seed, same seats, whatever the number of rows.

    Args:
        num_rows: games.
        num_seats: seats of a game.
        opponents: `"random"`, or functions as of `SeatVecEnv`; none: all seats are the learner's.
        share: of the games, 0 to 1.

    Raises:
        ConfigError: something else.
    """

    def __init__(self, num_rows: int, num_seats: int, opponents: Iterable[Opponent], share: float) -> None:
        if not 0.0 <= share <= 1.0:
            raise ConfigError(f"share {share}: allowed are 0 to 1")
        self.opponents: list[Any] = []
        self.draw_from(opponents)
        self.share = share
        self.is_own: Array = np.ones((num_rows, num_seats), np.bool_)
        """Which seats are the learner's, bool (rows, seats)."""
        self._streams = np.random.default_rng().integers(1 << 63, size=num_rows, dtype=np.uint64)
        self._deals = np.zeros(num_rows, np.int64)
        self._rng = np.zeros(num_rows, np.uint64)
        self._opponent_of: list[Any] = [None] * num_rows

    def draw_from(self, opponents: Iterable[Opponent]) -> None:
        """Draw from these opponents from the next deal of each row on; who plays already plays on.

        Raises:
            ConfigError: one that is neither "random" nor can be called.
        """
        several = [opponents] if isinstance(opponents, str) else list(opponents)
        for opponent in several:
            if opponent != "random" and not callable(opponent):
                raise ConfigError(f"opponent {opponent!r}: allowed are 'random' and functions of observations, masks and rng")
        self.opponents = several

    def seed(self, seeds: npt.ArrayLike) -> None:
        """Begin the rows' streams anew, a number for each."""
        self._streams = np.array([int(seed) % 2**64 for seed in np.asarray(seeds, object)], np.uint64)
        self._deals[:] = 0

    def deal(self, rows: Array) -> None:
        """Draw the seats of the games that were dealt in these rows, int64 (M,)."""
        self.is_own[rows] = True
        if not self.opponents or self.share == 0.0 or not len(rows):
            return
        self._deals[rows] += 1
        rng, seats = RowRandom(self._streams[rows], self._deals[rows]), self.is_own.shape[1]
        number = np.where(rng.random() < self.share, 1 + rng.integers(seats - 1), 0)
        order = np.argsort(np.stack([rng.random() for _ in range(seats)], axis=1), axis=1)
        self.is_own[rows] = order >= number[:, None]
        self._rng[rows] = (rng.integers(1 << 32) << 32 | rng.integers(1 << 32)).astype(np.uint64)
        for row, which in zip(rows.tolist(), rng.integers(len(self.opponents)).tolist(), strict=True):
            self._opponent_of[row] = self.opponents[which]

    def play(self, rows: Array, observations: Array, masks: Array, steps: Array) -> Array:
        """The acts of the opponents that are to move in these rows, int64 (M,).

        Args:
            rows: int64 (M,).
            observations: of all rows (rows, size).
            masks: bool, of all rows (rows, actions).
            steps: how many acts each row's game has seen, of all rows (rows,).

        Raises:
            ConfigError: an opponent gives something else than a legal action for each row.
        """
        actions = np.zeros(len(rows), np.int64)
        keys = np.array([id(self._opponent_of[row]) for row in rows.tolist()])
        for key in np.unique(keys):
            mine = np.flatnonzero(keys == key)
            asked = rows[mine]
            opponent, legal, rng = self._opponent_of[asked[0]], masks[asked], RowRandom(self._rng[asked], steps[asked])
            if opponent == "random":
                place = rng.integers(legal.sum(axis=1))
                given = (legal.cumsum(axis=1) > place[:, None]).argmax(axis=1)
            else:
                given = np.asarray(opponent(observations[asked], legal.view(np.int8), rng))
                if given.shape != asked.shape or given.dtype.kind not in "iu":
                    raise ConfigError(
                        f"opponent {opponent!r} gave {given.dtype} {given.shape}: allowed are {len(asked)} integers"
                    )
                known = (given >= 0) & (given < legal.shape[1])
                wrong = np.flatnonzero(~(known & legal[np.arange(len(asked)), np.where(known, given, 0)]))
                if len(wrong):
                    row, action = asked[wrong[0]], given[wrong[0]]
                    raise ConfigError(f"opponent {opponent!r} gave action {action} in row {row}: allowed are the legal ones")
            actions[mine] = given
        return actions
