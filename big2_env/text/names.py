"""Names of cards, patterns and seats in one language, and payoffs as people read them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import Final

from big2_env.base.cards import RANK_NAMES, Card, Rank, Suit
from big2_env.base.errors import AmbiguousPlayError
from big2_env.base.language import Language, Words, words
from big2_env.base.language.words import catalogue
from big2_env.base.scene import CardFace, ShownMove
from big2_env.climbing.auction import CALL, ROB
from big2_env.climbing.hands import hand_order
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet

JOKERS: Final = {"LJ": "cards.little_joker", "BJ": "cards.big_joker"}
"""Keys of the names of jokers."""
SUIT_NAMES: Final = {Suit.CLUB: "club", Suit.DIAMOND: "diamond", Suit.HEART: "heart", Suit.SPADE: "spade"}


class _PlainWords(Words):
    """The texts of one language, of which those under `plain` mention no standard card or pattern."""

    def __call__(self, key: str, /, **values: object) -> str:
        plain = f"plain.{key}"
        return super().__call__(plain if plain in catalogue() else key, **values)


_plain_words: Final = cache(_PlainWords)


def words_of(ruleset: RuleSet, lang: Language) -> Words:
    """Return the texts for a game. A game with a vocabulary has some of its own."""
    return words(lang) if ruleset.vocabulary is None else _plain_words(lang)


def _said(text: str, tr: Words | None) -> str:
    """Return a card or a rank for a sentence, in which Chinese names jokers."""
    if tr is None or tr.language is Language.EN or text[:2] not in JOKERS:
        return text
    return tr(JOKERS[text[:2]]) + text[2:]


def rank_text(ruleset: RuleSet, rank: Rank, tr: Words | None = None) -> str:
    """Return a rank as the texts of a game write it.

    Args:
        ruleset: Rules of the game.
        rank: The rank.
        tr: Texts in the user's language, for a sentence; None for notation.
    """
    return _said(RANK_NAMES[rank], tr) if ruleset.vocabulary is None else ruleset.vocabulary.rank(rank)


def cards_text(ruleset: RuleSet, cards: int | Iterable[Card], tr: Words | None = None) -> str:
    """Return cards as the texts of a game write them, the cards of a mask in the game's order.

    Args:
        ruleset: Rules of the game.
        cards: Cards, or a mask.
        tr: Texts in the user's language, for a sentence; None for notation.
    """
    listed = ruleset.order.sort(cards) if isinstance(cards, int) else cards
    return " ".join(_said(str(card), tr) for card in listed) if ruleset.vocabulary is None else ruleset.vocabulary.cards(listed)


def ranked_text(ruleset: RuleSet, cards: Sequence[Card], tr: Words | None = None) -> str:
    """Return cards as `cards_text` does, or only their ranks if suits never matter.

    Args:
        ruleset: Rules of the game.
        cards: The cards.
        tr: Texts in the user's language, for a sentence; None for notation.
    """
    if not ruleset.ranks_only:
        return cards_text(ruleset, cards, tr)
    return " ".join(rank_text(ruleset, card.rank, tr) for card in cards)


def example_cards(ruleset: RuleSet) -> str:
    """Return two cards of one rank as an answer may write them."""
    return "3H 3S" if ruleset.vocabulary is None else ruleset.vocabulary.cards([Card("H[3]"), Card("S[3]")])


def face(card: Card, tr: Words) -> CardFace:
    """Return a face-up card with its standard name.

    Args:
        card: The card.
        tr: Texts in the user's language.
    """
    rank = RANK_NAMES[card.rank]
    if card.suit is None:
        return CardFace(str(card), rank, "", tr(JOKERS[rank]))
    suit = SUIT_NAMES[card.suit]
    named = tr(f"cards.{suit}")
    return CardFace(str(card), rank, suit, f"{rank} of {named}" if tr.language is Language.EN else f"{named} {rank}")


def faces(ruleset: RuleSet, cards: int, tr: Words) -> tuple[CardFace, ...]:
    """Return the cards of a mask, face up, in the game's order.

    Args:
        ruleset: Rules of the game.
        cards: Cards as a mask.
        tr: Texts in the user's language.
    """
    return tuple(_face(ruleset, card, tr) for card in ruleset.order.sort(cards))


def _face(ruleset: RuleSet, card: Card, tr: Words) -> CardFace:
    """Return a face-up card under the name that the game gives it."""
    vocabulary = ruleset.vocabulary
    if vocabulary is None or card.suit is None:
        return face(card, tr)
    rank, suit = vocabulary.ranks[card.rank].text(tr.language), vocabulary.suits[card.suit].text(tr.language)
    code = vocabulary.card(card)
    return CardFace(code, code, "", tr("rules.notation_name", rank=rank, suit=suit))


def pattern_name(ruleset: RuleSet, pattern: str, tr: Words) -> str:
    """Return the name of a pattern, or of a move without cards, in a game.

    Args:
        ruleset: Rules of the game.
        pattern: Identifier of the pattern or move.
        tr: Texts in the user's language.
    """
    if (spoken := spoken_name(pattern, tr)) is not None:
        return spoken
    if ruleset.vocabulary is not None:
        return ruleset.vocabulary.by_pattern[pattern].text(tr.language)
    return tr.name("pattern", f"{ruleset.name}.{pattern}", pattern, fallback=ruleset.zh_of(pattern))


def spoken_name(move: str, tr: Words) -> str | None:
    """Return the word of a pass or an auction decision, or None for a pattern of cards.

    Args:
        move: Identifier of the pattern or move.
        tr: Texts in the user's language.
    """
    if move == "pass":
        return tr("cards.pass")
    if move in (CALL.pattern, ROB.pattern):
        return tr(f"auction.{move}")
    return tr("auction.bid", points=move.removeprefix("bid_")) if move.startswith("bid_") else None


def no_name(calls: Collection[Play], tr: Words) -> str:
    """Return the word for a pass: the refusal that fits the auction decisions, or "pass" without any.

    Args:
        calls: Auction decisions that are possible.
        tr: Texts in the user's language.
    """
    if not calls:
        return tr("cards.pass")
    return tr("auction.not_rob" if ROB in calls else "auction.decline")


def move_text(play: Play, legal: LegalPlays, tr: Words) -> str:
    """Return a legal move as an answer would name it: cards, with the name of the reading if they have several, or a word.

    Args:
        play: The move.
        legal: Legal moves.
        tr: Texts in the user's language.
    """
    rules = legal.ruleset
    if not play and tr.language is Language.EN:
        return play.pattern.replace("_", " ")
    if not play:
        return no_name(legal.calls, tr) if play.is_pass else pattern_name(rules, play.pattern, tr)
    cards = ranked_text(rules, hand_order(rules, play))
    try:
        legal.verify(play.mask)
    except AmbiguousPlayError:
        return f"{cards} {_reading_text(rules, play, tr)}"
    return cards


def _reading_text(ruleset: RuleSet, play: Play, tr: Words) -> str:
    """Return the name of a reading, which an answer may add to its cards."""
    name = ruleset.reading_name(play)
    return name if ruleset.vocabulary is None else name.replace(play.pattern, pattern_name(ruleset, play.pattern, tr), 1)


def shown_move(ruleset: RuleSet, seat: int, play: Play, tr: Words, words: str | None = None) -> ShownMove:
    """Return a move as it is displayed, with its cards in canonical order.

    Args:
        ruleset: Rules of the game.
        seat: Seat that moved.
        play: The play, pass or auction decision.
        tr: Texts in the user's language.
        words: Words for the move; None for the name of its pattern.
    """
    kind = "play" if play else "pass" if play.is_pass else "say"
    named = pattern_name(ruleset, play.pattern, tr) if words is None else words
    return ShownMove(seat, named, tuple(_face(ruleset, card, tr) for card in hand_order(ruleset, play)), kind)


PERSON: Final = "you"
"""Name in records of a person who gave no name."""


def agent_words(name: str, tr: Words) -> str:
    """Return the name of an agent in the user's language. Names with an argument and names from other packages are unchanged.

    Args:
        name: The agent's name.
        tr: Texts in the user's language.
    """
    return tr.name("agent", name) if f"agent.{name}" in catalogue() else name


def seat_words(names: Iterable[str], tr: Words) -> tuple[str, ...]:
    """Return the names of a record's seats in the user's language. `heuristic2` is the second heuristic agent.

    Args:
        names: Names in the record. Names that are not agents are unchanged.
        tr: Texts in the user's language.

    >>> from big2_env.base.language import Language, words
    >>> seat_words(["you", "heuristic1", "learned:a_b.npz", "Ann"], words(Language.EN))
    ('you', 'Veteran 1', 'learned:a_b.npz', 'Ann')
    """
    return tuple(_called(name, tr) for name in names)


def numbered_words(spec: str, name: str, tr: Words) -> str:
    """Return the name of an agent's seat in the user's language, with its number if several seats have the same agent.

    Args:
        spec: Name of the agent.
        name: Name of the seat in the record.
        tr: Texts in the user's language.
    """
    called, number = agent_words(spec, tr), name.removeprefix(spec)
    return f"{called} {number}".strip() if called.isascii() else f"{called}{number}"


def numbered(specs: Sequence[str | None], person: str = PERSON) -> list[str]:
    """Return the name of each seat for a record: its agent's, with a number if several seats have the same agent.

    Args:
        specs: Name of the agent in each seat, `None` for a person.
        person: Name of a person.

    >>> numbered(["heuristic", "greedy", None, "greedy"])
    ['heuristic', 'greedy1', 'you', 'greedy2']
    """
    again = Counter(specs)
    return [
        person if spec is None else spec if again[spec] == 1 else f"{spec}{specs[: seat + 1].count(spec)}"
        for seat, spec in enumerate(specs)
    ]


def table_words(specs: Sequence[str | None], tr: Words, person: str | None = None) -> list[str]:
    """Return the name of each seat at a table in the user's language, as `numbered` does.

    Args:
        specs: Name of the agent in each seat, `None` for a person.
        tr: Texts in the user's language.
        person: Name of a person; by default a translation of "you".
    """
    named = zip(specs, numbered(specs, person or tr("table.you")), strict=True)
    return [name if spec is None else numbered_words(spec, name, tr) for spec, name in named]


def _called(name: str, tr: Words) -> str:
    if name == PERSON:
        return tr("table.you")
    agent = re.sub(r"\d+$", "", name)
    return numbered_words(agent, name, tr) if f"agent.{agent}" in catalogue() else name


def points(value: float, *, signed: bool = True) -> str:
    """Return a payoff as text: thirds as fractions, other values with at most three decimals, and zero without a sign.

    Args:
        value: The payoff.
        signed: True to write a plus sign.

    >>> points(1.0), points(-1 / 3), points(5 / 3), points(-0.0), points(2.5, signed=False)
    ('+1', '-⅓', '+1⅔', '0', '2.5')
    """
    if isinstance(value, int):  # it may be longer than a float
        return f"{value:+d}" if signed and value else f"{value:d}"
    whole, third = divmod(round(abs(value) * 3), 3)
    if third and abs(abs(value) * 3 - (3 * whole + third)) < 1e-6:
        return f"{'-' if value < 0 else '+' if signed else ''}{whole or ''}{' ⅓⅔'[third]}"
    rounded = round(value, 3) or 0.0
    text = f"{rounded:+.3f}" if signed and rounded else f"{rounded:.3f}"
    return text.rstrip("0").rstrip(".")


def estimate(value: float, *, signed: bool = True) -> str:
    """Return a mean as text: two decimals below 10, one below 100, otherwise none. Zero has no sign.

    Args:
        value: The mean.
        signed: True to write a plus sign.

    >>> estimate(0.125), estimate(-1 / 3), estimate(-0.001), estimate(37.24, signed=False), estimate(-250.0)
    ('+0.12', '-0.33', '0.00', '37.2', '-250')
    """
    digits = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    rounded = round(value, digits) or 0.0
    return f"{rounded:+.{digits}f}" if signed and rounded else f"{rounded:.{digits}f}"
