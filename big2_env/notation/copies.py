"""Cards of two decks as text. The second copy of a card has a star, as in `S[3]*`; everything else is as for one deck.

The text format does not distinguish copies, but records must.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from big2_env.base.cards import CARDS, NUM_FACES, Card, Deck
from big2_env.base.errors import NotationError

STAR: Final = "*"


def cards_text(cards: Iterable[Card]) -> str:
    """Return cards as text, in the order given.

    Args:
        cards: Cards of one or two decks.

    >>> cards_text([Card(3), Card(3 + NUM_FACES)])
    'S[3] S[3]*'
    """
    return " ".join(f"{card}{STAR}" if card >= NUM_FACES else str(card) for card in cards)


def parse_cards(text: str) -> list[Card]:
    """Return the cards of a text, in the order given.

    Raises:
        NotationError: A token is not a card, or a card is repeated.
    """
    cards: dict[Card, None] = {}
    for token in text.split():
        face = Card(token.removesuffix(STAR))
        card = CARDS[face + NUM_FACES] if token.endswith(STAR) else face
        if card in cards:
            raise NotationError(f"{token} is given twice")
        cards[card] = None
    return list(cards)


def mask_of(text: str) -> int:
    """Return the cards of a text as a mask.

    Raises:
        NotationError: A token is not a card, or a card is repeated.
    """
    return sum(1 << card for card in parse_cards(text))


def parse_deck(deck: Deck, text: str) -> list[Card]:
    """Return the whole deck of a text, from bottom to top.

    Args:
        deck: Cards that the text must contain.
        text: Cards separated by blanks.

    Raises:
        NotationError: A card is unknown, repeated or missing.
    """
    if deck.copies == 1:
        return deck.parse(text)
    cards = parse_cards(text)
    if sorted(cards) != list(deck.cards):
        raise NotationError(
            f"expected a deck with each of the {deck.size} cards once, second copies with {STAR}, got {len(cards)} cards"
        )
    return cards
