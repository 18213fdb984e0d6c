"""The end of a game: when it is over, the winner, the payoffs, and a bound on them.

Kernels and environments pay in float64, which represents every whole number up to 2**53. The readable rules have no such limit:
larger payoffs are Python integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from math import ceil, log2, prod

from big2_env.base.cards import Rank, as_mask, iter_cards
from big2_env.base.enums import Named
from big2_env.base.errors import ConfigError
from big2_env.climbing.auction import CallRob
from big2_env.climbing.patterns import pattern as named_pattern
from big2_env.climbing.play import Play
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import Ending, RuleSet
from big2_env.climbing.settlement import (
    EXACT,
    CapturedPoints,
    CardsLeft,
    FinishingOrder,
    PairwiseDifference,
    PenaltySettlement,
    Standing,
    TeamStake,
    When,
    team_of,
)
from big2_env.climbing.shapes import Suits
from big2_env.climbing.table import Row


class EndReason(Named):
    """Reason why a game is over."""

    EMPTY_HAND = "empty_hand"
    """A seat has played its last card."""
    LAST_HOLDER = "last_holder"
    """At most one seat holds cards, and the draw pile is empty."""


@dataclass(frozen=True)
class Outcome:
    """Result of a finished game.

    Args:
        winner: First seat to run out of cards.
        reason: Reason why the game ended.
        cards_left: Number of cards in each hand.
        payoffs: Payoff of each seat under the ruleset's settlement.
        landlord: Seat that played against the others, or None without a landlord.
    """

    winner: int
    reason: EndReason
    cards_left: tuple[int, ...]
    payoffs: tuple[float, ...]
    landlord: int | None = None

    @property
    def winners(self) -> tuple[int, ...]:
        """The winner and its teammates, ascending."""
        return team_of(self.winner, self.landlord, len(self.cards_left))


def is_over(ruleset: RuleSet, position: Position) -> bool:
    """Return True if the game has ended."""
    if ruleset.ending is Ending.FIRST_OUT:
        return bool(position.finished)
    return not position.pile and sum(map(bool, position.hands)) <= 1


def outcome_of(ruleset: RuleSet, position: Position) -> Outcome:
    """Return the result of a finished game."""
    first_out = ruleset.ending is Ending.FIRST_OUT
    return Outcome(
        winner=position.finished[0],
        reason=EndReason.EMPTY_HAND if first_out else EndReason.LAST_HOLDER,
        cards_left=tuple(hand.bit_count() for hand in position.hands),
        payoffs=ruleset.scoring.payoffs(standing(ruleset, position)),
        landlord=position.landlord,
    )


def standing(ruleset: RuleSet, position: Position) -> Standing:
    """Return the settlement's input at the end of a game. Springs are counted, and the last trick goes to its winner."""
    captured = position.captured
    if captured and position.trick and position.top_seat is not None:
        winner = position.top_seat
        captured = (*captured[:winner], captured[winner] | position.trick, *captured[winner + 1 :])
    factor, landlord = position.factor, position.landlord
    if landlord is not None:
        others = sum(position.acted) - position.acted[landlord]
        if position.finished[0] == landlord:
            factor *= ruleset.spring if not others else 1
        else:
            factor *= ruleset.anti_spring if position.acted[landlord] == 1 else 1
    times = times_of(ruleset, position.hands, last_factor(ruleset, position.top))
    return Standing(position.hands, position.finished, landlord, position.stake, factor, captured, times)


def times_of(ruleset: RuleSet, hands: Sequence[int], factor: int) -> tuple[int, ...]:
    """Return what the payment of each seat is multiplied by, besides the ranks and cards that it holds; empty for 1.

    Args:
        ruleset: Rules of the game.
        hands: Cards left, as masks.
        factor: Multiplier by the winner's last play.
    """
    left = [(one.pattern, one.factor) for one in ruleset.scoring.doublings if one.when is When.LEFT and one.pattern is not None]
    if not left and factor == 1:
        return ()
    return tuple(prod([factor, *(times for pattern, times in left if any(bodies(ruleset, pattern, hand)))]) for hand in hands)


def bodies_of(ruleset: RuleSet, pattern: str) -> list[tuple[tuple[int, ...], Suits]]:
    """Return the numbers of cards of each rank, and the suits, of a pattern's plays without kickers.

    Args:
        ruleset: Rules of the game.
        pattern: Name of a pattern of the ruleset, or of another one of the package.
    """
    found = {(row.body, row.shape.suits) for row in ruleset.table.rows if row.pattern == pattern}
    found = found or {(shape.counts, shape.suits) for shape in named_pattern(pattern).shapes(ruleset.order)}
    return sorted(found, key=lambda one: (one[0], one[1].value))


def bodies(ruleset: RuleSet, pattern: str, hand: int) -> Iterator[int]:
    """Yield the cards of a hand that make a play of a pattern but for its kickers, as masks.

    Args:
        ruleset: Rules of the game.
        pattern: Name of the pattern, as for `bodies_of`.
        hand: Cards of the hand, as a mask.
    """
    for body, suits in bodies_of(ruleset, pattern):
        held = zip(ruleset.order.rank_masks, body, strict=True)
        units = [combinations(iter_cards(hand & mask), count) for mask, count in held if count]
        for choice in product(*units):
            cards = [card for unit in choice for card in unit]
            if suits is Suits.ANY or (len({card.suit for card in cards}) == 1) is (suits is Suits.SAME):
                yield as_mask(cards)


