"""Settlements, which compute the payoff of each seat when a game is over."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import add
from typing import ClassVar, Final, NamedTuple

from big2_env.base.cards import NUM_CARDS, Card, Rank, iter_cards
from big2_env.base.enums import Named
from big2_env.base.errors import ConfigError
from big2_env.base.validated import Checked

EXACT: Final = 1 << 53
"""float64 represents every whole number up to this one."""
MAX_AMOUNT: Final = 10**9
"""Largest value of a step, card or point, so that sums stay below `EXACT`."""
MAX_FACTOR: Final = 100
"""Largest factor of a doubling."""
COPIES: Final = 8
"""Largest number of cards of one rank: four suits in two decks."""


class Standing(NamedTuple):
    """State at the end of a game, as a settlement sees it.

    Args:
        hands: Cards left in each hand, as masks.
        finished: Seats that ran out of cards, in the order they finished.
        landlord: Seat that played against the others, or None without a landlord.
        stake: Base that the auction produced (底分).
        factor: Multiplier from the game.
        captured: Cards of the tricks that each seat has won, as masks, if the settlement counts them.
        times: Multiplier of each loser's payment, by patterns left in its hand and the winner's last play; empty for 1.
    """

    hands: tuple[int, ...]
    finished: tuple[int, ...]
    landlord: int | None = None
    stake: int = 1
    factor: int = 1
    captured: tuple[int, ...] = ()
    times: tuple[int, ...] = ()

    @property
    def winners(self) -> tuple[int, ...]:
        """Seat that finished first, with its teammates."""
        return team_of(self.finished[0], self.landlord, len(self.hands))


def team_of(seat: int, landlord: int | None, number: int) -> tuple[int, ...]:
    """Return a seat and its teammates, ascending.

    Args:
        seat: The seat.
        landlord: Seat of the landlord, or None without teams.
        number: Number of seats.
    """
    if landlord is None or seat == landlord:
        return (seat,)
    return tuple(other for other in range(number) if other != landlord)


class When(Named):
    """Cards or play that a `Doubling` looks at."""

    LEFT = "left"
    """The cards left in a loser's hand, for that loser alone."""
    LAST = "last"
    """The winner's last play, for all losers."""


@dataclass(frozen=True)
class Doubling(Checked):
    """Factor on what losers pay, because of cards left or of the winner's last play. Give a pattern, a rank or a card.

    Args:
        when: Cards left, or the last play.
        pattern: Name of a pattern: the hand holds such a play, of which kickers do not matter, or it is the last play. For
            cards left, the pattern need not be one of the ruleset's.
        rank: Rank of cards left, each of which multiplies the payment, or key rank of the last play.
        card: A card left.
        factor: Multiplier, at least 2.
        once: True if several cards left of the rank multiply once.

    Raises:
        ConfigError: Not exactly one of pattern, rank and card is given, a part does not go with `when`, or the factor is
            outside 2 to `MAX_FACTOR`.
    """

    when: When
    pattern: str | None = None
    rank: Rank | None = None
    card: Card | None = None
    factor: int = 2
    once: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [name for name in ("pattern", "rank", "card") if getattr(self, name) is not None]
        if len(given) != 1:
            place = f"Doubling.{given[0] if given else 'rank'}"
            raise ConfigError(f"{place}: expected one of pattern, rank and card, got {' and '.join(given) or 'none'}")
        if self.when is When.LAST and self.card is not None:
            raise ConfigError(f"doubling by the last play: expected a pattern or a rank, got the card {self.card}")
        if self.once and (self.when is When.LAST or self.rank is None):
            raise ConfigError("doubling: once needs a rank of cards left")
        if not 2 <= self.factor <= MAX_FACTOR:
            raise ConfigError(f"doubling: expected a factor of 2 to {MAX_FACTOR}, got {self.factor}")

    @property
    def of_each(self) -> bool:
        """True if each card left of a rank multiplies the payment."""
        return self.when is When.LEFT and self.rank is not None and not self.once

    def times(self, hand: int) -> int:
        """Return what cards left of the rank, or the card, multiply a payment by; 1 for a pattern."""
        if self.when is When.LAST or self.pattern is not None:
            return 1
        if self.card is not None:
            return self.factor if hand >> self.card & 1 else 1
        number = sum(card.rank is self.rank for card in iter_cards(hand))
        return int(self.factor ** (min(number, 1) if self.once else number))


