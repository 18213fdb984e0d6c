"""Rules of a climbing game in words, as a page that can be text or Markdown.

A page is derived from the ruleset's values, so house rules and rulesets from files have one too.

>>> from big2_env import BIG2
>>> page = rules_page(BIG2, Language.EN)
>>> [section.title for section in page.sections][:3]
['Aim', 'Cards and deal', 'Order of the cards']
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import TypeAlias

from big2_env.base.cards import Card, Rank, Suit
from big2_env.base.language import Language, Words, language
from big2_env.base.scene import RulesPage
from big2_env.climbing.auction import Bid, CallRob
from big2_env.climbing.parts import Ending, LastCard, Lead, Multiplier, NextLead, PassLock, Refill, RefillOrder, Rest
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.settlement import (
    CapturedPoints,
    CardsLeft,
    Doubling,
    FinishingOrder,
    PairwiseDifference,
    Settlement,
    StepTable,
    TeamStake,
    WinnerTakesOne,
)
from big2_env.text.names import SUIT_NAMES, cards_text, faces, pattern_name, points, rank_text, words_of
from big2_env.text.patterns import beating, card_numbers, is_ambiguous, pattern_words


def rules_page(ruleset: RuleSet, lang: Language | None = None) -> RulesPage:
    """Return the rules of a climbing game in words.

    Args:
        ruleset: Rules of the game, including rulesets from files and rulesets with your own patterns.
        lang: Language; None for the user's.
    """
    tr = words_of(ruleset, language() if lang is None else lang)
    topics = {
        "aim": _aim(ruleset, tr),
        "cards": _deal(ruleset, tr),
        "auction": _auction(ruleset, tr),
        "order": card_order(ruleset, tr),
        "patterns": _patterns(ruleset, tr),
        "beating": beating(ruleset, tr),
        "turns": _turns(ruleset, tr),
        "drawing": _drawing(ruleset, tr),
        "end": _end(ruleset, tr),
        "payment": settling(ruleset, tr),
    }
    return RulesPage.of(ruleset.name, tr.game(ruleset.name, ruleset.zh), topics, tr)


def _aim(ruleset: RuleSet, tr: Words) -> Iterator[str]:
    if ruleset.auction is not None:
        yield tr("rules.aim_landlord", others=ruleset.min_players - 1)
    elif ruleset.ending is Ending.FIRST_OUT:
        yield tr("rules.aim_first")
    else:
        yield tr("rules.aim_not_last")


def _deal(ruleset: RuleSet, tr: Words) -> Iterator[str]:
    deck, low, high = ruleset.deck, ruleset.min_players, ruleset.max_players
    if low == high:
        yield tr("rules.players", number=low)
    else:
        yield tr("rules.players_from", low=low, high=high, usual=ruleset.default_players)
    number = "decks" if deck.copies > 1 else "deck"
    yield tr(f"rules.{number}_jokers" if deck.jokers else f"rules.{number}", cards=deck.size)
    if len(deck.without) > deck.size:
        yield tr("rules.only", cards=cards_text(ruleset, deck.cards, tr))
    elif deck.without:
        yield tr("rules.without", cards=cards_text(ruleset, deck.without, tr))
    yield tr("rules.each", cards=ruleset.hand_size)
    yield from (tr("rules.each_with", players=number, cards=cards) for number, cards in ruleset.hand_sizes)
    left = {number: deck.size - ruleset.cards_each(number) * number for number in range(low, high + 1)}
    if ruleset.auction is not None:
        yield tr("rules.rest_landlord", cards=_numbers(left.values(), tr))
    elif ruleset.draw_pile:
        yield tr("rules.rest_pile")
    else:
        others = dict(ruleset.rests)
        yield from _rest(ruleset.rest, {number: cards for number, cards in left.items() if number not in others}, tr)
        for players, rest in others.items():
            lines = _rest(rest, {players: left[players]}, tr)
            yield from lines if left[players] == 1 else (tr("rules.rest_with", players=players, text=line) for line in lines)


def _rest(rest: Rest, left: Mapping[int, int], tr: Words) -> Iterator[str]:
    """Yield the use of cards left over, given how many are left with each number of players."""
    if not any(left.values()):
        return
    if rest is Rest.ASIDE:
        yield tr("rules.rest_aside")
    elif rest is Rest.LOWEST_HOLDER and sum(left.values()) == 1:
        yield tr("rules.rest_lowest_1", players=next(number for number, cards in left.items() if cards))
    elif rest is Rest.LOWEST_HOLDER:
        yield tr("rules.rest_lowest", cards=_numbers(left.values(), tr))


def _numbers(numbers: Iterable[int], tr: Words) -> str:
    """Return one number, or the smallest and the largest."""
    low, high = min(numbers := set(numbers)), max(numbers)
    return str(low) if low == high else tr("rules.from_to", low=low, high=high)


def _auction(ruleset: RuleSet, tr: Words) -> Iterator[str]:
    auction = ruleset.auction
    if auction is None:
        return
    yield tr("rules.auction_first")
    if isinstance(auction, CallRob):
        yield tr("rules.call_rob")
        yield tr("rules.call_rob_last")
        yield tr("rules.call_rob_stake", stake=auction.stake, factor=auction.rob_factor)
    elif isinstance(auction, Bid):
        yield tr("rules.bid", most=auction.most)
        yield tr("rules.bid_stake")
    else:
        yield tr("rules.auction_words", words=tr("rules.list").join(move.pattern for move in auction.vocabulary))
    yield tr("rules.redeal" if auction.deals > 1 else "rules.no_redeal", deals=auction.deals)
    if isinstance(auction, Bid):
        yield tr("rules.forced_stake", stake=auction.forced_stake)
    yield tr("rules.landlord_takes")


def card_order(ruleset: RuleSet, tr: Words, between: str = " < ") -> Iterator[str]:
    """Yield the order of ranks and of suits.

    Args:
        ruleset: Rules of the game.
        tr: Texts in the user's language.
        between: Text between two ranks.
    """
    yield tr("rules.rank_order", ranks=between.join(_rank_word(ruleset, rank, tr) for rank in ruleset.ranks))
    if any(rank in ruleset.ranks for rank in (Rank.LITTLE_JOKER, Rank.BIG_JOKER)):
        yield tr("rules.jokers")
    suits = " < ".join(_suit_word(ruleset, suit, tr) for suit in ruleset.suits)
    if ruleset.suits_compare:
        yield tr("rules.suit_order", suits=suits)
    else:
        yield tr("rules.no_suits")
        if ruleset.auction is None:
            yield tr("rules.suit_order_lowest", suits=suits)


def _rank_word(ruleset: RuleSet, rank: Rank, tr: Words) -> str:
    """Return a rank, or its name in the vocabulary and its letter."""
    if ruleset.vocabulary is None:
        return rank_text(ruleset, rank, tr)
    return f"{ruleset.vocabulary.ranks[rank].text(tr.language)} ({ruleset.vocabulary.rank(rank)})"


def _suit_word(ruleset: RuleSet, suit: Suit, tr: Words) -> str:
    """Return the name of a suit and its letter."""
    if ruleset.vocabulary is None:
        return f"{tr(f'cards.{SUIT_NAMES[suit]}')} ({suit.name[0]})"
    return f"{ruleset.vocabulary.suits[suit].text(tr.language)} ({ruleset.vocabulary.suit(suit)})"


def _patterns(ruleset: RuleSet, tr: Words) -> Iterator[str]:
    for rule in ruleset.patterns:
        if line := pattern_words(ruleset, rule, tr):
            yield line
    if ruleset.ranks_only:
        yield tr("rules.notation_ranks")
    if ruleset.vocabulary is not None:
        [shown] = faces(ruleset, 1 << ruleset.order.cards[0], tr)
        yield tr("rules.notation", card=shown.text, name=shown.name)
    elif not ruleset.ranks_only:
        yield tr("rules.notation", card=Card(0), name=tr("rules.notation_name", suit=tr("cards.club"), rank="3"))
    if is_ambiguous(ruleset):
        yield tr("rules.readings" if ruleset.ranks_only else "rules.first_reading")


def _turns(ruleset: RuleSet, tr: Words) -> Iterator[str]:
    if ruleset.auction is not None:
        yield tr("rules.landlord_leads")
    else:
        is_whole = ruleset.rest is Rest.NONE and not ruleset.draw_pile
        yield tr(
            "rules.lowest_leads_all" if is_whole else "rules.lowest_leads", low=cards_text(ruleset, ruleset.order.cards[:1], tr)
        )
        yield from {Lead.CONTAINS: [tr("rules.lead_contains")], Lead.EXACT: [tr("rules.lead_exact")]}.get(ruleset.lead, [])
    if ruleset.next_lead is NextLead.WINNER:
        yield tr("rules.next_lead")
    yield tr("rules.in_turn")
    yield tr("rules.must_cover" if ruleset.must_cover else "rules.may_pass")
    if ruleset.last_card is LastCard.HIGHEST:
        yield tr("rules.last_card")
    yield tr(f"rules.lock_{ruleset.pass_lock.value}")
    yield tr("rules.trick_end_row" if ruleset.pass_lock is PassLock.NONE else "rules.trick_end")
    if ruleset.ending is Ending.LAST_HOLDER:
        yield tr("rules.next_leads")
    if ruleset.auto_skip_unbeatable:
        yield tr("rules.unbeatable")
    if ruleset.top_single_final:
        yield tr("rules.top_single_final", card=cards_text(ruleset, ruleset.order.cards[-1:], tr))


def _drawing(ruleset: RuleSet, tr: Words) -> Iterator[str]:
    if not ruleset.draw_pile:
        return
    if ruleset.refill is Refill.AFTER_PLAY:
        yield tr("rules.refill_play", cards=ruleset.hand_size)
    elif ruleset.refill_order is RefillOrder.WINNER_FULL:
        yield tr("rules.refill_winner", cards=ruleset.hand_size)
    else:
        yield tr("rules.refill_robin", cards=ruleset.hand_size)
    yield tr("rules.refill_waits")


def _end(ruleset: RuleSet, tr: Words) -> Iterator[str]:
    if ruleset.ending is Ending.LAST_HOLDER:
        yield tr("rules.end_last_holder")
    elif ruleset.auction is not None:
        yield tr("rules.end_team")
    else:
        yield tr("rules.end_first")


Steps: TypeAlias = tuple[tuple[int, float], ...]
"""Pairs (cards left, value), ascending. A value applies from its number of cards on."""


def settling(ruleset: RuleSet, tr: Words) -> Iterator[str]:
    """Yield the settlement, then its multipliers.

    Args:
        ruleset: Rules of the game.
        tr: Texts in the user's language.
    """
    yield from _settlement(ruleset, ruleset.scoring, tr)
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


def _settlement(ruleset: RuleSet, scoring: Settlement, tr: Words) -> Iterator[str]:
    most = ruleset.max_hand
    match scoring:
        case WinnerTakesOne():
            yield tr("rules.pay_winner")
        case CardsLeft(steps, points, doublings):
            yield tr("rules.pay_points" if points else "rules.pay_cards")
            yield from [_points_of_ranks(ruleset, dict(points), tr)] if points else ()
            yield from _factors(steps, most, tr, "points_factor" if points else "step_factor")
            yield from (_doubling(ruleset, one, tr) for one in doublings)
        case StepTable(steps):
            yield tr("rules.pay_steps")
            yield from (tr("rules.step_amount", cards=cards, amount=_number(paid)) for cards, paid in _ranges(steps, most, tr))
            if steps and steps[0][0] > 1:
                yield tr("rules.step_nothing", cards=steps[0][0])
        case PairwiseDifference(steps, bonuses):
            yield tr("rules.pay_difference")
            yield from _factors(steps, most, tr)
            yield from (
                tr("rules.card_bonus", card=cards_text(ruleset, [card], tr), amount=_number(amount)) for card, amount in bonuses
            )
        case TeamStake():
            yield tr("rules.pay_stake")
            yield tr("rules.pay_product")
        case CapturedPoints(each):
            yield tr("rules.pay_captured")
            yield from (tr("rules.card_points", rank=rank_text(ruleset, rank, tr), points=number) for rank, number in each)
        case FinishingOrder():
            yield tr("rules.pay_last")
        case _:
            yield tr("rules.pay_other", name=type(scoring).__name__)


def _doubling(ruleset: RuleSet, one: Doubling, tr: Words) -> str:
    """Return a doubling in words."""
    if one.pattern is not None:
        known = one.pattern in [rule.pattern.name for rule in ruleset.patterns]
        name = pattern_name(ruleset, one.pattern, tr) if known else tr.name("pattern", one.pattern)
        return tr(f"rules.{one.when.value}_pattern", name=name, factor=one.factor)
    if one.rank is not None:
        which = "left_rank_once" if one.once else f"{one.when.value}_rank"
        return tr(f"rules.{which}", rank=rank_text(ruleset, one.rank, tr), factor=one.factor)
    return tr("rules.left_card", card=cards_text(ruleset, [] if one.card is None else [one.card], tr), factor=one.factor)


def _factors(steps: Steps, most: int, tr: Words, key: str = "step_factor") -> Iterator[str]:
    yield from (tr(f"rules.{key}", cards=cards, factor=_number(factor)) for cards, factor in _ranges(steps, most, tr))


def _points_of_ranks(ruleset: RuleSet, points: Mapping[Rank, int], tr: Words) -> str:
    """Return the points of all ranks, fewest first, as in `A = 1, 2 to 9 face value, 10 J Q K = 10`."""
    by_number: dict[int, list[str]] = {}
    for rank in ruleset.ranks:
        by_number.setdefault(points.get(rank, 1), []).append(rank_text(ruleset, rank, tr))
    listed: list[str] = []
    for is_face, group in groupby(sorted(by_number.items()), lambda one: one[1] == [str(one[0])]):
        numbers = list(group)
        if is_face and len(numbers) > 2:
            listed.append(tr("rules.face_points", first=numbers[0][0], last=numbers[-1][0]))
        else:
            listed += [f"{' '.join(names)} = {number}" for number, names in numbers]
    return tr("rules.rank_points", points=tr("rules.list").join(listed))


def _ranges(steps: Steps, most: int, tr: Words) -> Iterator[tuple[str, float]]:
    """Yield the number of cards left of each step in words, with its value; `most` is the longest hand."""
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
