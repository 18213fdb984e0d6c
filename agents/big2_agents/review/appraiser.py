"""What each seat could expect at a moment of a game, and who tells it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from big2_env.climbing.game import Game
from big2_env.climbing.outcome import Outcome
from big2_env.runs.intervals import NORMAL_95


@dataclass(frozen=True)
class Prospect:
    """What the seats could expect at one moment."""

    means: tuple[float, ...]
    """Mean payoff of each seat."""
    intervals: tuple[tuple[float, float], ...]
    """The 95 % interval of each mean, from the spread of the play-outs; without width at the end of a game."""
    size: float = 0.0
    """What is at stake: the root of the mean square of all payoffs in the play-outs."""
    playouts: int = 0
    """How many play-outs this comes from; 0 at the end of a game."""


class Appraiser(Protocol):
    """What tells each seat's prospects."""

    def prospect(self, game: Game) -> Prospect:
        """What each seat can expect from where a game stands."""
        ...


def paid(outcome: Outcome) -> Prospect:
    """The prospect at the end of a game: what it paid."""
    payoffs = outcome.payoffs
    size = (sum(one * one for one in payoffs) / len(payoffs)) ** 0.5
    return Prospect(payoffs, tuple((one, one) for one in payoffs), size)


def estimated(sums: list[float], squares: list[float], playouts: int) -> Prospect:
    """The prospect by play-outs.

    Args:
        sums: by seat, the sum of its payoffs.
        squares: by seat, the sum of their squares.
        playouts: how many there were.
    """
    means = tuple(one / playouts for one in sums)
    halves = [
        NORMAL_95 * (max(0.0, square / playouts - mean**2) / playouts) ** 0.5
        for mean, square in zip(means, squares, strict=True)
    ]
    ends = tuple((mean - half, mean + half) for mean, half in zip(means, halves, strict=True))
    return Prospect(means, ends, (sum(squares) / len(squares) / playouts) ** 0.5, playouts)
