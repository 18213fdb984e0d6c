"""How a game ends: when it is over, who has won, what it pays."""

from __future__ import annotations

from dataclasses import dataclass

from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import Ending, RuleSet
from big2_env.climbing.settlement import Standing, team_of
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
    """Why the game is over."""
    cards_left: tuple[int, ...]
    """How many cards each seat has left."""
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
