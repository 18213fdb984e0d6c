"""What a climbing game pays, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from big2_env.cards import RANK_NAMES
from big2_env.climbing.parts import Multiplier
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.settlement import (
    CapturedPoints,
    CardsLeft,
    FinishingOrder,
    PairwiseDifference,
    Settlement,
    StepTable,
    TeamStake,
    WinnerTakesOne,
)
from big2_env.language import Words
from big2_env.show.faces import pattern_name
from big2_env.show.numbers import points
from big2_env.show.pattern_words import card_numbers

Steps: TypeAlias = tuple[tuple[int, float], ...]
"""(cards left, value), ascending: a value counts from its number of cards on."""


def settling(ruleset: RuleSet, tr: Words) -> Iterator[str]:
    """The settlement, then what multiplies it."""
    yield from _settlement(ruleset.scoring, ruleset.max_hand, tr)
    if ruleset.auction is None:
        return
    if ruleset.scoring.serves_teams and not ruleset.scoring.needs_landlord:
        yield tr("rules.pay_teams")
    for multiplier in ruleset.multipliers:
        yield from _multiplier(ruleset, multiplier, tr)
    if ruleset.spring > 1:
        yield tr("rules.spring", factor=ruleset.spring)
    if ruleset.anti_spring > 1:
        yield tr("rules.anti_spring", factor=ruleset.anti_spring)


def _settlement(scoring: Settlement, most: int, tr: Words) -> Iterator[str]:
    match scoring:
        case WinnerTakesOne():
            yield tr("rules.pay_winner")
        case CardsLeft(steps):
            yield tr("rules.pay_cards")
            yield from _factors(steps, most, tr)
        case StepTable(steps):
            yield tr("rules.pay_steps")
            yield from (tr("rules.step_amount", cards=cards, amount=_number(paid)) for cards, paid in _ranges(steps, most, tr))
            if steps and steps[0][0] > 1:
                yield tr("rules.step_nothing", cards=steps[0][0])
        case PairwiseDifference(steps, bonuses):
            yield tr("rules.pay_difference")
            yield from _factors(steps, most, tr)
            yield from (tr("rules.card_bonus", card=card, amount=_number(amount)) for card, amount in bonuses)
        case TeamStake():
            yield tr("rules.pay_stake")
            yield tr("rules.pay_product")
        case CapturedPoints(each):
            yield tr("rules.pay_captured")
            yield from (tr("rules.card_points", rank=RANK_NAMES[rank], points=number) for rank, number in each)
        case FinishingOrder():
            yield tr("rules.pay_last")
        case _:
            yield tr("rules.pay_other", name=type(scoring).__name__)


def _factors(steps: Steps, most: int, tr: Words) -> Iterator[str]:
    yield from (tr("rules.step_factor", cards=cards, factor=_number(factor)) for cards, factor in _ranges(steps, most, tr))


def _ranges(steps: Steps, most: int, tr: Words) -> Iterator[tuple[str, float]]:
    """For each step the numbers of cards left that it counts for, in words, and its value; `most` is the longest hand."""
    for number, (cards, value) in enumerate(steps, start=1):
        end = steps[number][0] - 1 if number < len(steps) else most
        yield card_numbers([*range(cards, max(cards, end) + 1)], tr), value


def _multiplier(ruleset: RuleSet, multiplier: Multiplier, tr: Words) -> Iterator[str]:
    name = pattern_name(ruleset, multiplier.pattern, tr)
    if multiplier.sizes is not None:
        low, high = multiplier.sizes
        name = tr("rules.bomb_of", name=name, cards=card_numbers([*range(low, high + 1)], tr))
    yield tr("rules.multiplier", name=name, factor=multiplier.factor)
    if multiplier.led is not None:
        yield tr("rules.multiplier_led", name=name, factor=multiplier.led)


def _number(value: float) -> str:
    return points(value, signed=False)
