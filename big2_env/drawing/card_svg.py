"""Cards as SVG: symbols that a picture can use repeatedly, and single cards as documents.

A symbol is 100 units wide and 140 high. Rank and suit are in the upper left corner, `INDEX` units wide, so overlapping cards
and cards 40 pixels high stay readable. Suits differ by shape, UNO's colors by shape and letter.

All shapes are SVG paths of our own, so no font or file is needed. Glyphs are strokes in a box of 20 x 32 units. Suits and marks
are areas in a box of 100 x 100; court figures and the jester have a box of 60 x 80. `currentColor` is the color of the card's
suit.

    symbols = card_symbols(faces)          # once, inside <defs>
    uses = [card_use(face, x=40 * i, y=0, height=84) for i, face in enumerate(faces)]
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import product
from typing import Final, NamedTuple

from big2_env.base.scene import CardFace


class Glyph(NamedTuple):
    """Sign drawn with strokes, 32 units high.

    Args:
        width: Width in the same units, without the stroke.
        path: Center lines of the strokes.
    """

    width: float
    path: str


GLYPHS: Final = {
    "A": Glyph(20, "M0 32 10 0 20 32M4 21H16"),
    "2": Glyph(19, "M.5 8.6C.5 3.6 4.4 0 9.6 0S18.4 3.4 18.4 8.2C18.4 12 16.6 14.9 13 18.6L0 32H19"),
    "3": Glyph(19, "M1 0H17.6L8.2 12.4C14.6 12 19 16 19 22S14.6 32 9.2 32C4.8 32 1.4 30 0 26.4"),
    "4": Glyph(20, "M14.6 32V0L0 22.6H20"),
    "5": Glyph(19, "M17 0H3L1.4 14.6C3.8 12.6 6.2 11.6 9.2 11.6 15 11.6 19 15.7 19 21.7S14.8 32 9 32C5 32 1.8 30.2 0 27"),
    "6": Glyph(19, "M15 0C6 4.4 0 12.4 0 22A9.5 10 0 1 0 19 22 9.5 10 0 1 0 0 22"),
    "7": Glyph(19, "M0 0H19L7 32"),
    "8": Glyph(19, "M9.5 15A7.8 7.5 0 1 1 9.5 0 7.8 7.5 0 1 1 9.5 15 9.5 8.5 0 1 0 9.5 32 9.5 8.5 0 1 0 9.5 15"),
    "9": Glyph(19, "M4 32C13 27.6 19 19.6 19 10A9.5 10 0 1 0 0 10 9.5 10 0 1 0 19 10"),
    "10": Glyph(
        24.5, "M0 5.6 5.4 0V32M12 10C12 3.6 14.2 0 18.2 0S24.5 3.6 24.5 10V22C24.5 28.4 22.2 32 18.2 32S12 28.4 12 22Z"
    ),
    "J": Glyph(15, "M7 0H15V22C15 28.4 12 32 7.6 32 3.4 32 .6 29.2 0 24.6"),
    "Q": Glyph(20, "M10 0C16.2 0 20 5.6 20 15.6S16.2 31 10 31 0 25.6 0 15.6 3.8 0 10 0ZM11.6 22.6 20.4 33"),
    "K": Glyph(19, "M.5 0V32M18 0 .5 18.4M7.4 11.6 19 32"),
    "0": Glyph(18, "M0 10C0 3.6 3 0 9 0S18 3.6 18 10V22C18 28.4 15 32 9 32S0 28.4 0 22Z"),
    "1": Glyph(8, "M0 7 8 0V32"),
    "E": Glyph(15, "M15 0H0V32H15M0 15.5H12.5"),
    "O": Glyph(20, "M10 0C16.2 0 20 5.6 20 16S16.2 32 10 32 0 26.4 0 16 3.8 0 10 0Z"),
    "+": Glyph(16, "M8 9V25M0 17H16"),
    "R": Glyph(18, "M0 32V0H9.4C14.6 0 17.4 3.2 17.4 8.4S14.6 16.8 9.4 16.8H0M9.4 16.8 18 32"),
    "Y": Glyph(20, "M0 0 10 16 20 0M10 16V32"),
    "G": Glyph(20, "M19 7C17.4 2.6 14.4 0 10.2 0 4 0 0 6 0 16S4 32 10.4 32C14 32 17.6 30.4 20 27.6V17H12"),
    "B": Glyph(18, "M0 0V32H9.6C15 32 18 28.8 18 24S15 16 9.6 16H0M0 0H8.8C13.6 0 16.4 3 16.4 8S13.6 16 8.8 16"),
    "skip": Glyph(26, "M0 16A13 13 0 1 1 26 16 13 13 0 1 1 0 16M4 25.4 22 6.6"),
    "reverse": Glyph(30, "M7 30V2M0 9.5 7 2 14 9.5M23 2V30M16 22.5 23 30 30 22.5"),
}
"""Glyphs of ranks, letters of the joker and of UNO's colors, and faces of UNO's action cards."""

STROKE: Final = 5.8
"""Stroke width of a glyph."""

MARKS: Final = {
    "club": (
        "M50 3A20.5 20.5 0 0 1 59.5 41.7L60.5 48A20.5 20.5 0 1 1 57 73C57.5 83 61 91 68 97H32C39 91 42.5 83 43 73"
        "A20.5 20.5 0 1 1 39.5 48L40.5 41.7A20.5 20.5 0 0 1 50 3Z"
    ),
    "diamond": "M50 2C58 20 71 37 87 50 71 63 58 80 50 98 42 80 29 63 13 50 29 37 42 20 50 2Z",
    "heart": "M50 93C20 70 5 51 5 33 5 17 16 7 29 7 38.5 7 46 12 50 21 54 12 61.5 7 71 7 84 7 95 17 95 33 95 51 80 70 50 93Z",
    "spade": (
        "M50 4C68 29 94 43 94 64 94 77 84 85 73 85 65 85 58.5 81.5 54 75.5 55 84 59 91 66 96H34C41 91 45 84 46 75.5"
        "C41.5 81.5 35 85 27 85 16 85 6 77 6 64 6 43 32 29 50 4Z"
    ),
    "star": "M50 3 61.8 35.8 96.6 36.9 69.1 58.2 78.8 91.7 50 72 21.2 91.7 30.9 58.2 3.4 36.9 38.2 35.8Z",
    "red": "M50 8 96 88H4Z",
    "yellow": "M50 6A44 44 0 1 1 49.9 6Z",
    "green": "M10 10H90V90H10Z",
    "blue": "M50 2 94 50 50 98 6 50Z",
}
"""Suits, the joker's star, and the shapes of UNO's colors: triangle, disc, square and rhombus."""

SKIN: Final = "#f6d7b8"
GOLD: Final = "#e0a526"
_INK: Final = "#4a3324"
_FACE: Final = (
    f'<path fill="{SKIN}" d="M25 46H35V58L30 63 25 58ZM18 36C18 27 23 22 30 22S42 27 42 36 37 51 30 51 18 45 18 36Z"/>'
)
_EYES: Final = (
    f'<path fill="{_INK}" d="M24 35a1.7 2 0 1 0 3.4 0 1.7 2 0 1 0-3.4 0M32.6 35a1.7 2 0 1 0 3.4 0 1.7 2 0 1 0-3.4 0"/>'
)
_MOUTH: Final = f'<path fill="none" stroke="{_INK}" stroke-width="1.4" stroke-linecap="round" d="M27 43.5Q30 45.5 33 43.5"/>'
_ROBE: Final = (
    '<path fill="currentColor" d="M2 80C2 63 12 57 24 55L30 62 36 55C48 57 58 63 58 80Z"/>'
    f'<path fill="{GOLD}" d="M19 56 24 54.5 30 61.5 36 54.5 41 56 30 70Z"/>'
)

FIGURES: Final = {
    "J": (
        f'<path fill="#8a5a2b" d="M15 50C12 40 13 26 30 20 47 26 48 40 45 50L40 48V34H20V48Z"/>{_ROBE}{_FACE}{_EYES}{_MOUTH}'
        f'<path fill="#8a5a2b" d="M17 33C18 26 24 25 33 26 39 26.5 42 29 43 33 44 25 40 20 30 20S16 25 17 33Z"/>'
        f'<path fill="currentColor" d="M12 25C10 14 20 7 33 8 45 9 50 17 48 25Z"/>'
        f'<path fill="{GOLD}" d="M12 22H48V27H12ZM38 20C36 10 42 2 55 0 56 8 52 16 41 21Z"/>'
    ),
    "Q": (
        f'<path fill="#7b3f1d" d="M9 66C6 42 10 20 30 19S54 42 51 66C46 68 43 66 41 62V34H19V62C17 66 14 68 9 66Z"/>'
        f"{_ROBE}{_FACE}{_EYES}"
        '<path fill="#c2403a" d="M26.5 43C28 42 29 42 30 42.6 31 42 32 42 33.5 43 32 45.8 28 45.8 26.5 43Z"/>'
        '<path fill="#7b3f1d" d="M17 37C17 27 22 22 30 22S43 27 43 37C41 31 37 28 30 25 23 28 19 31 17 37Z"/>'
        f'<path fill="{GOLD}" d="M16 23 13 9 22.5 15.5 30 6 37.5 15.5 47 9 44 23C35 20 25 20 16 23Z"/>'
        '<path fill="currentColor" d="M9.6 7.5a3.3 3.3 0 1 0 6.6 0 3.3 3.3 0 1 0-6.6 0'
        'M26.4 4a3.6 3.6 0 1 0 7.2 0 3.6 3.6 0 1 0-7.2 0M43.8 7.5a3.3 3.3 0 1 0 6.6 0 3.3 3.3 0 1 0-6.6 0"/>'
    ),
    "K": (
        f'<path fill="#6d6259" d="M15 48C13 36 15 22 30 21S47 36 45 48Z"/>{_ROBE}{_FACE}{_EYES}'
        '<path fill="#6d6259" d="M16 36C18 42 22 42 25 40.5 28 39.5 29.5 40 30 41 30.5 40 32 39.5 35 40.5 38 42 42 42 44 36'
        'C46 52 40 64 30 70 20 64 14 52 16 36Z"/>'
        f'<path fill="none" stroke="{SKIN}" stroke-width="1.6" stroke-linecap="round" d="M27 46.5H33"/>'
        f'<path fill="{GOLD}" d="M14 25 10 4 20.5 13 30 0 39.5 13 50 4 46 25Z"/>'
        '<path fill="currentColor" d="M14 20.5H46L45.2 25H14.8ZM27 12 30 7.5 33 12 30 16.5Z"/>'
    ),
    "joker": (
        f"{_ROBE}{_FACE}{_EYES}"
        f'<path fill="none" stroke="{_INK}" stroke-width="1.6" stroke-linecap="round" d="M24.5 42Q30 48 35.5 42"/>'
        '<path fill="currentColor" d="M16 32C17 20 12 14 4 18 4 6 16 2 24 12 26 4 30 2 32 1 40 3 36 10 38 13 46 4 57 8 56 20'
        ' 47 15 43 21 44 32 36 26 24 26 16 32Z"/>'
        f'<path fill="{GOLD}" d="M0 20a4 4 0 1 0 8 0 4 4 0 1 0-8 0'
        'M52 22a4 4 0 1 0 8 0 4 4 0 1 0-8 0M28 3a4 4 0 1 0 8 0 4 4 0 1 0-8 0"/>'
    ),
}
"""Court figures and the jester."""


def _lattice() -> str:
    """Return the path of the rhombi on a card's back."""
    cells = [(column, row) for row in range(12) for column in range(4 + row % 2)]
    return "".join(f"M{50 + (column - (3 + row % 2) / 2) * 17:g} {10 + row * 9.9:.4g}l6 6-6 6-6-6Z" for column, row in cells)


