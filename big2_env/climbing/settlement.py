"""Settlements: what each seat gets when a game is over."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Final, NamedTuple

from big2_env.errors import ConfigError


class Standing(NamedTuple):
    """What a settlement looks at."""

    hands: tuple[int, ...]
    """The cards left, as a mask per seat."""
    finished: tuple[int, ...]
    """The seats that got rid of all cards, the first one first."""


class Settlement(ABC):
    """A rule that turns the standing at the end into payoffs."""

    @abstractmethod
    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        """The payoff of each seat; they sum to zero."""


class PenaltySettlement(Settlement):
    """Each loser pays by the number of cards left; the winner gets the sum."""

    @abstractmethod
    def penalty(self, cards_left: int, num_players: int) -> float:
        """What a loser with so many cards left pays, a number that is not negative."""

    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        """Minus the penalty for each loser, their sum for the first who finished."""
        winner = standing.finished[0]
        number = len(standing.hands)
        paid = [0.0 if s == winner else self.penalty(h.bit_count(), number) for s, h in enumerate(standing.hands)]
        return tuple(sum(paid) if seat == winner else -amount for seat, amount in enumerate(paid))


@dataclass(frozen=True)
class WinnerTakesOne(PenaltySettlement):
    """+1 to the winner, -1 / (players - 1) to each loser."""

    def penalty(self, cards_left: int, num_players: int) -> float:
        """An equal share of one."""
        return 1.0 / (num_players - 1)


def _check_steps(steps: tuple[tuple[int, float], ...]) -> None:
    cards = [number for number, _ in steps]
    if sorted(set(cards)) != cards or any(number < 0 or value < 0 for number, value in steps):
        raise ConfigError(f"steps {steps}: allowed are (cards, value), cards ascending, nothing negative")


def _step(steps: tuple[tuple[int, float], ...], cards_left: int, default: float) -> float:
    """The value of the last step with at most that many cards."""
    return next((value for cards, value in reversed(steps) if cards_left >= cards), default)


@dataclass(frozen=True)
class CardsLeft(PenaltySettlement):
    """Each loser pays one per card left, times a factor that may grow in steps; the winner gets the sum."""

    steps: tuple[tuple[int, float], ...] = ()
    """(cards, factor), ascending: the last step with at most that many cards left counts; without one the factor is 1."""

    def __post_init__(self) -> None:
        _check_steps(self.steps)

    def penalty(self, cards_left: int, num_players: int) -> float:
        """The cards left times their factor."""
        return cards_left * _step(self.steps, cards_left, 1.0)


@dataclass(frozen=True)
class StepTable(PenaltySettlement):
    """Each loser pays an amount that grows in steps with the cards left; the winner gets the sum."""

    steps: tuple[tuple[int, float], ...]
    """(cards, amount), ascending: the last step with at most that many cards left counts; without one nothing is paid."""

    def __post_init__(self) -> None:
        _check_steps(self.steps)

    def penalty(self, cards_left: int, num_players: int) -> float:
        """The amount of the step."""
        return _step(self.steps, cards_left, 0.0)


@dataclass(frozen=True)
class FinishingOrder(Settlement):
    """The last holder of cards pays one to each other player."""

    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        """-(players - 1) for the one who did not finish, +1 for each other."""
        number = len(standing.hands)
        last = [seat for seat in range(number) if seat not in standing.finished] or [standing.finished[-1]]
        return tuple(1.0 - number if seat == last[0] else 1.0 for seat in range(number))


SCORINGS: Final[dict[str, Settlement]] = {"winner": WinnerTakesOne(), "cards": CardsLeft()}
"""Settlements by the name that commands and environments use."""


def settlement(scoring: str | Settlement) -> Settlement:
    """The settlement of that name, or the one given.

    Raises:
        ConfigError: no settlement has that name.
    """
    if isinstance(scoring, Settlement):
        return scoring
    if scoring not in SCORINGS:
        raise ConfigError(f"scoring {scoring!r}: allowed are {', '.join(SCORINGS)}, or a Settlement")
    return SCORINGS[scoring]
