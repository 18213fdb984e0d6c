"""Cards of two decks as text: the second copy of a face has a star behind it, `S[3]*`. One deck's cards read as ever.

The text format names faces alone; records have to name the very card.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from big2_env.cards import CARDS, NUM_FACES, Card, Deck
from big2_env.errors import NotationError

STAR: Final = "*"


def cards_text(cards: Iterable[Card]) -> str:
    """Cards in the order given.

    >>> cards_text([Card(3), Card(3 + NUM_FACES)])
    'S[3] S[3]*'
    """
    return " ".join(f"{card}{STAR}" if card >= NUM_FACES else str(card) for card in cards)


def parse_cards(text: str) -> list[Card]:
    """The cards of a text, separated by blanks, in the order given.

    Raises:
        NotationError: a token that names no card, or a card twice.
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
    """The cards of a text as a mask. Raises as `parse_cards`."""
    return sum(1 << card for card in parse_cards(text))


def parse_deck(deck: Deck, text: str) -> list[Card]:
    """The whole deck from bottom to top as a text gives it.

    Raises:
        NotationError: an unknown, repeated or missing card.
    """
    if deck.copies == 1:
        return deck.parse(text)
    cards = parse_cards(text)
    if sorted(cards) != list(deck.cards):
        raise NotationError(
            f"expected a deck with each of the {deck.size} cards once, second copies with {STAR}, got {len(cards)} cards"
        )
    return cards