LATTICE: Final = _lattice()
"""Pattern of a card's back, in a box of 100 x 140."""


WIDTH: Final = 100
HEIGHT: Final = 140
INDEX: Final = 37
"""Width of the left part of a card that shows rank and suit, in units."""
INDEX_HEIGHT: Final = 85
"""Height of the upper part of a card that shows rank and suit, in units."""

TWO_COLOURS: Final = {"club": "#17181c", "diamond": "#c4122f", "heart": "#c4122f", "spade": "#17181c"}
FOUR_COLOURS: Final = {"club": "#0a6e35", "diamond": "#1250b5", "heart": "#c4122f", "spade": "#17181c"}
UNO_COLOURS: Final = {
    "red": ("#b81d24", "#ffffff"),
    "yellow": ("#f3c32c", "#1d1d20"),
    "green": ("#1b7338", "#ffffff"),
    "blue": ("#1457b0", "#ffffff"),
    "": ("#25262c", "#ffffff"),
}
"""Background and foreground of a UNO card, by its color."""
UNO_LETTERS: Final = {"red": "R", "yellow": "Y", "green": "G", "blue": "B"}
UNO_FACES: Final = ("skip", "reverse", "+2", "+4", "wild")
PAPER: Final = "#fffdf7"
EDGE: Final = "#7d828c"
BACK_GROUND: Final = "#27406f"


