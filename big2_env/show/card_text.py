"""Cards in lines of text: the one place that writes them, for every shell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from rich.text import Text

from big2_env.scene import CardFace

SIGNS: Final = {"club": "♣", "diamond": "♦", "heart": "♥", "spade": "♠"}
"""The signs of the suits."""
STYLES: Final = {
    "club": "green",
    "diamond": "yellow",
    "heart": "red",
    "spade": "cyan",
    "red": "red",
    "yellow": "yellow",
    "green": "green",
    "blue": "blue",
    "": "magenta",
}
"""By suit, or by colour of a UNO card: the style of a card in a line."""
QUIET: Final = "dim"
"""The style of what matters less."""
BACK_TEXT: Final = "▒▒"
"""A card that lies face down."""
_CARD: Final = re.compile(r"(?<![A-Za-z0-9_])(?:([CDHS])\[(10|[2-9JQKA])\]|[LB]J(?![A-Za-z0-9_]))(\*?)")
_SUITS: Final = {name[0].upper(): name for name in SIGNS}


def with_signs(line: str) -> str:
    """A sentence whose cards are in notation, with suits as signs.

    >>> with_signs("player_1 leads D[10], player_2 passes")
    'player_1 leads 10♦, player_2 passes'
    """
    return _CARD.sub(lambda card: _written(card, True), line)


def text_with_signs(text: Text) -> Text:
    """A styled text whose cards are in notation, with suits as signs; styles stay."""
    found, end = Text(), 0
    for card in _CARD.finditer(text.plain):
        drawn = text[card.start() : card.end()]
        drawn.plain = _written(card, True)
        found.append_text(text[end : card.start()]).append_text(drawn)
        end = card.end()
    return found.append_text(text[end:])


def coloured(line: str, style: str = "", *, signs: bool = False) -> Text:
    """A sentence with its cards in the colours of their suits, all else in a style.

    Args:
        line: the sentence, its cards in notation.
        style: the style of what is no card.
        signs: True for suits as signs, `10♦`; False for cards as they stand there, `D[10]`.

    >>> coloured("pair C[10] S[10]", signs=True).plain
    'pair 10♣ 10♠'
    """
    text, end = Text(style=style), 0
    for card in _CARD.finditer(line):
        text.append(line[end : card.start()])
        text.append(_written(card, signs), STYLES[_SUITS.get(card[1] or "", "")])
        end = card.end()
    return text.append(line[end:])


def _written(card: re.Match[str], signs: bool) -> str:
    return f"{card[2]}{SIGNS[_SUITS[card[1]]]}{card[3]}" if signs and card[1] else card[0]


def face_text(face: CardFace, *, notation: bool = False) -> str:
    """A card in a line: `10♦`, or `D[10]` in notation; two blocks for one that lies face down."""
    if face.is_back:
        return BACK_TEXT
    return face.text if notation or face.suit not in SIGNS else f"{face.rank}{SIGNS[face.suit]}"


def card_text(face: CardFace, *, notation: bool = False) -> Text:
    """A card as `face_text` writes it, in the colour of its suit."""
    return Text(face_text(face, notation=notation), QUIET if face.is_back else STYLES.get(face.suit, STYLES[""]))


def cards_text(cards: Iterable[CardFace], *, notation: bool = False) -> Text:
    """Cards with blanks between, and nowhere else."""
    return Text(" ").join(card_text(face, notation=notation) for face in cards)
