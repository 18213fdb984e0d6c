"""Forfeits: the end of a game that a seat gives up, and its payoffs.

The seat gets the least payoff that its game could still give it, and so does each of its teammates. The other seats share the
opposite amount equally, so payoffs sum to zero as after any other game. A game that is forfeited has no winner.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from big2_env.base.cards import as_mask, union
from big2_env.base.errors import ConfigError, one_line
from big2_env.climbing.auction import CallRob
from big2_env.climbing.outcome import times_of
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.settlement import Standing, When, team_of


@dataclass(frozen=True)
class Forfeit:
    """End of a game that a seat gave up.

    Args:
        seat: Seat that gave up.
        reason: Its reason, in one line.
        payoffs: Payoff of each seat.
        landlord: Seat that played against the others, or None without a landlord.
    """

    seat: int
    reason: str
    payoffs: tuple[float, ...]
    landlord: int | None = None

    @property
    def winners(self) -> tuple[int, ...]:
        """No seat, as in `Outcome.winners`."""
        return ()

    @property
    def losers(self) -> tuple[int, ...]:
        """The seat and its teammates, ascending."""
        return team_of(self.seat, self.landlord, len(self.payoffs))


class ForfeitError(ConfigError):
    """A seat gives the game up. Agents raise it in `act` with their reason, and `agents.play_turn` adds the result.

    Args:
        reason: Reason for people.
        forfeit: Result of the game; None if it is not known yet.
    """

    def __init__(self, reason: str, forfeit: Forfeit | None = None) -> None:
        super().__init__(reason)
        self.forfeit = forfeit


def forfeit(ruleset: RuleSet, position: Position, reason: str) -> Forfeit:
    """Return the result if the seat to move gives up.

    Args:
        ruleset: Rules of the game.
        position: Position in which it gives up; the game is not over.
        reason: Its reason.

    >>> from big2_env import BIG2, Game
    >>> result = forfeit(BIG2, Game.deal(BIG2, seed=7).position, "no legal move in 3 answers")
    >>> result.seat, [round(amount, 3) for amount in result.payoffs]
    (1, [0.111, -0.333, 0.111, 0.111])
    """
    seat, number = position.turn, len(position.hands)
    losers = team_of(seat, position.landlord, number)
    least = min(ruleset.scoring.payoffs(end)[seat] for end in _bad_ends(ruleset, position))
    share = -least * len(losers)
    gain = share // (number - len(losers)) if isinstance(share, int) else share / (number - len(losers))
    payoffs = tuple(least if other in losers else gain for other in range(number))
    return Forfeit(seat, one_line(reason), payoffs, position.landlord)


def _bad_ends(ruleset: RuleSet, position: Position) -> Iterator[Standing]:
    """Yield ends of the game that are bad for the seat to move: it keeps a full hand, and an opponent goes out.

    The opponents keep their cards, or one card each, and take every trick. The landlord's stake is multiplied by everything
    that may still multiply it. In an auction the seat becomes the landlord.
    """
    seat, number = position.turn, len(position.hands)
    landlord = seat if position.bidding else position.landlord
    rivals = [other for other in range(number) if other not in team_of(seat, landlord, number)]
    hands = list(position.hands)
    if position.bidding:
        hands[seat] |= position.bottom
    if position.pile and (missing := ruleset.hand_size - hands[seat].bit_count()) > 0:
        hands[seat] |= as_mask(position.pile[-missing:])
    stake = position.stake if not position.bidding or ruleset.auction is None else ruleset.auction.most_stake
    factor = position.factor * _later_factor(ruleset, position, hands, landlord, seat)
    taken = union(position.captured)
    rest = union((*hands, position.trick, as_mask(position.pile))) & ~taken
    for first in position.finished[:1] or rivals:
        finished = tuple(dict.fromkeys((*position.finished, first, *rivals)))
        captured = tuple(mask | rest * (other == first) for other, mask in enumerate(position.captured))
        for keeps in (True, False):
            left = tuple(
                0 if other == first else hand if keeps or other not in rivals else hand & -hand
                for other, hand in enumerate(hands)
            )
            times = times_of(ruleset, left, prod(one.factor for one in ruleset.scoring.doublings if one.when is When.LAST))
            yield Standing(left, finished, landlord, stake, factor, captured, times)


def _later_factor(ruleset: RuleSet, position: Position, hands: list[int], landlord: int | None, seat: int) -> int:
    """Return the product of everything that may still multiply the stake, if the seat loses.

    Args:
        ruleset: Rules of the game.
        position: Current position.
        hands: Cards that are left to play, by seat.
        landlord: The landlord, or None without one.
        seat: The seat that loses.
    """
    if landlord is None:
        return 1
    acted = position.acted or (0,) * len(hands)
    if landlord == seat:
        factor = ruleset.anti_spring if acted[landlord] <= 1 else 1
    else:
        factor = 1 if sum(acted) > acted[landlord] else ruleset.spring
    if position.bidding and isinstance(ruleset.auction, CallRob):
        factor *= ruleset.auction.rob_factor ** len(hands)
    for hand in hands if ruleset.multipliers else ():
        factor *= _dearest(ruleset, hand)
    return factor


def _dearest(ruleset: RuleSet, hand: int) -> int:
    """Return the product of the multipliers in a hand, the largest first."""
    patterns = {one.pattern for one in ruleset.multipliers}
    found = []
    for play in ruleset.table.plays(hand):
        if play.pattern in patterns:
            factor = max(one.of(play, leads) for one in ruleset.multipliers for leads in (False, True))
            found.append((factor, -len(play), play.mask))
    product = 1
    for factor, _, mask in sorted(found, reverse=True):
        if mask & hand == mask:
            product *= factor
            hand &= ~mask
    return product