def symbol_id(face: CardFace, *, four_colours: bool = False) -> str:
    """Return the id of a card's symbol. Cards that look the same share one.

    Args:
        face: The card.
        four_colours: True for green clubs and blue diamonds.
    """
    if face.is_back:
        return "b2-back"
    colours = "-4" if four_colours and face.suit in FOUR_COLOURS else ""
    return "-".join(part for part in ("b2", face.suit, face.rank.replace("+", "plus")) if part) + colours


def card_symbols(faces: Iterable[CardFace], *, four_colours: bool | None = False) -> str:
    """Return the symbols of cards and their parts, once each, for use in `<defs>`.

    Args:
        faces: The cards. Only their symbols are returned, so a picture names no hidden card.
        four_colours: True for green clubs and blue diamonds, None for the symbols of both color schemes.
    """
    cards: dict[str, str] = {}
    parts: dict[str, str] = {}
    kinds = (False, True) if four_colours is None else (four_colours,)
    for face, kind in product(faces, kinds):
        name = symbol_id(face, four_colours=kind)
        if name not in cards:
            drawn = _back() if face.is_back else _drawn(face, FOUR_COLOURS if kind else TWO_COLOURS, parts)
            cards[name] = f'<symbol id="{name}" viewBox="0 0 {WIDTH} {HEIGHT}" overflow="visible">{drawn}</symbol>'
    return "\n".join([*parts.values(), *cards.values()])


