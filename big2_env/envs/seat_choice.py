"""The learner's seat from episode to episode."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.errors import ConfigError


class SeatChoice:
    """Which seat is the learner's: a number, `"random"` for one drawn each episode, `"rotate"` for each in turn.

    Raises:
        ConfigError: something else.
    """

    def __init__(self, given: Any, num_seats: int) -> None:
        self._num_seats = num_seats
        self._given = self._checked(given, "seat")
        self._now = self._given
        self._turns = 0

    def _checked(self, given: Any, where: str) -> int | str:
        if isinstance(given, str) and given in ("random", "rotate"):
            return given
        if isinstance(given, int | np.integer) and not isinstance(given, bool) and 0 <= given < self._num_seats:
            return int(given)
        raise ConfigError(f"expected {where} 'rotate', 'random' or 0 to {self._num_seats - 1}, got {given!r}")

    def begin(self, asked: Any = None, *, anew: bool = False) -> None:
        """An episode begins: `asked` counts for it alone; `anew`, by a seed, the round begins at seat 0.

        Raises:
            ConfigError: `asked` is no seat.
        """
        self._now = self._given if asked is None else self._checked(asked, "reset option seat")
        if anew:
            self._turns = 0

    @property
    def is_drawn(self) -> bool:
        """True if the seat is drawn at random."""
        return self._now == "random"

    def seat(self, drawn: int) -> int:
        """The seat of the next deal; `drawn` is the one at random."""
        if self.is_drawn:
            return drawn
        if self._now == "rotate":
            self._turns += 1
            return (self._turns - 1) % self._num_seats
        return int(self._now)
