"""What a team is to reach, as numbers: to be first out, or to be paid as much as it can force."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import Ending, RuleSet
from big2_env.climbing.settlement import (
    CapturedPoints,
    FinishingOrder,
    PairwiseDifference,
    PenaltySettlement,
    Standing,
    TeamStake,
)
from big2_env.errors import ConfigError

FIRST_OUT: Final = 0
PENALTY: Final = 1
PAIRWISE: Final = 2
STAKE: Final = 3
ORDER: Final = 4
POINTS: Final = 5
"""Forms of payment: 1 for being first out, and the five settlements."""
_FORMS: Final = (
    (PenaltySettlement, PENALTY),
    (PairwiseDifference, PAIRWISE),
    (TeamStake, STAKE),
    (FinishingOrder, ORDER),
    (CapturedPoints, POINTS),
)
MAX_TALLY: Final = 1 << 30
"""Points and multipliers stay below this, so that the searches can keep them in one word."""


class Goal(StrEnum):
    """What a team is to reach."""

    FIRST_OUT = "first-out"
    """One of its seats is the first to be out."""
    SETTLEMENT = "settlement"
    """What its seats are paid by the game's settlement, added up, is as high as possible."""


class Payment(NamedTuple):
    """What a team is paid at the end, as the searches compute it. Factors and points count from the position that is solved."""

    form: int
    """FIRST_OUT, PENALTY, PAIRWISE, STAKE, ORDER or POINTS."""
    by_cards: list[list[float]]
    """By who wins (0 a seat alone, 1 those against a landlord) and cards left: what a loser pays, or what the hand costs."""
    landlord: int
    """The landlord's seat, -1 for none."""
    unit: float
    """The stake times its factor so far."""
    spring: float
    anti_spring: float
    factor: list[list[int]]
    """By play, what it multiplies the factor by: as an answer, as a lead."""
    points: list[int]
    """By play, the points of its cards."""


def payment_of(game: Game, goal: Goal, plays: list[Play], cards: int) -> Payment:
    """How a team is paid that has this goal.

    Args:
        game: a game that goes on.
        goal: what the team is to reach.
        plays: every play of the rest of the game.
        cards: how many cards are held or drawn.

    Raises:
        ConfigError: a settlement that the solver does not know, or numbers too large for it.
    """
    rules, position, number = game.ruleset, game.position, game.num_players
    form = form_of(rules) if goal is Goal.SETTLEMENT else FIRST_OUT
    scoring = rules.scoring
    by_cards = [[0.0] * (cards + 1)] * 2
    if isinstance(scoring, PenaltySettlement):
        by_cards = [[scoring.penalty(left, players) for left in range(cards + 1)] for players in (number, 2)]
    elif isinstance(scoring, PairwiseDifference):
        bare = PairwiseDifference(scoring.steps)
        by_cards = [[bare.value((1 << left) - 1) for left in range(cards + 1)]] * 2
    factor, points = [[1, 1]] * len(plays), [0] * len(plays)
    if form == STAKE:
        factor = [[_factor(rules, play, leads) for leads in (False, True)] for play in plays]
        if max((max(pair) for pair in factor), default=1) ** (cards // 2) >= MAX_TALLY:
            raise ConfigError("the solver needs multipliers whose product stays below 2**30")
    if form == POINTS:
        points = [points_of(rules, play.mask) for play in plays]
        if number * points_of(rules, rules.deck.mask) >= MAX_TALLY:
            raise ConfigError("the solver needs points that stay below 2**30")
    return Payment(
        form=form,
        by_cards=by_cards,
        landlord=-1 if position.landlord is None else position.landlord,
        unit=float(position.stake * position.factor),
        spring=float(rules.spring),
        anti_spring=float(rules.anti_spring),
        factor=factor,
        points=points,
    )


def form_of(rules: RuleSet) -> int:
    """The form of a ruleset's settlement.

    Raises:
        ConfigError: one that the solver does not know.
    """
    found = [form for kind, form in _FORMS if isinstance(rules.scoring, kind)]
    if not found:
        raise ConfigError(f"the solver expects a settlement that it knows, got {type(rules.scoring).__name__}")
    return found[0]


def gains_by_first_out(rules: RuleSet) -> bool:
    """True if a team is paid more than nothing exactly when one of its seats is first out, whatever is left then."""
    if rules.ending is not Ending.FIRST_OUT or form_of(rules) not in (PENALTY, STAKE):
        return False
    if not isinstance(rules.scoring, PenaltySettlement):
        return True
    seats = range(rules.min_players, rules.max_players + 1)
    return all(rules.scoring.penalty(left, number) > 0 for number in {2, *seats} for left in range(1, rules.deck.size))


def dear_of(rules: RuleSet, kind: int) -> float:
    """What holding a card costs beyond the number of cards; `kind` is its mask, of one or more copies."""
    if not isinstance(rules.scoring, PairwiseDifference):
        return 0.0
    return sum(amount for card, amount in rules.scoring.bonuses if kind >> card & 1)


def captured_score(rules: RuleSet, captured: tuple[int, ...], team: tuple[int, ...]) -> int:
    """What a team is paid for the cards that have been captured."""
    if not isinstance(rules.scoring, CapturedPoints):
        return 0
    payoffs = rules.scoring.payoffs(Standing((), (), captured=captured))
    return round(sum(payoffs[seat] for seat in team))


def points_of(rules: RuleSet, cards: int) -> int:
    """The points of cards, given as a mask, 0 where points are not what is paid."""
    return rules.scoring.points_of(cards) if isinstance(rules.scoring, CapturedPoints) else 0


def _factor(rules: RuleSet, play: Play, leads: bool) -> int:
    product = 1
    for multiplier in rules.multipliers:
        product *= multiplier.of(play, leads)
    return product