class Settlement(ABC):
    """Rule that turns the standing at the end of a game into payoffs.

    Subclass it for your own scoring and pass the instance to `RuleSet.with_scoring`.

    Attributes:
        needs_landlord: True if it pays by stakes, which only an auction produces.
        serves_teams: True if it supports teams.
        captures: True if it counts the cards of the tricks that each seat has won.
    """

    needs_landlord: ClassVar[bool] = False
    serves_teams: ClassVar[bool] = False
    captures: ClassVar[bool] = False

    def won_or_lost(self, num_players: int) -> tuple[float, float] | None:
        """Return the payoffs of a winner and of a loser if only these occur, so that a mean payoff is a chance to win."""
        return None

    @property
    def doublings(self) -> tuple[Doubling, ...]:
        """Factors on what losers pay."""
        return ()

    @abstractmethod
    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        """Return the payoff of each seat. They sum to zero.

        Amounts whose sums float64 cannot represent exactly are returned as integers.

        Args:
            standing: State at the end of the game.
        """


class PenaltySettlement(Settlement):
    """Base of settlements in which each loser pays by its cards left. The winners share the sum equally.

    A subclass of yours defines `penalty`. Kernels compile it, so it may depend on nothing but its arguments.
    """

    serves_teams = True

    @abstractmethod
    def penalty(self, cards_left: int, num_players: int) -> float:
        """Return what a loser pays, at least 0.

        Args:
            cards_left: Number of cards in the loser's hand.
            num_players: Number of players, counting a winning team as one.
        """

    def owed(self, hand: int, num_players: int) -> float:
        """Return what a loser with these cards pays.

        Args:
            hand: Cards left, as a mask.
            num_players: Number of players, counting a winning team as one.
        """
        return self.penalty(hand.bit_count(), num_players)

    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        """Return minus the amount owed for each loser, and a share of their sum for each winner.

        Args:
            standing: State at the end of the game.
        """
        winners = standing.winners
        number = len(standing.hands) - len(winners) + 1
        times = standing.times or (1,) * len(standing.hands)
        owed = [0.0 if seat in winners else self.owed(hand, number) for seat, hand in enumerate(standing.hands)]
        paid = [amount * factor for amount, factor in zip(owed, times, strict=True)]
        return tuple(_added(paid) / len(winners) if seat in winners else 0.0 - amount for seat, amount in enumerate(paid))


@dataclass(frozen=True)
class WinnerTakesOne(PenaltySettlement):
    """Settlement that pays +1 to the winner and -1 / (players - 1) to each loser."""

    def won_or_lost(self, num_players: int) -> tuple[float, float] | None:
        """Return +1 and -1 / (players - 1)."""
        return 1.0, -1.0 / (num_players - 1)

    def penalty(self, cards_left: int, num_players: int) -> float:
        """Return 1 divided by the number of losers.

        Args:
            cards_left: Ignored.
            num_players: Number of players, counting a winning team as one.
        """
        return 1.0 / (num_players - 1)


def _check_steps(steps: tuple[tuple[int, float], ...]) -> None:
    cards = [number for number, _ in steps]
    if sorted(set(cards)) != cards or any(number < 0 or value < 0 for number, value in steps):
        raise ConfigError(f"expected steps of (cards, value), cards ascending, nothing negative, got {steps}")
    _check_amounts([value for _, value in steps])


def _check_amounts(amounts: Iterable[float]) -> None:
    """Reject amounts whose sums float64 might not represent exactly."""
    if not all(abs(amount) <= MAX_AMOUNT for amount in amounts):
        raise ConfigError(f"expected amounts up to {MAX_AMOUNT:,}, got another value")