def card_use(face: CardFace, x: float, y: float, height: float, *, four_colours: bool = False) -> str:
    """Return an SVG element that places a card in a picture, labeled with its name for screen readers.

    Args:
        face: The card.
        x: Left edge.
        y: Upper edge.
        height: Height; the width is 5/7 of it.
        four_colours: True for green clubs and blue diamonds.
    """
    name = face.name or face.text
    label = f' role="img" aria-label="{escape(name)}"' if name else ' aria-hidden="true"'
    return (
        f'<use href="#{symbol_id(face, four_colours=four_colours)}" x="{x:.5g}" y="{y:.5g}" '
        f'width="{height * WIDTH / HEIGHT:.5g}" height="{height:.5g}"{label}/>'
    )


def corner_suit(face: CardFace, x: float, y: float, height: float, *, four_colours: bool = False) -> str:
    """Return the suit in the upper right corner of a card, for columns in which the suit below the rank is covered.

    Args:
        face: The card.
        x: Left edge of the card.
        y: Upper edge of the card.
        height: Height of the card.
        four_colours: True for green clubs and blue diamonds.
    """
    if face.suit not in TWO_COLOURS or face.rank in FIGURES:  # court cards have it there
        return ""
    scale = height / HEIGHT
    ink = (FOUR_COLOURS if four_colours else TWO_COLOURS)[face.suit]
    place = f"translate({x + 64 * scale:.4g} {y + 13 * scale:.4g}) scale({0.27 * scale:.4g})"
    return f'<use href="#b2-m-{face.suit}" transform="{place}" fill="{ink}" aria-hidden="true"/>'


