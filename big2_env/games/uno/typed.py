"""Cards of UNO as people type them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from big2_env.errors import NotationError, quoted
from big2_env.games.uno.cards import DRAW_TWO, REVERSE, SKIP, WILD, WILD_FOUR, Colour, card_of

_COLOUR_WORDS: Final = ("r red 紅 红", "y yellow 黃 黄", "b blue 藍 蓝", "g green 綠 绿")
COLOURS: Final = {word: colour for colour, words in enumerate(_COLOUR_WORDS) for word in words.split()}
"""By word: the colour."""
FACES: Final = {
    **{str(number): number for number in range(10)},
    **dict.fromkeys(("skip", "s", "⊘", "禁止"), SKIP),
    **dict.fromkeys(("reverse", "rev", "⇄", "反轉", "反转"), REVERSE),
    **dict.fromkeys(("+2", "draw2"), DRAW_TWO),
    **dict.fromkeys(("wild", "w", "變色", "变色"), WILD),
    **dict.fromkeys(("+4", "w4", "wild4"), WILD_FOUR),
}
"""By word: the face."""
_PARTS: Final = re.compile("|".join(map(re.escape, sorted({*COLOURS, *FACES}, key=len, reverse=True))) + r"|[\s,，、\[\]]+")


def parse_typed(text: str) -> tuple[int, int | None]:
    """The card that somebody typed, and the colour that a wild one names, `None` where it names none.

    Colour and face, in this order for coloured cards: `r7`, `red 7`, `R[7]`, `b skip`, `g+2`; wild cards with or without the
    colour: `wild r`, `w`, `+4 y`, `W[+4] Y`.

    Raises:
        NotationError: it is no card.

    >>> parse_typed("g+2"), parse_typed("W[+4] Y"), parse_typed("wild")
    ((57, None), (74, 1), (73, None))
    """
    words = _words(text.strip().lower())
    faces = [FACES[word] for word in words if word in FACES]
    colours = [COLOURS[word] for word in words if word in COLOURS]
    if WILD_FOUR in faces and WILD in faces:  # W[+4], 變色 +4
        faces.remove(WILD)
    if len(faces) != 1 or len(colours) > 1 or (faces[0] < WILD and not colours):
        raise NotationError(f"expected a card such as r7, g+2 or wild r, got {quoted(text, 20)}")
    if faces[0] >= WILD:
        return card_of(Colour.BLANK, faces[0]), colours[0] if colours else None
    return card_of(colours[0], faces[0]), None


def parse_colour(text: str) -> int | None:
    """The colour that somebody typed, `None` for anything else."""
    return COLOURS.get(text.strip().lower())


def _words(text: str) -> Sequence[str]:
    """The colours and faces that a text is made of.

    Raises:
        NotationError: there is something else in it.
    """
    words, at = [], 0
    while at < len(text):
        found = _PARTS.match(text, at)
        if found is None:
            raise NotationError(f"expected a card such as r7, g+2 or wild r, got {quoted(text, 20)}")
        words.append(found[0])
        at = found.end()
    return words
