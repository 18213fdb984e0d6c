"""Cards and acts of the climbing games as they are shown."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from big2_env.cards import RANK_NAMES, Card, Suit
from big2_env.climbing.auction import CALL, ROB
from big2_env.climbing.hand_order import hand_order
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.language import Language, Words
from big2_env.show.scene import CardFace, ShownAct

SUIT_NAMES: Final = {Suit.CLUB: "club", Suit.DIAMOND: "diamond", Suit.HEART: "heart", Suit.SPADE: "spade"}


def face(card: Card, tr: Words) -> CardFace:
    """A card that lies face up."""
    rank = RANK_NAMES[card.rank]
    if card.suit is None:
        return CardFace(str(card), rank, "", tr("cards.little_joker" if rank == "LJ" else "cards.big_joker"))
    suit = SUIT_NAMES[card.suit]
    named = tr(f"cards.{suit}")
    return CardFace(str(card), rank, suit, f"{rank} of {named}" if tr.language is Language.EN else f"{named} {rank}")


def faces(ruleset: RuleSet, cards: int, tr: Words) -> tuple[CardFace, ...]:
    """Cards of a mask face up, in the game's order."""
    return tuple(face(card, tr) for card in ruleset.order.sort(cards))


def pattern_name(ruleset: RuleSet, pattern: str, tr: Words) -> str:
    """What a game calls a pattern; the word of an act without cards."""
    if (spoken := spoken_name(pattern, tr)) is not None:
        return spoken
    return tr.name("pattern", f"{ruleset.name}.{pattern}", pattern, fallback=ruleset.zh_of(pattern))


def spoken_name(act: str, tr: Words) -> str | None:
    """The word of an act without cards: a pass, a decision in an auction; `None` for a pattern of cards."""
    if act == "pass":
        return tr("cards.pass")
    if act in (CALL.pattern, ROB.pattern):
        return tr(f"auction.{act}")
    return tr("auction.bid", points=act.removeprefix("bid_")) if act.startswith("bid_") else None


def no_name(calls: Collection[Play], tr: Words) -> str:
    """What passing is called where these acts may be said: a "no" in an auction, by what it refuses; without any, a pass."""
    if not calls:
        return tr("cards.pass")
    return tr("auction.not_rob" if ROB in calls else "auction.decline")


def shown_act(ruleset: RuleSet, seat: int, play: Play, tr: Words, words: str | None = None) -> ShownAct:
    """An act of a seat: a play with its cards in canonical order, a pass, or what was said."""
    kind = "play" if play else "pass" if play.is_pass else "say"
    named = pattern_name(ruleset, play.pattern, tr) if words is None else words
    return ShownAct(seat, named, tuple(face(card, tr) for card in hand_order(ruleset, play)), kind)
