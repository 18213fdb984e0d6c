"""Seats of self-play games that are not the learner's: which they are, and what is played there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from big2_env.errors import ConfigError
from big2_env.kernels.opponents import Opponent, RowRandom

Array = npt.NDArray[Any]


class Guests:
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
        self.invite(opponents)
        self.share = share
        self.is_own: Array = np.ones((num_rows, num_seats), np.bool_)
        """Which seats are the learner's, bool (rows, seats)."""
        self._streams = np.random.default_rng().integers(1 << 63, size=num_rows, dtype=np.uint64)
        self._deals = np.zeros(num_rows, np.int64)
        self._luck = np.zeros(num_rows, np.uint64)
        self._who: list[Any] = [None] * num_rows

    def invite(self, opponents: Iterable[Opponent]) -> None:
        """Draw from these opponents from the next deal of each row on; who plays already plays on.

        Raises:
            ConfigError: one that is neither "random" nor can be called.
        """
        several = [opponents] if isinstance(opponents, str) else list(opponents)
        for opponent in several:
            if opponent != "random" and not callable(opponent):
                raise ConfigError(f"opponent {opponent!r}: allowed are 'random' and functions of observations, masks and luck")
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
        luck, seats = RowRandom(self._streams[rows], self._deals[rows]), self.is_own.shape[1]
        number = np.where(luck.random() < self.share, 1 + luck.integers(seats - 1), 0)
        order = np.argsort(np.stack([luck.random() for _ in range(seats)], axis=1), axis=1)
        self.is_own[rows] = order >= number[:, None]
        self._luck[rows] = (luck.integers(1 << 32) << 32 | luck.integers(1 << 32)).astype(np.uint64)
        for row, which in zip(rows.tolist(), luck.integers(len(self.opponents)).tolist(), strict=True):
            self._who[row] = self.opponents[which]

    def play(self, rows: Array, observations: Array, masks: Array, steps: Array) -> Array:
        """The acts of the guests that are to move in these rows, int64 (M,).

        Args:
            rows: int64 (M,).
            observations: of all rows (rows, size).
            masks: bool, of all rows (rows, actions).
            steps: how many acts each row's game has seen, of all rows (rows,).

        Raises:
            ConfigError: an opponent gives something else than a legal action for each row.
        """
        actions = np.zeros(len(rows), np.int64)
        who = np.array([id(self._who[row]) for row in rows.tolist()])
        for key in np.unique(who):
            mine = np.flatnonzero(who == key)
            asked = rows[mine]
            opponent, legal, luck = self._who[asked[0]], masks[asked], RowRandom(self._luck[asked], steps[asked])
            if opponent == "random":
                place = luck.integers(legal.sum(axis=1))
                given = (legal.cumsum(axis=1) > place[:, None]).argmax(axis=1)
            else:
                given = np.asarray(opponent(observations[asked], legal.view(np.int8), luck))
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
