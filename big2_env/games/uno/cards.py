"""Cards and actions of UNO, as numbers and as text.

A card is `colour * 15 + face`. Colors are red, yellow, blue, green and blank (0 to 4). Faces are 0 to 9, then skip, reverse,
draw two (10 to 12), wild and wild draw four (13 and 14). Wild cards are blank.

Source: deck and encoding of 疯狂的UNO (108 cards: 76 numbers, 24 action cards, 8 wild cards).

| action | meaning |
| --- | --- |
| 0 to 59 | play the card `colour * 15 + face`; for a wild card, `colour` is the color that it names |
| 60 | draw |
| 61 | keep the card just drawn |

If the first card turned up is wild, the first player names its color with 13, 28, 43 or 58. If blank matches any color, wild
cards name none and use red. Ids 0 to 60 have the same order as RLCard's, except for the order of the colors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Final

from big2_env.base.errors import ConfigError, NotationError, quoted
from big2_env.base.side_game import card_numbers


class Colour(IntEnum):
    """Color of a card, or the current color."""

    RED = 0
    YELLOW = 1
    BLUE = 2
    GREEN = 3
    BLANK = 4
    """Color of wild cards; as the current color it matches any card."""


SKIP, REVERSE, DRAW_TWO, WILD, WILD_FOUR = range(10, 15)
"""Faces from 10 on; lower faces are numbers."""
NUM_FACES: Final = 15
NUM_COLOURS: Final = 4
NUM_CARDS: Final = 108
NUM_NUMBERS: Final = 76
"""Number of cards with faces 0 to 9."""
LETTERS: Final = "RYBGW"
"""Letters of the colors; W is blank."""
FACE_NAMES: Final = (*map(str, range(10)), "skip", "reverse", "+2", "wild", "+4")


def card_of(colour: int, face: int) -> int:
    """Return the number of a card."""
    return colour * NUM_FACES + face


def colour_of(card: int) -> int:
    """Return the color of a card, 0 to 4."""
    return card // NUM_FACES


def face_of(card: int) -> int:
    """Return the face of a card, 0 to 14."""
    return card % NUM_FACES


def is_wild(card: int) -> bool:
    """Return True if a card is wild."""
    return card >= NUM_COLOURS * NUM_FACES


def points_of(card: int) -> int:
    """Return the points of a card left in a hand: its face for a number, 20 for an action card, 50 for a wild card."""
    face = face_of(card)
    return face if face < SKIP else 20 if face < WILD else 50


def copies_of(card: int) -> int:
    """Return the copies of a card in the deck: one of each 0, two of every other colored card, four of each wild card."""
    return 4 if is_wild(card) else 1 if face_of(card) == 0 else 2


PLAIN: Final = card_of(Colour.BLANK, WILD)
FOUR: Final = card_of(Colour.BLANK, WILD_FOUR)
CARDS: Final = (*(card_of(colour, face) for colour in range(NUM_COLOURS) for face in range(WILD)), PLAIN, FOUR)
"""The 54 different cards, ascending."""
DECK: Final = tuple(card for card in CARDS for _ in range(copies_of(card)))
"""The 108 cards, ascending. After shuffling (`big2_env.base.rng`) the last card is the top."""
_TEXTS: Final = {card: f"{LETTERS[colour_of(card)]}[{FACE_NAMES[face_of(card)]}]" for card in CARDS}
_CARDS: Final = {text: card for card, text in _TEXTS.items()}


def card_text(card: int) -> str:
    """Return a card in notation.

    >>> card_text(card_of(Colour.RED, 7)), card_text(card_of(Colour.BLANK, WILD_FOUR))
    ('R[7]', 'W[+4]')
    """
    return _TEXTS[card]


def cards_text(cards: Iterable[int]) -> str:
    """Return cards in notation, in the given order."""
    return " ".join(map(card_text, cards))


def parse_card(text: str) -> int:
    """Return the card for a text in notation.

    Raises:
        NotationError: The text is not a card.
    """
    card = _CARDS.get(text)
    if card is None:
        faces = " ".join(FACE_NAMES[:WILD])
        raise NotationError(f"expected a UNO card: R, Y, B, G with one of [{faces}], W[wild] or W[+4], got {quoted(text)}")
    return card


def parse_cards(text: str) -> tuple[int, ...]:
    """Return the cards in a text, separated by spaces. Raises the same errors as `parse_card`."""
    return tuple(map(parse_card, text.split()))


def check_deck(deck: Iterable[int]) -> tuple[int, ...]:
    """Check a deck and return it as a tuple.

    Raises:
        NotationError: A card is missing or appears too often.
        ConfigError: A card is not an integer.
    """
    cards = card_numbers(deck)
    if sorted(cards) != sorted(DECK):
        for card in CARDS:
            if cards.count(card) != copies_of(card):
                raise NotationError(f"the deck: expected {card_text(card)} {copies_of(card)} times, got {cards.count(card)}")
        raise NotationError(f"expected the {NUM_CARDS} cards of UNO, got {len(cards)}")
    return cards


DRAW: Final = NUM_COLOURS * NUM_FACES
KEEP: Final = DRAW + 1
NUM_MOVES: Final = KEEP + 1


def play_of(card: int, colour: int = Colour.RED) -> int:
    """Return the action that plays a card; `colour` is the color that a wild card names."""
    return card if card < DRAW else card_of(colour, card % NUM_FACES)


def played_card(move: int) -> int:
    """Return the card that an action below `DRAW` takes out of the hand."""
    return move if move % NUM_FACES < WILD else card_of(Colour.BLANK, move % NUM_FACES)


def move_text(move: int) -> str:
    """Return an action in notation.

    >>> move_text(7), move_text(29), move_text(DRAW)
    ('R[7]', 'W[+4] Y', 'draw')
    """
    if move >= DRAW:
        return "draw" if move == DRAW else "keep"
    card = played_card(move)
    return card_text(card) if card == move else f"{card_text(card)} {LETTERS[move // NUM_FACES]}"


def parse_move(text: str) -> int:
    """Return the action for a text in notation.

    Raises:
        NotationError: The text is not an action.

    >>> parse_move("W[+4] Y"), parse_move("keep")
    (29, 61)
    """
    if text in ("draw", "keep"):
        return DRAW if text == "draw" else KEEP
    name, blank, letter = text.partition(" ")
    card = parse_card(name)
    if card < DRAW and not blank:
        return card
    if card < DRAW or len(letter) != 1 or letter not in LETTERS[:NUM_COLOURS]:
        raise NotationError(f"expected a card, a wild card with R, Y, B or G, draw, or keep, got {quoted(text)}")
    return play_of(card, LETTERS.index(letter))


def check_move(move: int) -> int:
    """Check that a number is an action, and return it.

    Raises:
        ConfigError: The number is not an action.
    """
    if not 0 <= move < NUM_MOVES:
        raise ConfigError(f"expected an action of 0 to {NUM_MOVES - 1}, got {move}")
    return move


_COLOUR_WORDS: Final = ("r red 紅 红", "y yellow 黃 黄", "b blue 藍 蓝", "g green 綠 绿")
COLOURS: Final = {word: colour for colour, words in enumerate(_COLOUR_WORDS) for word in words.split()}
"""Colors by word."""
_NUMBERS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
FACES: Final = {
    **{word: number for number, name in enumerate(_NUMBERS) for word in (name, str(number))},
    **dict.fromkeys(("skip", "s", "⊘", "禁止"), SKIP),
    **dict.fromkeys(("reverse", "rev", "⇄", "反轉", "反转"), REVERSE),
    **dict.fromkeys(("+2", "draw2", "draw 2", "draw-2", "draw two", "draw-two"), DRAW_TWO),
    **dict.fromkeys(("wild", "w", "變色", "变色"), WILD),
    **dict.fromkeys(("+4", "w4", "wild4", "draw4", "draw 4", "draw-4", "draw four", "draw-four"), WILD_FOUR),
}
"""Faces by word."""
_REMARKS: Final = r"(?:the|a|card|with|naming|colou?r|as)(?![a-z])|指定|->|[\s,，、\[\]→:()]"
"""Words and signs in a card that add nothing."""
_PARTS: Final = re.compile(
    "|".join(re.escape(word) + "(?![a-z])" * (len(word) > 2) for word in sorted({*COLOURS, *FACES}, key=len, reverse=True))
    + f"|(?:{_REMARKS})+"
)


def parse_typed(text: str) -> tuple[tuple[int, int | None], ...]:
    """Return the cards that a text can name, each with the color that a wild card names; `None` without a color.

    Colored cards are color and face in this order: `r7`, `red 7`, `R[7]`, `b skip`, `g+2`. Wild cards may have a color: `wild
    r`, `w`, `+4 y`, `W[+4] Y`, `wild draw four, naming yellow`. `green draw 2` may also be a green 2 with a word too many.

    Raises:
        NotationError: The text is not a card.

    >>> parse_typed("g+2"), parse_typed("W[+4] Y"), parse_typed("wild"), parse_typed("green draw 2")
    (((57, None),), ((74, 1),), ((73, None),), ((57, None), (47, None)))
    """
    words = _words(text.strip().lower())
    numbers = [word.removeprefix("draw").strip(" -") for word in words]
    found = dict.fromkeys(card for one in (words, numbers) if (card := _card_in(one)) is not None)
    if not found:
        raise NotationError(f"expected a card such as r7, g+2 or wild r, got {quoted(text, 20)}")
    return tuple(found)


def _card_in(words: Sequence[str]) -> tuple[int, int | None] | None:
    """Return the card that words name, and the color that a wild card names; `None` if they name none."""
    faces = [FACES[word] for word in words if word in FACES]
    colours = [COLOURS[word] for word in words if word in COLOURS]
    if faces[:-1] == [WILD] and faces[1] in (WILD, WILD_FOUR):  # W[wild], W[+4], 變色 +4
        del faces[0]
    if len(faces) != 1 or len(colours) > 1 or (faces[0] < WILD and not colours):
        return None
    if faces[0] >= WILD:
        return card_of(Colour.BLANK, faces[0]), colours[0] if colours else None
    return card_of(colours[0], faces[0]), None


def _words(text: str) -> Sequence[str]:
    """Split a text into words for colors and faces.

    Raises:
        NotationError: The text contains anything else.
    """
    words, at = [], 0
    while at < len(text):
        found = _PARTS.match(text, at)
        if found is None:
            raise NotationError(f"expected a card such as r7, g+2 or wild r, got {quoted(text, 20)}")
        words.append(found[0])
        at = found.end()
    return words
