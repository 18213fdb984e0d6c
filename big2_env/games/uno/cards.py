"""UNO's cards: a pair of colour and face, as a number and as text.

A card is `colour * 15 + face`. Colours are red, yellow, blue, green and blank (0 to 4); faces are 0 to 9, then skip, reverse,
draw two (10 to 12), wild and wild draw four (13 and 14). Wild cards are blank.

Source: the deck and the encoding of 疯狂的UNO (108 cards: 76 numbers, 24 action cards, 8 wild cards).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final

from big2_env.errors import NotationError, quoted


class Colour(IntEnum):
    """A card's colour, or the colour in force."""

    RED = 0
    YELLOW = 1
    BLUE = 2
    GREEN = 3
    BLANK = 4
    """Of wild cards; in force it fits any colour."""


SKIP, REVERSE, DRAW_TWO, WILD, WILD_FOUR = range(10, 15)
"""Faces from 10 on; the others are the numbers 0 to 9."""
NUM_FACES: Final = 15
NUM_COLOURS: Final = 4
NUM_CARDS: Final = 108
NUM_NUMBERS: Final = 76
"""Cards of the faces 0 to 9."""
LETTERS: Final = "RYBGW"
"""The colours' letters; W for blank."""
FACE_NAMES: Final = (*map(str, range(10)), "skip", "reverse", "+2", "wild", "+4")


def card_of(colour: int, face: int) -> int:
    """The number of a card."""
    return colour * NUM_FACES + face


def colour_of(card: int) -> int:
    """A card's colour, 0 to 4."""
    return card // NUM_FACES


def face_of(card: int) -> int:
    """A card's face, 0 to 14."""
    return card % NUM_FACES


def is_wild(card: int) -> bool:
    """Whether a card is blank."""
    return card >= NUM_COLOURS * NUM_FACES


def points_of(card: int) -> int:
    """What a card left in a hand counts: a number its face, an action card 20, a wild card 50."""
    face = face_of(card)
    return face if face < SKIP else 20 if face < WILD else 50


def copies_of(card: int) -> int:
    """How many of a card the deck has: one 0, two of any other coloured card, four of each wild card."""
    return 4 if is_wild(card) else 1 if face_of(card) == 0 else 2


CARDS: Final = (
    *(card_of(colour, face) for colour in range(NUM_COLOURS) for face in range(WILD)),
    card_of(Colour.BLANK, WILD),
    card_of(Colour.BLANK, WILD_FOUR),
)
"""The 54 different cards, ascending."""
DECK: Final = tuple(card for card in CARDS for _ in range(copies_of(card)))
"""The 108 cards, ascending; shuffled by `big2_env.rng`, the last one is the top."""
_TEXTS: Final = {card: f"{LETTERS[colour_of(card)]}[{FACE_NAMES[face_of(card)]}]" for card in CARDS}
_CARDS: Final = {text: card for card, text in _TEXTS.items()}


def card_text(card: int) -> str:
    """A card's notation.

    >>> card_text(card_of(Colour.RED, 7)), card_text(card_of(Colour.BLANK, WILD_FOUR))
    ('R[7]', 'W[+4]')
    """
    return _TEXTS[card]


def cards_text(cards: Iterable[int]) -> str:
    """Cards in notation, in the order given."""
    return " ".join(map(card_text, cards))


def parse_card(text: str) -> int:
    """The card of a text.

    Raises:
        NotationError: there is none.
    """
    card = _CARDS.get(text)
    if card is None:
        faces = " ".join(FACE_NAMES[:WILD])
        raise NotationError(f"expected a UNO card: R, Y, B, G with one of [{faces}], W[wild] or W[+4], got {quoted(text)}")
    return card


def parse_cards(text: str) -> tuple[int, ...]:
    """The cards of a text, separated by blanks, in its order. Raises as `parse_card`."""
    return tuple(map(parse_card, text.split()))


def check_deck(deck: Iterable[int]) -> tuple[int, ...]:
    """The deck given, once it is one.

    Raises:
        NotationError: a card that is missing or there too often.
    """
    cards = tuple(deck)
    if sorted(cards) != sorted(DECK):
        for card in CARDS:
            if cards.count(card) != copies_of(card):
                raise NotationError(f"the deck: expected {card_text(card)} {copies_of(card)} times, got {cards.count(card)}")
        raise NotationError(f"expected the {NUM_CARDS} cards of UNO, got {len(cards)}")
    return cards
