"""Deals of one game with a running score: what sessions of one person and of several share."""

from __future__ import annotations

from typing import Any


class Session:
    """Deals of one game with a running score."""

    game: Any
    """Current game, including hidden cards. User interfaces must show a seat's view instead."""
    before: tuple[float, ...]
    """Sum of payoffs from the deals before the current one, by seat."""

    @property
    def is_over(self) -> bool:
        """True once the current game is over."""
        return bool(self.game.is_over)

    @property
    def turn(self) -> int:
        """Seat to move; in a finished game, the seat that moved last."""
        return int(self.game.turn)

    @property
    def scores(self) -> tuple[float, ...]:
        """Sum of payoffs from finished deals, by seat."""
        paid = self.payoffs() or (0.0,) * len(self.before)
        return tuple(before + each for before, each in zip(self.before, paid, strict=True))

    def payoffs(self) -> tuple[float, ...] | None:
        """Return each seat's payoff, `None` before the end of the deal."""
        found: tuple[float, ...] | None = self.game.payoffs()
        return found

    def last_move_of(self, seat: int) -> int | None:
        """Return the number of moves before a seat's last move; `None` if it has made none."""
        history = self.game.history
        return next((ply for ply in reversed(range(len(history))) if history[ply].seat == seat), None)
