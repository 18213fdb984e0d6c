"""The rules of a climbing game in words, made from the ruleset's values: they serve house rules and files as well.

>>> from big2_env import BIG2
>>> page = rules_page(BIG2, Language.EN)
>>> [section.title for section in page.sections][:3]
['Aim', 'Cards and deal', 'Order of the cards']
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from big2_env.cards import RANK_NAMES, Card, Rank
from big2_env.climbing.auction import Bid, CallRob
from big2_env.climbing.parts import Ending, Lead, PassLock, Refill, RefillOrder, Rest
from big2_env.climbing.ruleset import RuleSet
from big2_env.language import Language, Words, language, words
from big2_env.show.beat_words import beating
from big2_env.show.faces import SUIT_NAMES
from big2_env.show.pattern_words import is_ambiguous, pattern_words
from big2_env.show.rules_page import RulesPage, RulesSection
from big2_env.show.settlement_words import settling


def rules_page(ruleset: RuleSet, lang: Language | None = None) -> RulesPage:
    """The rules of a climbing game in words.

    Args:
        ruleset: the game; also one of a file, or with patterns of one's own.
        lang: the language; by default the user's.
    """
    say = words(language() if lang is None else lang)
    subjects = {
        "aim": _aim(ruleset, say),
        "cards": _deal(ruleset, say),
        "auction": _auction(ruleset, say),
        "order": _order(ruleset, say),
        "patterns": _patterns(ruleset, say),
        "beating": beating(ruleset, say),
        "turns": _turns(ruleset, say),
        "drawing": _drawing(ruleset, say),
        "end": _end(ruleset, say),
        "payment": settling(ruleset, say),
    }
    sections = ((say.name("rules_title", name), tuple(lines)) for name, lines in subjects.items())
    return RulesPage(
        game=ruleset.name,
        title=say.game(ruleset.name, ruleset.zh),
        language=say.language,
        sections=tuple(RulesSection(title, lines) for title, lines in sections if lines),
    )


def _aim(ruleset: RuleSet, say: Words) -> Iterator[str]:
    if ruleset.auction is not None:
        yield say("rules.aim_landlord", others=ruleset.min_players - 1)
    elif ruleset.ending is Ending.FIRST_OUT:
        yield say("rules.aim_first")
    else:
        yield say("rules.aim_not_last")


def _deal(ruleset: RuleSet, say: Words) -> Iterator[str]:
    deck, low, high = ruleset.deck, ruleset.min_players, ruleset.max_players
    if low == high:
        yield say("rules.players", number=low)
    else:
        yield say("rules.players_from", low=low, high=high, usual=ruleset.default_players)
    number = "decks" if deck.copies > 1 else "deck"
    yield say(f"rules.{number}_jokers" if deck.jokers else f"rules.{number}", cards=deck.size)
    if missing := deck.without:
        yield say("rules.without", cards=" ".join(map(str, missing)))
    yield say("rules.each", cards=ruleset.hand_size)
    over = _numbers({deck.size - ruleset.hand_size * number for number in (low, high)}, say)
    if ruleset.auction is not None:
        yield say("rules.rest_landlord", cards=over)
    elif ruleset.draw_pile:
        yield say("rules.rest_pile")
    elif ruleset.rest is Rest.ASIDE and over != "0":
        yield say("rules.rest_aside")
    elif ruleset.rest is Rest.LOWEST_HOLDER:
        yield say("rules.rest_lowest", cards=over)


def _numbers(numbers: Iterable[int], say: Words) -> str:
    """One number, or the least and the greatest."""
    low, high = min(numbers := set(numbers)), max(numbers)
    return str(low) if low == high else say("rules.from_to", low=low, high=high)


def _auction(ruleset: RuleSet, say: Words) -> Iterator[str]:
    auction = ruleset.auction
    if auction is None:
        return
    yield say("rules.auction_first")
    if isinstance(auction, CallRob):
        yield say("rules.call_rob")
        yield say("rules.call_rob_last")
        yield say("rules.call_rob_stake", stake=auction.stake, factor=auction.rob_factor)
    elif isinstance(auction, Bid):
        yield say("rules.bid", most=auction.most)
        yield say("rules.bid_stake")
    else:
        yield say("rules.auction_words", words=say("rules.list").join(act.pattern for act in auction.vocabulary))
    yield say("rules.redeal" if auction.deals > 1 else "rules.no_redeal", deals=auction.deals)
    if isinstance(auction, Bid):
        yield say("rules.forced_stake", stake=auction.forced_stake)
    yield say("rules.landlord_takes")


def _order(ruleset: RuleSet, say: Words) -> Iterator[str]:
    yield say("rules.rank_order", ranks=" < ".join(RANK_NAMES[rank] for rank in ruleset.ranks))
    if any(rank in ruleset.ranks for rank in (Rank.LITTLE_JOKER, Rank.BIG_JOKER)):
        yield say("rules.jokers")
    suits = " < ".join(f"{say(f'cards.{SUIT_NAMES[suit]}')} ({suit.name[0]})" for suit in ruleset.suits)
    if ruleset.suits_compare:
        yield say("rules.suit_order", suits=suits)
    else:
        yield say("rules.no_suits")
        if ruleset.auction is None:
            yield say("rules.suit_order_lowest", suits=suits)


def _patterns(ruleset: RuleSet, say: Words) -> Iterator[str]:
    for rule in ruleset.patterns:
        if line := pattern_words(ruleset, rule, say):
            yield line
    if ruleset.ranks_only:
        yield say("rules.notation_ranks")
    else:
        yield say("rules.notation", card=Card(0), name=say("rules.notation_name", suit=say("cards.club"), rank="3"))
    if is_ambiguous(ruleset):
        yield say("rules.readings")


def _turns(ruleset: RuleSet, say: Words) -> Iterator[str]:
    if ruleset.auction is not None:
        yield say("rules.landlord_leads")
    else:
        yield say("rules.lowest_leads", low=ruleset.order.cards[0])
        yield from {Lead.CONTAINS: [say("rules.lead_contains")], Lead.EXACT: [say("rules.lead_exact")]}.get(ruleset.lead, [])
    yield say("rules.in_turn")
    yield say("rules.must_cover" if ruleset.must_cover else "rules.may_pass")
    yield {
        PassLock.NONE: say("rules.lock_none"),
        PassLock.TRICK: say("rules.lock_trick"),
        PassLock.ROUND: say("rules.lock_round"),
    }[ruleset.pass_lock]
    yield say("rules.trick_end")
    if ruleset.ending is Ending.LAST_HOLDER:
        yield say("rules.next_leads")
    if ruleset.auto_skip_unbeatable:
        yield say("rules.unbeatable")


def _drawing(ruleset: RuleSet, say: Words) -> Iterator[str]:
    if not ruleset.draw_pile:
        return
    if ruleset.refill is Refill.AFTER_PLAY:
        yield say("rules.refill_play", cards=ruleset.hand_size)
    elif ruleset.refill_order is RefillOrder.WINNER_FULL:
        yield say("rules.refill_winner", cards=ruleset.hand_size)
    else:
        yield say("rules.refill_robin", cards=ruleset.hand_size)
    yield say("rules.refill_waits")


def _end(ruleset: RuleSet, say: Words) -> Iterator[str]:
    if ruleset.ending is Ending.LAST_HOLDER:
        yield say("rules.end_last_holder")
    elif ruleset.auction is not None:
        yield say("rules.end_team")
    else:
        yield say("rules.end_first")
