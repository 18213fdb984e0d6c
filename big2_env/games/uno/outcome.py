"""How a game of UNO ended, and what each seat gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from big2_env.errors import ConfigError
from big2_env.games.uno.rules import UnoRules
from big2_env.named import Named


class UnoEnd(Named):
    """How a game ended."""

    OUT = "a hand is empty"
    EXHAUSTED = "the pile is empty"


@dataclass(frozen=True)
class UnoOutcome:
    """The result of a game."""

    reason: UnoEnd
    """How it ended."""
    scores: tuple[int, ...]
    """What the cards left count, by seat."""
    winners: tuple[int, ...]
    """The seats that win: those with the lowest score, or by the rules the lowest of them alone."""

    @classmethod
    def of(cls, rules: UnoRules, reason: UnoEnd, scores: Sequence[int]) -> UnoOutcome:
        """The result that the cards left by each seat give."""
        winners = tuple(seat for seat, score in enumerate(scores) if score == min(scores))
        return cls(reason, tuple(scores), winners if rules.ties == "shared" else winners[:1])

    @property
    def winner(self) -> int:
        """The winner, the lowest seat of several."""
        return self.winners[0]

    def payoffs(self, scoring: str = "winner") -> tuple[float, ...]:
        """What each seat gets; the sum is 0.

        `winner`: each loser pays 1 / (players - 1), the winners share it. `points`: each loser pays what its score exceeds the
        lowest one by, the winners share it.

        Raises:
            ConfigError: another scoring.
        """
        if scoring not in SCORINGS:
            raise ConfigError(f"unknown scoring {scoring!r}; expected one of {', '.join(SCORINGS)}")
        pay = SCORINGS[scoring]
        paid = [0.0 if seat in self.winners else pay(self, seat) for seat in range(len(self.scores))]
        share = sum(paid) / len(self.winners)
        return tuple(share if seat in self.winners else -paid[seat] for seat in range(len(paid)))


SCORINGS: Final[dict[str, Callable[[UnoOutcome, int], float]]] = {
    "winner": lambda outcome, seat: 1 / (len(outcome.scores) - 1),
    "points": lambda outcome, seat: float(outcome.scores[seat] - min(outcome.scores)),
}
"""The scorings by name: what a losing seat pays."""