def card_svg(face: CardFace, *, height: float = HEIGHT, four_colours: bool = False) -> str:
    """Return a card as an SVG document.

    Args:
        face: The card.
        height: Height in pixels.
        four_colours: True for green clubs and blue diamonds.

    >>> card_svg(CardFace("H[Q]", "Q", "heart", "Q of hearts"), height=42)[:108]
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 140" width="30" height="42" role="img" aria-label="'
    """
    label = f' role="img" aria-label="{escape(face.name)}"' if face.name else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{height * WIDTH / HEIGHT:.5g}" height="{height:.5g}"{label}>'
        f"<defs>{card_symbols([face], four_colours=four_colours)}</defs>"
        f'<use href="#{symbol_id(face, four_colours=four_colours)}" width="{WIDTH}" height="{HEIGHT}"/></svg>'
    )


def _frame(ground: str, edge: str = EDGE) -> str:
    return f'<rect x=".75" y=".75" width="98.5" height="138.5" rx="10" fill="{ground}" stroke="{edge}" stroke-width="1.5"/>'


def _back() -> str:
    return (
        _frame(PAPER) + f'<rect x="6" y="6" width="88" height="128" rx="6" fill="{BACK_GROUND}"/>'
        f'<path fill="#8fa8d6" d="{LATTICE}"/>'
    )


def _glyph(name: str, x: float, y: float, height: float, parts: dict[str, str], most: float = 1e9) -> str:
    """Return a glyph centered at `x` with strokes `height` high, at most `most` wide."""
    glyph = GLYPHS[name]
    part = "b2-g-" + name.replace("+", "plus")
    parts[part] = (
        f'<path id="{part}" d="{glyph.path}" fill="none" stroke="currentColor" stroke-width="{STROKE}" '
        'stroke-linecap="round" stroke-linejoin="round"/>'
    )
    tall = height / (32 + STROKE)
    wide = min(tall, most / (glyph.width + STROKE))
    left = x - glyph.width * wide / 2
    return f'<use href="#{part}" transform="translate({left:.4g} {y + STROKE * tall / 2:.4g}) scale({wide:.4g} {tall:.4g})"/>'


def _plus(rank: str, x: float, y: float, height: float, parts: dict[str, str]) -> str:
    """Return `+2` or `+4` centered at `x`."""
    plus = _glyph("+", x - height * 0.31, y + height * 0.12, height * 0.76, parts)
    return plus + _glyph(rank[1], x + height * 0.24, y, height, parts)


def _mark(name: str, x: float, y: float, size: float, parts: dict[str, str], more: str = "") -> str:
    """Return a mark with its upper left corner at `x`, `y`."""
    parts[f"b2-m-{name}"] = f'<path id="b2-m-{name}" d="{MARKS[name]}"/>'
    return f'<use href="#b2-m-{name}" transform="translate({x:g} {y:g}) scale({size / 100:g})"{more or _FILLED}/>'


_FILLED: Final = ' fill="currentColor"'


def _figure(name: str, x: float, y: float, height: float, parts: dict[str, str]) -> str:
    parts[f"b2-f-{name}"] = f'<g id="b2-f-{name}">{FIGURES[name]}</g>'
    return f'<use href="#b2-f-{name}" transform="translate({x:g} {y:g}) scale({height / 80:g})"/>'


def _drawn(face: CardFace, colours: dict[str, str], parts: dict[str, str]) -> str:
    if face.suit in UNO_LETTERS or face.rank in UNO_FACES:
        return _uno(face, parts)
    if face.rank in ("LJ", "BJ", "W"):
        return _joker(face.rank != "LJ", parts)
    return _standard(face, colours, parts)