def last_factor(ruleset: RuleSet, play: Play | None) -> int:
    """Return what the winner's last play multiplies all payments by.

    Args:
        ruleset: Rules of the game.
        play: The last play; None if it is not known.
    """
    if play is None or not ruleset.scoring.doublings:
        return 1
    return factor_of_last(ruleset, play.pattern, ruleset.table.key_of(play))


def factor_of_last(ruleset: RuleSet, pattern: str, key: Rank) -> int:
    """Return what a winner's last play of a pattern and key rank multiplies all payments by."""
    last = (one for one in ruleset.scoring.doublings if one.when is When.LAST)
    return prod(one.factor for one in last if one.pattern == pattern or one.rank is key)


def check_exact(ruleset: RuleSet, num_players: int, position: Position | None = None) -> None:
    """Reject stakes whose payoffs float64 might not represent exactly.

    Args:
        ruleset: Rules of the game.
        num_players: Number of seats.
        position: Current position; None for the start of a game.

    Raises:
        ConfigError: A payoff may exceed `EXACT`.
    """
    auction = ruleset.auction
    if auction is None or not ruleset.scoring.needs_landlord:  # all other amounts are bounded where they are set
        return
    if position is None or position.bidding:
        stake, left = auction.most_stake, None
    else:
        stake = position.stake * position.factor
        left = sum(hand.bit_count() for hand in position.hands) + len(position.pile)
    bits = factor_bits(ruleset, left)
    if stake * (num_players - 1) << bits > EXACT:
        raise ConfigError(
            f"{ruleset.name}: expected stakes whose payoffs float64 holds exactly, up to 2**53; "
            f"got a stake of {_short(stake)} that {num_players - 1} seats pay, times up to 2**{bits}"
        )


def payoff_range(ruleset: RuleSet, num_players: int) -> tuple[float, float]:
    """Return bounds on every payoff. Some games never reach them."""
    scoring, others, deck = ruleset.scoring, num_players - 1, ruleset.deck.cards
    number = ruleset.deck.size if ruleset.draw_pile else ruleset.largest_hand(num_players)
    if isinstance(scoring, CardsLeft) and not scoring.is_by_number:
        points = sorted((dict(scoring.points).get(card.rank, 1) for card in deck), reverse=True)
        by_rank = [one for one in scoring.doublings if one.of_each]
        each = sorted((one.factor for one in by_rank for card in deck if card.rank is one.rank), reverse=True)
        most = max(sum(points[:n]) * scoring.factor(n) * prod(each[:n]) for n in range(number + 1))
        most *= prod(one.factor for one in scoring.doublings if not one.of_each)
        return -most, most * others
    if isinstance(scoring, PenaltySettlement) and type(scoring).owed in (PenaltySettlement.owed, CardsLeft.owed):
        seats = [num_players] if ruleset.auction is None else range(2, num_players + 1)  # a winning team counts as one
        most = max(scoring.penalty(left, several) for left in range(number + 1) for several in seats)
        most *= prod(one.factor for one in scoring.doublings)
        return -most, most * others
    if isinstance(scoring, TeamStake) and ruleset.auction is not None:
        amount = float(ruleset.auction.most_stake * others << factor_bits(ruleset))
    elif isinstance(scoring, PairwiseDifference):
        steps = number * max([1.0, *(factor for _, factor in scoring.steps)])
        amount = others * (steps + sum(abs(bonus) for _, bonus in scoring.bonuses))
    elif isinstance(scoring, CapturedPoints):
        points = [abs(dict(scoring.points).get(card.rank, 0)) for card in deck]
        amount = float(num_players * sum(points))
    else:
        amount = float(others) if isinstance(scoring, FinishingOrder) else float(EXACT)
    return -amount, amount


def _short(number: int) -> str:
    """Return a whole number as text that fits on a line."""
    return str(number) if number.bit_length() <= 128 else f"2**{number.bit_length() - 1} or more"


@lru_cache(maxsize=256)
def factor_bits(ruleset: RuleSet, cards: int | None = None) -> int:
    """Return an upper bound on log2 of the multiplier of the stake, as if all remaining cards formed the most expensive plays.

    Args:
        ruleset: Rules of the game.
        cards: Number of cards left to play after the auction; None for the start of a game.
    """
    factors = [ruleset.spring, ruleset.anti_spring]
    if cards is None and isinstance(ruleset.auction, CallRob):
        factors += [ruleset.auction.rob_factor] * (ruleset.max_players + 1)
    dearest = 0.0
    for row in ruleset.table.rows if ruleset.multipliers else ():
        dearest = max(dearest, log2(max(factors_of(ruleset, row))) / row.shape.size)
    return ceil(sum(map(log2, factors)) + dearest * (ruleset.deck.size if cards is None else cards))


def factors_of(ruleset: RuleSet, row: Row) -> tuple[int, int]:
    """Return the multipliers of a shape's plays: as an answer, and as a lead after the first play of the game."""
    follows, leads = 1, 1
    for one in ruleset.multipliers:
        if one.pattern == row.pattern and (one.sizes is None or one.sizes[0] <= row.shape.size <= one.sizes[1]):
            follows *= one.factor
            leads *= one.factor if one.led is None else one.led
    return follows, leads