def _added(amounts: Iterable[float]) -> float:
    """Return a sum from left to right, as kernels add; since Python 3.12 `sum` rounds in another way."""
    return reduce(add, amounts, 0.0)


def _step(steps: tuple[tuple[int, float], ...], cards_left: int, default: float) -> float:
    """Return the value of the last step with at most that many cards."""
    return next((value for cards, value in reversed(steps) if cards_left >= cards), default)


@dataclass(frozen=True)
class CardsLeft(Checked, PenaltySettlement):
    """Settlement in which each loser pays the points of its cards left, times a factor that may grow in steps.

    Args:
        steps: Pairs (cards, factor), ascending. The last step with at most that many cards applies; the factor is 1 below the
            first.
        points: Pairs (rank, points). Cards of other ranks count one point each.
        doublings: Factors on the payment, for cards left or the winner's last play.

    Raises:
        ConfigError: The steps are not ascending, a rank appears twice, or a value is negative or too large.

    >>> twos = CardsLeft(doublings=(Doubling(When.LEFT, rank=Rank.TWO),))
    >>> hand = 1 << Card("S[3]") | 1 << Card("H[2]") | 1 << Card("S[2]")
    >>> CardsLeft().owed(hand, 4), twos.owed(hand, 4)
    (3.0, 12.0)
    """

    steps: tuple[tuple[int, float], ...] = ()
    points: tuple[tuple[Rank, int], ...] = ()
    doublings: tuple[Doubling, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_steps(self.steps)
        ranks = [rank for rank, _ in self.points]
        if len(set(ranks)) < len(ranks):
            raise ConfigError(f"expected each rank once, got {', '.join(rank.name for rank in ranks)}")
        if len(set(self.doublings)) < len(self.doublings):
            raise ConfigError("expected each doubling once, got one twice")
        _check_amounts([number for _, number in self.points])
        points = max([1, *(number for _, number in self.points)])
        factor = max([1.0, *(value for _, value in self.steps)])
        each = (one.factor ** (COPIES if one.of_each else 1) for one in self.doublings)
        most = points * factor * NUM_CARDS * prod(each)
        if min([0, *(number for _, number in self.points)]) < 0 or most > EXACT:
            raise ConfigError(f"expected points of at least 0 and payments below 2**53, got payments of up to {most:,.0f}")

    def factor(self, cards_left: int) -> float:
        """Return the factor for a number of cards left.

        Args:
            cards_left: Number of cards in the loser's hand.
        """
        return _step(self.steps, cards_left, 1.0)

    @property
    def is_by_number(self) -> bool:
        """True if only the number of cards left counts."""
        return not self.points and all(one.when is When.LAST for one in self.doublings)

    def penalty(self, cards_left: int, num_players: int) -> float:
        """Return the number of cards left times the factor: the payment for cards of one point each.

        Args:
            cards_left: Number of cards in the loser's hand.
            num_players: Ignored.
        """
        return cards_left * self.factor(cards_left)

    def owed(self, hand: int, num_players: int) -> float:
        """Return the points of the cards left times the factor, multiplied by the doublings of ranks and cards."""
        if self.is_by_number:
            return self.penalty(hand.bit_count(), num_players)
        points, ranks = dict(self.points), [card.rank for card in iter_cards(hand)]
        times = prod(one.times(hand) for one in self.doublings)
        return sum(points.get(rank, 1) for rank in ranks) * self.factor(len(ranks)) * times


@dataclass(frozen=True)
class StepTable(Checked, PenaltySettlement):
    """Settlement in which each loser pays an amount that grows in steps with the cards left.

    Args:
        steps: Pairs (cards, amount), ascending. The last step with at most that many cards applies; the amount is 0 below the
            first.

    Raises:
        ConfigError: The steps are not ascending, or a value is negative or too large.
    """

    steps: tuple[tuple[int, float], ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_steps(self.steps)

    def penalty(self, cards_left: int, num_players: int) -> float:
        """Return the amount of the step.

        Args:
            cards_left: Number of cards in the loser's hand.
            num_players: Ignored.
        """
        return _step(self.steps, cards_left, 0.0)


@dataclass(frozen=True)
class PairwiseDifference(Checked, Settlement):
    """Settlement in which each pair of seats settles the difference in the value of their remaining cards.

    Args:
        steps: Pairs (cards, factor), ascending, as in `CardsLeft`.
        bonuses: Pairs (card, amount): extra value of particular cards.

    Raises:
        ConfigError: The steps are not ascending, or a value is negative or too large.
    """

    steps: tuple[tuple[int, float], ...] = ()
    bonuses: tuple[tuple[Card, float], ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_steps(self.steps)
        _check_amounts([amount for _, amount in self.bonuses])

    def value(self, hand: int) -> float:
        """Return the value of the cards left, which counts against their holder."""
        left = hand.bit_count()
        return _added((left * _step(self.steps, left, 1.0), *(amount for card, amount in self.bonuses if hand >> card & 1)))

    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        """Return the sum of all values minus the number of seats times the seat's own value.

        Args:
            standing: State at the end of the game.
        """
        values = [self.value(hand) for hand in standing.hands]
        return tuple(_added(values) - len(values) * value for value in values)


@dataclass(frozen=True)
class TeamStake(Settlement):
    """Settlement between landlord and team. Each other seat wins or loses the multiplied stake, the landlord the total."""

    needs_landlord = True
    serves_teams = True

    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        """Return plus or minus stake x factor for each other seat, and the opposite of their sum for the landlord.

        Args:
            standing: State at the end of the game.
        """
        stake, number = standing.stake * standing.factor, len(standing.hands)
        unit = stake if standing.finished[0] == standing.landlord else -stake
        paid = [unit * (number - 1 if seat == standing.landlord else -1) for seat in range(number)]
        return tuple(map(float, paid)) if stake * (number - 1) <= EXACT else tuple(paid)


@dataclass(frozen=True)
class CapturedPoints(Checked, Settlement):
    """Settlement by points in tricks: the winner of a trick takes its points. Each pair of seats settles the difference.

    Args:
        points: Pairs (rank, points) of the cards that have any.

    Raises:
        ConfigError: A value is too large.
    """

    captures = True

    points: tuple[tuple[Rank, int], ...] = ((Rank.FIVE, 5), (Rank.TEN, 10), (Rank.KING, 10))

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_amounts([points for _, points in self.points])

    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        """Return the number of seats times the seat's own points, minus all points.

        Args:
            standing: State at the end of the game.
        """
        own = [float(self.points_of(mask)) for mask in standing.captured]
        return tuple(len(own) * mine - sum(own) for mine in own)

    def points_of(self, cards: int) -> int:
        """Return the points of cards."""
        points = dict(self.points)
        return sum(points.get(card.rank, 0) for card in iter_cards(cards))


@dataclass(frozen=True)
class FinishingOrder(Settlement):
    """Settlement in which the last holder of cards pays one point to each other player."""

    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        """Return -(players - 1) for the seat that did not finish, and +1 for each other seat.

        Args:
            standing: State at the end of the game.
        """
        number = len(standing.hands)
        last = [seat for seat in range(number) if seat not in standing.finished] or [standing.finished[-1]]
        return tuple(1.0 - number if seat == last[0] else 1.0 for seat in range(number))


SCORINGS: Final[dict[str, Settlement]] = {"winner": WinnerTakesOne(), "cards": CardsLeft()}
"""Settlements by the names used in commands and environments."""


def settlement(scoring: str | Settlement) -> Settlement:
    """Return a settlement by name, or the one given.

    Args:
        scoring: A name from `SCORINGS`, or a settlement.

    Raises:
        ConfigError: No settlement has that name.
    """
    if isinstance(scoring, Settlement):
        return scoring
    if not isinstance(scoring, str) or scoring not in SCORINGS:
        raise ConfigError(f"unknown scoring {scoring!r}; expected {', '.join(SCORINGS)} or a Settlement")
    return SCORINGS[scoring]
