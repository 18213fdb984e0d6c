"""How a game ends: when it is over, who has won, what it pays, and how much that can be.

Kernels and environments pay in float64, which holds whole numbers up to 2**53. The readable rules have no such bound: beyond it
their payoffs are Python integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2

from big2_env.climbing.auction import CallRob
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import Ending, RuleSet
from big2_env.climbing.settlement import EXACT, Standing, team_of
from big2_env.climbing.table import Row
from big2_env.errors import ConfigError
from big2_env.named import Named


class EndReason(Named):
    """Why a game is over."""

    EMPTY_HAND = "empty_hand"
    """A seat has played its last card."""
    LAST_HOLDER = "last_holder"
    """At most one seat holds cards and none are left to draw."""


@dataclass(frozen=True)
class Outcome:
    """How a game ended."""

    winner: int
    """The seat that got rid of its cards first."""
    reason: EndReason
    cards_left: tuple[int, ...]
    payoffs: tuple[float, ...]
    """What each seat gets by the ruleset's settlement."""
    landlord: int | None = None
    """The seat that played against the rest; `None` where everybody played alone."""

    @property
    def winners(self) -> tuple[int, ...]:
        """The winner and those on its team, ascending."""
        return team_of(self.winner, self.landlord, len(self.cards_left))


def is_over(ruleset: RuleSet, position: Position) -> bool:
    """Whether the game has ended."""
    if ruleset.ending is Ending.FIRST_OUT:
        return bool(position.finished)
    return not position.pile and sum(map(bool, position.hands)) <= 1


def outcome_of(ruleset: RuleSet, position: Position) -> Outcome:
    """How the game ended; the position is one at the end."""
    first_out = ruleset.ending is Ending.FIRST_OUT
    return Outcome(
        winner=position.finished[0],
        reason=EndReason.EMPTY_HAND if first_out else EndReason.LAST_HOLDER,
        cards_left=tuple(hand.bit_count() for hand in position.hands),
        payoffs=ruleset.scoring.payoffs(standing(ruleset, position)),
        landlord=position.landlord,
    )


def standing(ruleset: RuleSet, position: Position) -> Standing:
    """What a settlement looks at, at the end: springs are counted, and the last trick goes to who won it."""
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
    return Standing(position.hands, position.finished, landlord, position.stake, factor, captured)


def check_exact(ruleset: RuleSet, num_players: int, position: Position | None = None) -> None:
    """Refuse stakes that float64 may not hold exactly once the game is over.

    Args:
        ruleset: The ruleset.
        num_players: How many seats there are.
        position: Where the game stands; `None` is a game that begins.

    Raises:
        ConfigError: a payoff may exceed `EXACT`.
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


def _short(number: int) -> str:
    """A whole number in words that fit a line."""
    return str(number) if number.bit_length() <= 128 else f"2**{number.bit_length() - 1} or more"


def factor_bits(ruleset: RuleSet, cards: int | None = None) -> int:
    """A bound on the bits by which what multiplies a stake makes it longer: as if all cards left made the dearest plays.

    Args:
        ruleset: The ruleset.
        cards: How many cards are left to play once the auction is over; `None` is a game that begins.
    """
    factors = [ruleset.spring, ruleset.anti_spring]
    if cards is None and isinstance(ruleset.auction, CallRob):
        factors += [ruleset.auction.rob_factor] * (ruleset.max_players + 1)
    dearest = 0.0
    for row in ruleset.table.rows if ruleset.multipliers else ():
        dearest = max(dearest, log2(max(factors_of(ruleset, row))) / row.shape.size)
    return ceil(sum(map(log2, factors)) + dearest * (ruleset.deck.size if cards is None else cards))


def factors_of(ruleset: RuleSet, row: Row) -> tuple[int, int]:
    """What a shape's plays multiply the stake by: answers, and those that open a trick of a game begun."""
    follows, leads = 1, 1
    for one in ruleset.multipliers:
        if one.pattern == row.pattern and (one.sizes is None or one.sizes[0] <= row.shape.size <= one.sizes[1]):
            follows *= one.factor
            leads *= one.factor if one.led is None else one.led
    return follows, leads
