"""The learner's seat from episode to episode."""

from __future__ import annotations

from typing import Any

from big2_env.kernels.opponents import checked_seat


class SeatChoice:
    """Which seat is the learner's: a number, `"random"` for one drawn each episode, `"rotate"` for each in turn.

    Raises:
        ConfigError: something else.
    """

    def __init__(self, given: Any, num_seats: int) -> None:
        self._num_seats = num_seats
        self._given = checked_seat(given, num_seats)
        self._now = self._given
        self._turns = 0

    def begin(self, asked: Any = None, *, anew: bool = False) -> None:
        """An episode begins: `asked` counts for it alone; `anew`, by a seed, the round begins at seat 0.

        Raises:
            ConfigError: `asked` is no seat.
        """
        self._now = self._given if asked is None else checked_seat(asked, self._num_seats, "reset option seat")
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
