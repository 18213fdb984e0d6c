"""Cards as SVG: symbols that a picture uses as often as it likes, and single cards as documents of their own.

A symbol is 100 units wide and 140 high. Rank and suit stand in the upper left corner, `INDEX` units wide: a fan of overlapping
cards can be read, and so can a card 40 pixels high. Suits differ by shape, UNO's colours by shape and letter.

    symbols = card_symbols(faces)          # once, inside <defs>
    uses = [card_use(face, x=40 * i, y=0, height=84) for i, face in enumerate(faces)]
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import product
from typing import Final

from big2_env.scene import CardFace
from big2_env.show.card_shapes import FIGURES, GLYPHS, GOLD, LATTICE, MARKS, STROKE

WIDTH: Final = 100
HEIGHT: Final = 140
INDEX: Final = 37
"""How much of a card has to be seen on the left, in units, for rank and suit to be read."""
INDEX_HEIGHT: Final = 85
"""How much of a card has to be seen above, in units, for rank and suit to be read."""

TWO_COLOURS: Final = {"club": "#17181c", "diamond": "#c4122f", "heart": "#c4122f", "spade": "#17181c"}
FOUR_COLOURS: Final = {"club": "#0a6e35", "diamond": "#1250b5", "heart": "#c4122f", "spade": "#17181c"}
UNO_COLOURS: Final = {
    "red": ("#b81d24", "#ffffff"),
    "yellow": ("#f3c32c", "#1d1d20"),
    "green": ("#1b7338", "#ffffff"),
    "blue": ("#1457b0", "#ffffff"),
    "": ("#25262c", "#ffffff"),
}
"""By colour of a UNO card: the ground and what is drawn on it."""
UNO_LETTERS: Final = {"red": "R", "yellow": "Y", "green": "G", "blue": "B"}
UNO_FACES: Final = ("skip", "reverse", "+2", "+4", "wild")
PAPER: Final = "#fffdf7"
EDGE: Final = "#7d828c"
BACK_GROUND: Final = "#27406f"


def symbol_id(face: CardFace, *, four_colours: bool = False) -> str:
    """The id of a card's symbol; cards that look the same share one."""
    if face.is_back:
        return "b2-back"
    colours = "-4" if four_colours and face.suit in FOUR_COLOURS else ""
    return "-".join(part for part in ("b2", face.suit, face.rank.replace("+", "plus")) if part) + colours


def card_symbols(faces: Iterable[CardFace], *, four_colours: bool | None = False) -> str:
    """The symbols of these cards and all that they are drawn with, once each, to be put into `<defs>`.

    Args:
        faces: the cards; only what is asked for is given, so a picture names no card that it does not show.
        four_colours: True for green clubs and blue diamonds, `None` for the symbols of both kinds.
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


def card_use(face: CardFace, x: float, y: float, height: float, *, four_colours: bool = False, back_name: str = "") -> str:
    """A card at a place of the picture, `height` units high; readers who do not see it are told its name.

    Args:
        face: the card.
        x: its left edge.
        y: its upper edge.
        height: its height; the width is 5/7 of it.
        four_colours: as in `card_symbols`.
        back_name: what a face-down card is called; without a name it is not spoken of.
    """
    name = face.name or face.text or back_name
    label = f' role="img" aria-label="{escape(name)}"' if name else ' aria-hidden="true"'
    return (
        f'<use href="#{symbol_id(face, four_colours=four_colours)}" x="{x:.5g}" y="{y:.5g}" '
        f'width="{height * WIDTH / HEIGHT:.5g}" height="{height:.5g}"{label}/>'
    )


def corner_suit(face: CardFace, x: float, y: float, height: float, *, four_colours: bool = False) -> str:
    """The suit again in the upper right corner of a card drawn there: in columns the one below the rank is covered."""
    if face.suit not in TWO_COLOURS or face.rank in FIGURES:  # court cards have it there
        return ""
    scale = height / HEIGHT
    ink = (FOUR_COLOURS if four_colours else TWO_COLOURS)[face.suit]
    place = f"translate({x + 64 * scale:.4g} {y + 13 * scale:.4g}) scale({0.27 * scale:.4g})"
    return f'<use href="#b2-m-{face.suit}" transform="{place}" fill="{ink}" aria-hidden="true"/>'


def card_svg(face: CardFace, *, height: float = HEIGHT, four_colours: bool = False) -> str:
    """A card as a document of its own, `height` pixels high.

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
    """A glyph in the middle of `x`, its strokes `height` high, no wider than `most`."""
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
    """`+2` or `+4` in the middle of `x`."""
    plus = _glyph("+", x - height * 0.31, y + height * 0.12, height * 0.76, parts)
    return plus + _glyph(rank[1], x + height * 0.24, y, height, parts)


def _mark(name: str, x: float, y: float, size: float, parts: dict[str, str], more: str = "") -> str:
    """A mark with its upper left corner at `x`, `y`."""
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
    """A card of the usual deck; one without a suit shows its rank alone."""
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
    """What stands on a card of a deck that is not ours."""
    return f'<text x="50" y="78" font-size="26" text-anchor="middle" font-family="sans-serif">{escape(text)}</text>'


def _joker(is_big: bool, parts: dict[str, str]) -> str:
    """The big joker in red and gold with a filled star, the little one in grey with an empty star."""
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
    """A disc with a quarter of each colour."""
    quarters = (("red", -1, 0, 0, -1), ("yellow", 0, -1, 1, 0), ("green", 1, 0, 0, 1), ("blue", 0, 1, -1, 0))
    return "".join(
        f'<path fill="{UNO_COLOURS[name][0]}" stroke="#fff" stroke-width="1.5" d="M{x:g} {y:g}L{x + a * radius:g} '
        f'{y + b * radius:g}A{radius:g} {radius:g} 0 0 1 {x + c * radius:g} {y + d * radius:g}Z"/>'
        for name, a, b, c, d in quarters
    )
