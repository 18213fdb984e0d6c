"""How large the payoffs of a game may become: kernels and environments pay in float64, which holds whole numbers up to 2**53.

The reference rules themselves have no such bound: beyond it their payoffs are Python integers.
"""

from __future__ import annotations

from math import ceil, log2

from big2_env.climbing.auction import CallRob
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.settlement import EXACT
from big2_env.climbing.table import Row
from big2_env.errors import ConfigError


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
