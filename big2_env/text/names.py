"""Names of cards, patterns and seats in a language, and payoffs as people read them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from big2_env.agents import FORMER_NAMES
from big2_env.cards import RANK_NAMES, Card, Suit
from big2_env.climbing.auction import CALL, ROB
from big2_env.climbing.hands import hand_order
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.language import Language, Words
from big2_env.language.words import catalogue
from big2_env.scene import CardFace, ShownAct

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


PERSON: Final = "you"
"""What a person is called in records who gave no name."""


def agent_words(name: str, tr: Words) -> str:
    """What an agent is called: in the catalogue's words, or as it was typed where it has an argument or comes from outside."""
    name = FORMER_NAMES.get(name, name)
    return tr.name("agent", name) if f"agent.{name}" in catalogue() else name


def seat_words(names: Iterable[str], tr: Words) -> tuple[str, ...]:
    """The names of a record's seats in a language: `heuristic2` is the second heuristic agent. Other names stay.

    >>> from big2_env.language import Language, words
    >>> seat_words(["you", "heuristic1", "learned:a_b.npz", "Ann"], words(Language.EN))
    ('you', 'Heuristic 1', 'learned:a_b.npz', 'Ann')
    """
    return tuple(_called(name, tr) for name in names)


def numbered_words(spec: str, name: str, tr: Words) -> str:
    """What the seat of an agent is called whose name in records is the agent's, with a number where several have the same."""
    return f"{agent_words(spec, tr)} {name.removeprefix(spec)}".strip()


def _called(name: str, tr: Words) -> str:
    if name == PERSON:
        return tr("table.you")
    agent = re.sub(r"\d+$", "", name)
    return numbered_words(agent, name, tr) if f"agent.{FORMER_NAMES.get(agent, agent)}" in catalogue() else name


def points(value: float, *, signed: bool = True) -> str:
    """A payoff: whole numbers without a fraction, others with at most three decimals, no zero with a sign.

    >>> points(1.0), points(-1 / 3), points(-0.0), points(2.5, signed=False)
    ('+1', '-0.333', '0', '2.5')
    """
    if isinstance(value, int):  # it may be longer than a float
        return f"{value:+d}" if signed and value else f"{value:d}"
    rounded = round(value, 3) or 0.0
    text = f"{rounded:+.3f}" if signed and rounded else f"{rounded:.3f}"
    return text.rstrip("0").rstrip(".")


def estimate(value: float, *, signed: bool = True) -> str:
    """A mean: two decimals below 10, one below 100, then none; a zero has no sign.

    >>> estimate(0.125), estimate(-1 / 3), estimate(-0.001), estimate(37.24, signed=False), estimate(-250.0)
    ('+0.12', '-0.33', '0.00', '37.2', '-250')
    """
    digits = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    rounded = round(value, digits) or 0.0
    return f"{rounded:+.{digits}f}" if signed and rounded else f"{rounded:.{digits}f}"