def _standard(face: CardFace, colours: dict[str, str], parts: dict[str, str]) -> str:
    """Return a card of the usual deck. A card without a suit shows only its rank."""
    if face.rank not in GLYPHS:
        return _frame(PAPER) + _words(face.rank or face.text)
    body = _glyph(face.rank, 20, 9, 40, parts, 32)
    if face.suit not in MARKS:
        body += _glyph(face.rank, 64, 68, 58, parts, 52)
        return _frame(PAPER) + f'<g color="{colours["spade"]}">{body}</g>'
    body += _mark(face.suit, 5.5, 53, 30, parts)
    if face.rank in FIGURES:
        body += _mark(face.suit, 58, 11, 34, parts) + _figure(face.rank, 35, 56, 82, parts)
        body += _mark(face.suit, 58, 119, 16, parts, f' fill="{PAPER}"')
    elif face.rank == "A":
        body += _mark(face.suit, 26, 62, 70, parts)
    else:
        body += _mark(face.suit, 38, 76, 56, parts)
    return _frame(PAPER) + f'<g color="{colours[face.suit]}">{body}</g>'


def _words(text: str) -> str:
    """Return the text on a card of an unknown deck."""
    return f'<text x="50" y="78" font-size="26" text-anchor="middle" font-family="sans-serif">{escape(text)}</text>'


def _joker(is_big: bool, parts: dict[str, str]) -> str:
    """Return the big joker in red and gold with a filled star, or the little one in gray with an empty star."""
    star = _FILLED if is_big else f' fill="{PAPER}" stroke="currentColor" stroke-width="11" stroke-linejoin="round"'
    letters = "".join(_glyph(letter, 20, 46 + 17.5 * row, 15, parts, 11) for row, letter in enumerate("JOKER"))
    body = _mark("star", 5, 7, 30, parts, star) + letters + _figure("joker", 33, 56, 82, parts)
    body += _mark("star", 55, 118, 17, parts, f' fill="{GOLD if is_big else PAPER}"')
    return _frame(PAPER) + f'<g color="{"#c4122f" if is_big else "#4b4f58"}">{body}</g>'


def _uno(face: CardFace, parts: dict[str, str]) -> str:
    ground, ink = UNO_COLOURS.get(face.suit, UNO_COLOURS[""])
    body = f'<rect x="5" y="5" width="90" height="130" rx="7" fill="{ground}"/>'
    if face.rank == "wild":
        body += _wheel(21, 28, 14) + _wheel(60, 92, 30)
    elif face.rank.startswith("+"):
        body += _plus(face.rank, 22, 14, 30, parts) + _plus(face.rank, 63, 74, 47, parts)
    else:
        body += _glyph(face.rank, 21, 12, 36, parts, 26) + _glyph(face.rank, 62, 66, 60, parts, 54)
    if face.suit in UNO_LETTERS:
        body += _mark(face.suit, 9, 54, 24, parts) + _glyph(UNO_LETTERS[face.suit], 21, 103, 24, parts)
    elif face.rank == "+4":
        body += _wheel(21, 66, 12)
    return _frame(PAPER) + f'<g color="{ink}">{body}</g>'


def _wheel(x: float, y: float, radius: float) -> str:
    """Return a disc with a quarter of each color."""
    quarters = (("red", -1, 0, 0, -1), ("yellow", 0, -1, 1, 0), ("green", 1, 0, 0, 1), ("blue", 0, 1, -1, 0))
    return "".join(
        f'<path fill="{UNO_COLOURS[name][0]}" stroke="#fff" stroke-width="1.5" d="M{x:g} {y:g}L{x + a * radius:g} '
        f'{y + b * radius:g}A{radius:g} {radius:g} 0 0 1 {x + c * radius:g} {y + d * radius:g}Z"/>'
        for name, a, b, c, d in quarters
    )
