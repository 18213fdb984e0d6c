"""Settlements: what each seat gets when a game is over."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

from big2_env.cards import Card, Rank, iter_cards
from big2_env.checked import Checked
from big2_env.errors import ConfigError

EXACT: Final = 1 << 53
"""Up to here float64 holds every whole number."""
MAX_AMOUNT: Final = 10**9
"""Most that a step, a card or a point counts: so what they sum up to stays below `EXACT`."""


class Standing(NamedTuple):
    """What a settlement looks at."""

    hands: tuple[int, ...]
    """The cards left, as a mask per seat."""
    finished: tuple[int, ...]
    """The seats that got rid of all cards, the first one first."""
    landlord: int | None = None
    """The seat that played against the rest; `None` where everybody played alone."""
    stake: int = 1
    """The base that the auction gave (底分)."""
    factor: int = 1
    """What happened in the game multiplies it by."""
    captured: tuple[int, ...] = ()
    """The cards of the tricks each seat has won, as masks, where the settlement asks for them."""

    @property
    def winners(self) -> tuple[int, ...]:
        """The seat that finished first and its team."""
        return team_of(self.finished[0], self.landlord, len(self.hands))


def team_of(seat: int, landlord: int | None, number: int) -> tuple[int, ...]:
    """A seat and those on its team, ascending."""
    if landlord is None or seat == landlord:
        return (seat,)
    return tuple(other for other in range(number) if other != landlord)


class Settlement(ABC):
    """A rule that turns the standing at the end into payoffs."""

    needs_landlord: ClassVar[bool] = False
    """Whether it pays by stakes, which only an auction makes."""
    serves_teams: ClassVar[bool] = False
    """Whether it knows what teams are."""
    captures: ClassVar[bool] = False
    """Whether it looks at the cards of the tricks each seat has won."""

    @abstractmethod
    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        """The payoff of each seat; they sum to zero. Amounts that float64 may not add exactly are whole numbers."""


class PenaltySettlement(Settlement):
    """Each loser pays by the number of cards left; the winner gets the sum, the winners in equal shares."""

    serves_teams = True

    @abstractmethod
    def penalty(self, cards_left: int, num_players: int) -> float:
        """What a loser with so many cards left pays, not negative. A winning team counts as one player."""

    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        """Minus the penalty for each loser, their sum for the first who finished and its team."""
        winners = standing.winners
        number = len(standing.hands) - len(winners) + 1
        paid = [0.0 if s in winners else self.penalty(h.bit_count(), number) for s, h in enumerate(standing.hands)]
        return tuple(sum(paid) / len(winners) if seat in winners else 0.0 - amount for seat, amount in enumerate(paid))


@dataclass(frozen=True)
class WinnerTakesOne(PenaltySettlement):
    """+1 to the winner, -1 / (players - 1) to each loser."""

    def penalty(self, cards_left: int, num_players: int) -> float:
        """An equal share of one."""
        return 1.0 / (num_players - 1)


def _check_steps(steps: tuple[tuple[int, float], ...]) -> None:
    cards = [number for number, _ in steps]
    if sorted(set(cards)) != cards or any(number < 0 or value < 0 for number, value in steps):
        raise ConfigError(f"expected steps of (cards, value), cards ascending, nothing negative, got {steps}")
    _check_amounts([value for _, value in steps])


def _check_amounts(amounts: Iterable[float]) -> None:
    """Refuse amounts of which float64 may not hold the sums exactly."""
    if not all(abs(amount) <= MAX_AMOUNT for amount in amounts):
        raise ConfigError(f"expected amounts up to {MAX_AMOUNT:,}, got one that is no such number")


def _step(steps: tuple[tuple[int, float], ...], cards_left: int, default: float) -> float:
    """The value of the last step with at most that many cards."""
    return next((value for cards, value in reversed(steps) if cards_left >= cards), default)


@dataclass(frozen=True)
class CardsLeft(Checked, PenaltySettlement):
    """Each loser pays one per card left, times a factor that may grow in steps; the winner gets the sum."""

    steps: tuple[tuple[int, float], ...] = ()
    """(cards, factor), ascending: the last step with at most that many cards left counts; without one the factor is 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_steps(self.steps)

    def penalty(self, cards_left: int, num_players: int) -> float:
        """The cards left times their factor."""
        return cards_left * _step(self.steps, cards_left, 1.0)


@dataclass(frozen=True)
class StepTable(Checked, PenaltySettlement):
    """Each loser pays an amount that grows in steps with the cards left; the winner gets the sum."""

    steps: tuple[tuple[int, float], ...]
    """(cards, amount), ascending: the last step with at most that many cards left counts; without one nothing is paid."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_steps(self.steps)

    def penalty(self, cards_left: int, num_players: int) -> float:
        """The amount of the step."""
        return _step(self.steps, cards_left, 0.0)


@dataclass(frozen=True)
class PairwiseDifference(Checked, Settlement):
    """Each seat pays every other the difference of what they are worth: cards left by steps, and more for some cards."""

    steps: tuple[tuple[int, float], ...] = ()
    """(cards, factor), ascending, as in `CardsLeft`."""
    bonuses: tuple[tuple[Card, float], ...] = ()
    """(card, amount): what holding that card adds."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_steps(self.steps)
        _check_amounts([amount for _, amount in self.bonuses])

    def value(self, hand: int) -> float:
        """What the cards left are worth, against their holder; 0 for none."""
        left = hand.bit_count()
        return left * _step(self.steps, left, 1.0) + sum(amount for card, amount in self.bonuses if hand >> card & 1)

    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        """The sum of all values less the number of seats times the own one."""
        values = [self.value(hand) for hand in standing.hands]
        return tuple(sum(values) - len(values) * value for value in values)


@dataclass(frozen=True)
class TeamStake(Settlement):
    """The landlord against the rest: each of these gets or pays the multiplied stake, the landlord all of it."""

    needs_landlord = True
    serves_teams = True

    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        """Plus or minus stake x factor for each of the rest, the opposite of their sum for the landlord."""
        stake, number = standing.stake * standing.factor, len(standing.hands)
        unit = stake if standing.finished[0] == standing.landlord else -stake
        paid = [unit * (number - 1 if seat == standing.landlord else -1) for seat in range(number)]
        return tuple(map(float, paid)) if stake * (number - 1) <= EXACT else tuple(paid)


@dataclass(frozen=True)
class CapturedPoints(Checked, Settlement):
    """Whoever wins a trick takes the points of its cards; each seat gets its points less those of every other."""

    captures = True

    points: tuple[tuple[Rank, int], ...] = ((Rank.FIVE, 5), (Rank.TEN, 10), (Rank.KING, 10))
    """(rank, points) of each card that has any."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_amounts([points for _, points in self.points])

    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        """The number of seats times the own points less all points."""
        own = [float(self.points_of(mask)) for mask in standing.captured]
        return tuple(len(own) * mine - sum(own) for mine in own)

    def points_of(self, cards: int) -> int:
        """The points of cards, given as a mask."""
        points = dict(self.points)
        return sum(points.get(card.rank, 0) for card in iter_cards(cards))


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
    if not isinstance(scoring, str) or scoring not in SCORINGS:
        raise ConfigError(f"unknown scoring {scoring!r}; expected {', '.join(SCORINGS)} or a Settlement")
    return SCORINGS[scoring]
