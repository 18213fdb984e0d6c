"""Tables as SVG: one scene, or several side by side.

Only the contents of the scene are drawn. All pictures of a game have the same size: 960 x 600 units for a table with seats, 860
x 760 for a game with columns. Cards need no font; names and words use the reader's sans-serif font.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import ceil
from typing import Final, NamedTuple
from unicodedata import east_asian_width

from big2_env.base.language import words
from big2_env.base.scene import BACK, Area, CardFace, Scene, ShownMove, ShownSeat
from big2_env.drawing.card_svg import HEIGHT, INDEX, INDEX_HEIGHT, WIDTH, card_symbols, card_use, corner_suit
from big2_env.drawing.felt import felt_colour
from big2_env.text.events import held_text
from big2_env.text.names import points

FONT: Final = (
    "system-ui, -apple-system, 'Segoe UI', 'PingFang TC', 'Microsoft JhengHei', 'Noto Sans', 'Noto Sans CJK TC', sans-serif"
)


BOLD: Final = 1.13
"""Width of bold text relative to normal text."""


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the approximate width of a line of text in units, based on DejaVu Sans, the widest common sans-serif font."""
    return size * sum(map(_em, text)) * (BOLD if bold else 1)


def _em(char: str) -> float:
    """Return the width of a character relative to the font size."""
    if east_asian_width(char) in "WF":
        return 1
    if char in "iljtfr.,:;' |!()[]":
        return 0.34
    if char in "+×=−":
        return 0.84
    return 0.95 if char in "mwMW@" else 0.72 if char.isupper() else 0.64 if char.isdigit() else 0.61


def cut(text: str, size: float, width: float, *, bold: bool = False) -> str:
    """Return a text shortened to a width, with an ellipsis if something is left out."""
    if text_width(text, size, bold=bold) <= width:
        return text
    while text and text_width(text + "…", size, bold=bold) > width:
        text = text[:-1]
    return text.rstrip() + "…"


def described(scene: Scene) -> str:
    """Return a scene in words for screen readers, with one line per seat and area."""
    tr = words(scene.language)
    lines = [": ".join(part for part in (scene.title, scene.status) if part), *scene.facts]
    for seat in scene.seats:
        held = held_text(seat.count, tr)
        line = [f"{seat.name}: {held}", *seat.labels]
        if seat.hand:
            line.append(named(seat.hand))
        if seat.act is not None:
            line.append(" ".join(part for part in (seat.act.words, named(seat.act.cards)) if part))
        if seat.payoff is not None:
            line.append(points(seat.payoff))
        lines.append("; ".join(line))
    areas = ((f"{area.label}: {area.count}", named(area.cards)) for area in scene.areas)
    lines += ["; ".join(filter(None, parts)) for parts in areas]
    return "\n".join(lines)


def named(cards: Sequence[CardFace]) -> str:
    """Return the names of face-up cards, separated by commas."""
    return ", ".join(face.name or face.text for face in cards if not face.is_back)


TABLE: Final = (960, 600)
"""Width and height of the picture of a table with seats."""
SOLITAIRE: Final = (860, 760)
"""Width and height of the picture of a game with columns."""


class Box(NamedTuple):
    """Rectangle in the picture."""

    x: float
    y: float
    width: float
    height: float


class Place(NamedTuple):
    """A seat's part of the picture.

    Args:
        hand: Box of its name with its cards below.
        act: Box of its last move.
        card: Height of its cards.
        align: Horizontal alignment of its cards, from 0 (left) to 1 (right).
    """

    hand: Box
    act: Box
    card: float
    align: float


HEADER: Final = 40
"""Height of the title line and of the status line."""
CORNER: Final = Box(12, 46, 168, 94)
"""Box of areas next to the play."""
CENTRE: Final = Box(254, 156, 452, 254)
"""Box of areas that are central to the play."""
_MIDDLE: Final = Box(254, 146, 452, 272)
_NAMES: Final = 24
"""Height of the line with a seat's name."""


def places(seats: int) -> tuple[Place, ...]:
    """Return the places of 1 to 10 seats, starting with the viewer and continuing in the order of play, to the right.

    >>> [place.hand.x < 480 < place.hand.x + place.hand.width for place in places(4)]
    [True, False, True, False]
    """
    flanks = 0 if seats < 3 else 1 if seats < 8 else 2
    tops = seats - 1 - 2 * flanks
    rows = 1 + flanks + (tops > 0)
    high = min(_MIDDLE.height / rows - 6, 84)
    step = (_MIDDLE.height - high) / max(rows - 1, 1)

    def act(row: int, x: float, width: float) -> Box:
        return Box(_MIDDLE.x + x, _MIDDLE.y + row * step, width, high)

    half, below = _MIDDLE.width / 2 - 6, int(tops > 0)
    tall = (270 - 8 * (flanks - 1)) / max(flanks, 1)
    boxes = [Box(x, 146 + row * (tall + 8), 240, tall) for x in (708, 12) for row in range(flanks)]
    side = 84 if flanks == 1 else 76
    right = [Place(boxes[row], act(below + row, half + 12, half), side, 0.5) for row in reversed(range(flanks))]
    left = [Place(boxes[flanks + row], act(below + row, 0, half), side, 0.5) for row in range(flanks)]
    first, wide = (190, 580) if tops == 1 else (190, 758)
    each = (wide - 8 * (tops - 1)) / max(tops, 1)
    share = _MIDDLE.width / max(tops, 1)
    top = [Place(Box(first + i * (each + 8), 46, each, 94), act(0, i * share, share), 66, 0.5) for i in reversed(range(tops))]
    bottom = Place(Box(12, 422, 936, 134), act(rows - 1, 0, _MIDDLE.width), 104, 0.5)
    return (bottom, *right, *top, *left)


def cards_box(place: Place) -> Box:
    """Return the box of a seat's cards."""
    x, y, width, height = place.hand
    return Box(x + 6, y + _NAMES, width - 12, height - _NAMES - 4)


def spread(count: int, box: Box, card: float, align: float, *, loosest: float = 0.82) -> Iterator[tuple[float, float]]:
    """Yield the upper left corners of cards in a box: in one row if every index stays readable, else in up to four.

    Args:
        count: Number of cards.
        box: Box for the cards.
        card: Height of a card.
        align: Horizontal alignment, from 0 (left) to 1 (right).
        loosest: Largest distance between neighboring cards, relative to a card's width.
    """
    if not count:
        return
    wide, scale = card * WIDTH / HEIGHT, card / HEIGHT
    most = max(1, 1 + int((box.width - wide) / (INDEX * scale) + 0.35))
    down = INDEX_HEIGHT * scale
    rows = min(ceil(count / most), 1 + max(0, int((box.height - card + 1) / down)), 4)
    each = ceil(count / rows)
    step = min(wide * loosest, (box.width - wide) / max(each - 1, 1))
    top = box.y + (box.height - card - (rows - 1) * down) / 2
    for place in range(count):
        row, column = divmod(place, each)
        here = min(each, count - row * each)
        left = box.x + (box.width - wide - step * (here - 1)) * align
        yield left + column * step, top + row * down


def move_card(count: int, box: Box) -> float:
    """Return the height of the cards of a move: the height of the box, or less if more cards must be readable."""
    for part in (1, 0.85, 0.7):
        high = box.height * part
        scale = high / HEIGHT
        if WIDTH * scale + (count - 1) * INDEX * 0.9 * scale <= box.width:
            return high
    return box.height / (1 + INDEX_HEIGHT / HEIGHT)


def column(down: int, up: int, box: Box, card: float) -> Iterator[float]:
    """Yield the upper edges of a column's cards. Face-down cards are close together, face-up cards are readable.

    Args:
        down: Number of face-down cards.
        up: Number of face-up cards.
        box: Box of the column.
        card: Height of a card.
    """
    scale = card / HEIGHT
    tight = 12 * scale
    need = min(49 * scale, (box.height - card - down * tight) / max(up - 1, 1))
    for place in range(down + up):
        yield box.y + min(place, down) * tight + max(0, place - down) * need


FELT: Final = felt_colour("felt")
DARK: Final = felt_colour("felt-edge")
LIGHT: Final = felt_colour("felt-ink")
SOFT: Final = felt_colour("felt-soft")
TURN: Final = felt_colour("turn")
LINE: Final = "#7fa898"
ROW_CARD: Final = 110
"""Height of the cards of `row_svg`."""


def table_svg(scene: Scene, *, four_colours: bool = False, width: float | None = None) -> str:
    """Return the picture of a scene as an SVG document.

    Args:
        scene: The scene.
        four_colours: True for green clubs and blue diamonds.
        width: Width in pixels; None for the size in units.
    """
    return tables_svg([scene], four_colours=four_colours, width=width, columns=1)


def row_svg(cards: Sequence[CardFace], caption: str) -> str:
    """Return cards in a row, with a caption below, as an SVG document.

    Args:
        cards: Cards from left to right; may be empty.
        caption: Text below the cards.
    """
    wide, step = ROW_CARD * WIDTH / HEIGHT, ROW_CARD * 0.42
    total = max(24 + wide + step * (len(cards) - 1) if cards else 0, text_width(caption, 16) + 32)
    high = 44 + (ROW_CARD + 8 if cards else 0)
    first = (total - wide - step * (len(cards) - 1)) / 2
    uses = [card_use(face, first + i * step, 12, ROW_CARD) for i, face in enumerate(cards)]
    text = escape(": ".join(filter(None, (caption, named(cards)))))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total:.5g} {high:g}" width="{total:.5g}" height="{high:g}" '
        f'role="img" aria-label="{text}" font-family="{FONT}"><defs>{card_symbols(cards)}</defs>'
        f'<rect width="{total:.5g}" height="{high:g}" rx="10" fill="{FELT}"/>{"".join(uses)}'
        f'<text x="{total / 2:.5g}" y="{high - 16:g}" font-size="16" fill="{LIGHT}" text-anchor="middle">'
        f"{escape(caption, quote=False)}</text></svg>\n"
    )


def tables_svg(
    scenes: Sequence[Scene], *, four_colours: bool = False, width: float | None = None, columns: int | None = None
) -> str:
    """Return the picture of several scenes side by side as an SVG document.

    Args:
        scenes: At least one scene, all of the same kind of game.
        four_colours: True for green clubs and blue diamonds.
        width: Width in pixels; None for the size in units.
        columns: Number of tables per row; None for all in one row.
    """
    wide, high = table_size(scenes[0])
    columns = len(scenes) if columns is None else columns
    total, tall = wide * columns, high * ceil(len(scenes) / columns)
    drawn = [_Picture(scene, four_colours) for scene in scenes]
    symbols = card_symbols([face for picture in drawn for face in picture.faces], four_colours=four_colours)
    size = f'width="{wide}" height="{high}" overflow="visible"'
    corners = [(wide * (i % columns), high * (i // columns)) for i in range(len(drawn))]
    tables = [f'<svg x="{x}" y="{y}" {size}>{one.body()}</svg>' for (x, y), one in zip(corners, drawn, strict=True)]
    pixels = total if width is None else width
    heading = escape(" · ".join(dict.fromkeys(scene.title for scene in scenes)))
    text = escape("\n".join(described(scene) for scene in scenes))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {tall}" width="{pixels:.6g}" '
        f'height="{pixels * tall / total:.6g}" role="img" lang="{scenes[0].language.value}" '
        f'font-family="{FONT}" font-size="14">'
        f"<title>{heading}</title>\n<desc>{text}</desc>\n<defs>{symbols}</defs>\n{''.join(tables)}</svg>\n"
    )


def table_size(scene: Scene) -> tuple[int, int]:
    """Return the width and height of a scene's picture in units."""
    return SOLITAIRE if _is_solitaire(scene) else TABLE


def _is_solitaire(scene: Scene) -> bool:
    return any(area.layout == "column" for area in scene.areas)


class _Picture:
    """Drawing of one scene."""

    def __init__(self, scene: Scene, four_colours: bool) -> None:
        self._scene = scene
        self._four_colours = four_colours
        self._say = words(scene.language)
        self._out: list[str] = []
        self.faces: list[CardFace] = []
        """Cards that are drawn."""
        self._ground()
        if _is_solitaire(scene):
            self._columns()
        else:
            self._seats()

    def body(self) -> str:
        """Return the SVG elements drawn."""
        return "\n".join(self._out)

    def _put(self, text: str) -> None:
        self._out.append(text)

    def _text(
        self, text: str, x: float, y: float, *, size: float = 14, fill: str = LIGHT, anchor: str = "", bold: bool = False
    ) -> None:
        more = (f' text-anchor="{anchor}"' if anchor else "") + (' font-weight="600"' if bold else "")
        more += f' font-size="{size:g}"' if size != 14 else ""
        self._put(f'<text x="{x:.4g}" y="{y:.4g}" fill="{fill}"{more}>{escape(text, quote=False)}</text>')

    def _rect(self, box: Box, radius: float, style: str) -> None:
        x, y, width, height = box
        self._put(f'<rect x="{x:.4g}" y="{y:.4g}" width="{width:.4g}" height="{height:.4g}" rx="{radius:g}" {style}/>')

    def _card(self, face: CardFace, x: float, y: float, height: float) -> None:
        self.faces.append(face)
        self._put(card_use(face, x, y, height, four_colours=self._four_colours))

    def _ground(self) -> None:
        scene = self._scene
        wide, high = table_size(scene)
        self._rect(Box(0, 0, wide, high), 16, f'fill="{FELT}"')
        above = f"M0 {HEADER}V16A16 16 0 0 1 16 0H{wide - 16}A16 16 0 0 1 {wide} 16V{HEADER}Z"
        below = (
            f"M0 {high - HEADER}V{high - 16}A16 16 0 0 0 16 {high}H{wide - 16}A16 16 0 0 0 {wide} {high - 16}V{high - HEADER}Z"
        )
        self._put(f'<path d="{above}{below}" fill="{DARK}"/>')
        facts = " · ".join(scene.facts)
        room = wide - 40 - text_width(scene.title, 18, bold=True)
        self._text(scene.title, 16, 26, size=18, bold=True)
        if facts:
            self._text(cut(facts, 14, room), wide - 16, 26, anchor="end", fill=SOFT)
        self._text(cut(scene.status, 16, wide - 32, bold=True), wide / 2, high - 14, size=16, anchor="middle", bold=True)

    def _seats(self) -> None:
        scene = self._scene
        first = scene.viewer or 0
        central = [area for area in scene.areas if area.place == "centre"]
        for distance, place in enumerate(places(len(scene.seats))):
            seat = scene.seats[(first + distance) % len(scene.seats)]
            self._seat(seat, place, has_room=not central)
        self._areas([area for area in scene.areas if area.place != "centre"], CORNER, 58)
        self._areas(central, CENTRE, 112)

    def _seat(self, seat: ShownSeat, place: Place, *, has_room: bool) -> None:
        box = place.hand
        label = escape(f"{seat.name}: {seat.count}")
        self._put(f'<g role="group" aria-label="{label}">')
        edge = f'stroke="{TURN}" stroke-width="2.5"' if seat.is_turn else ""
        self._rect(box, 10, f'fill="{DARK}" fill-opacity=".45" {edge}'.strip())
        self._name(seat, box, None if has_room else seat.act)
        cards = (BACK,) * seat.count if seat.hand is None else seat.hand
        loosest = 0.3 if seat.hand is None else 0.82
        corners = spread(len(cards), cards_box(place), place.card, place.align, loosest=loosest)
        for face, (x, y) in zip(cards, corners, strict=True):
            self._card(face, x, y, place.card)
        if has_room and seat.act is not None:
            self._move(seat.act, place)
        self._put("</g>")

    def _name(self, seat: ShownSeat, box: Box, act: ShownMove | None) -> None:
        """Draw the line with a seat's name, number of cards and labels."""
        y, x, end = box.y + 17, box.x + 10, box.x + box.width - 8
        if seat.is_turn:
            self._put(f'<path d="M{x:.4g} {y - 11:.4g}l10 6-10 6Z" fill="{TURN}"/>')
            x += 15
        if seat.payoff is not None:
            end = self._chip(points(seat.payoff), end, y, "#d8f5df" if seat.payoff > 0 else "#fbdcd9", "#10231c", bold=True)
        if seat.score is not None:
            end = self._chip(f"Σ {points(seat.score)}", end, y, DARK, LIGHT)
        wide = text_width(str(seat.count), 13) + 22
        name = cut(seat.name, 14, max(end - x - wide, 20), bold=True)
        self._text(name, x, y, bold=True)
        x += text_width(name, 14, bold=True) + 8
        self._rect(Box(x, y - 11, 9, 12.5), 2, f'fill="none" stroke="{SOFT}" stroke-width="1.5"')
        self._text(str(seat.count), x + 13, y, size=13, fill=SOFT)
        x += wide
        notes = list(seat.labels)
        if act is not None:
            notes.append(act.words)
        for note in notes:
            room = end - x
            if room > 30:
                text = cut(note, 12, room - 10)
                self._chip(
                    text, x + text_width(text, 12) + 14, y, TURN if note == self._say("table.landlord") else SOFT, "#10231c"
                )
                x += text_width(text, 12) + 20

    def _chip(self, text: str, end: float, y: float, fill: str, ink: str, *, bold: bool = False) -> float:
        """Draw a small label that ends at `end`, and return the end for the next one to its left."""
        wide = text_width(text, 12, bold=bold) + 14
        self._rect(Box(end - wide, y - 13, wide, 18), 9, f'fill="{fill}"')
        self._text(text, end - wide / 2, y, size=12, fill=ink, anchor="middle", bold=bold)
        return end - wide - 6

    def _move(self, act: ShownMove, place: Place) -> None:
        box = place.act
        middle = box.x + box.width / 2
        if not act.cards:
            text = cut(act.words, 14, box.width - 20)
            wide = text_width(text, 14) + 24
            y = box.y + box.height / 2
            self._rect(Box(middle - wide / 2, y - 14, wide, 26), 13, f'fill="{DARK}"')
            self._text(text, middle, y + 4, anchor="middle", fill=SOFT)
            return
        self._text(cut(act.words, 13, box.width), middle, box.y + 12, size=13, anchor="middle")
        room = Box(box.x + 6, box.y + 18, box.width - 12, box.height - 20)
        card = move_card(len(act.cards), room)
        corners = list(spread(len(act.cards), room, card, 0.5, loosest=0.62))
        if act.is_top:
            left, right = min(x for x, _ in corners), max(x for x, _ in corners) + card * WIDTH / HEIGHT
            top, low = corners[0][1], corners[-1][1] + card
            self._rect(Box(left - 4, top - 4, right - left + 8, low - top + 8), 8, f'fill="{TURN}"')
        for face, (x, y) in zip(act.cards, corners, strict=True):
            self._card(face, x, y, card)

    def _areas(self, areas: Sequence[Area], box: Box, card: float) -> None:
        if not areas:
            return
        each = box.width / len(areas)
        for i, area in enumerate(areas):
            self._area(area, Box(box.x + i * each, box.y, each, box.height), card)

    def _area(self, area: Area, box: Box, card: float) -> None:
        """Draw a row or pile with its label above and, for a pile, its count below."""
        middle, wide = box.x + box.width / 2, card * WIDTH / HEIGHT
        top = box.y + (box.height - card - 34) / 2 + 18
        self._put(f'<g role="group" aria-label="{escape(area.label)}">')
        self._text(cut(area.label, 13, box.width), middle, top - 6, size=13, fill=SOFT, anchor="middle")
        cards = area.cards[-1:] if area.layout == "pile" else area.cards
        if not cards and area.count:
            cards = (BACK,) * (1 if area.layout == "pile" else area.count)
        if not cards:
            self._slot(Box(middle - wide / 2, top, wide, card))
        elif area.layout == "pile":
            for lift in range(min(area.count, 3) - 1, 0, -1):
                self._card(BACK, middle - wide / 2 + lift * 2.5, top + lift * 2, card)
            self._card(cards[0], middle - wide / 2, top, card)
        else:
            room = Box(box.x + 4, top, box.width - 8, card)
            for face, (x, y) in zip(cards, spread(len(cards), room, card, 0.5, loosest=0.62), strict=True):
                self._card(face, x, y, card)
        if area.layout == "pile":
            self._text(str(area.count), middle, top + card + 17, size=13, anchor="middle")
        self._put("</g>")

    def _slot(self, box: Box) -> None:
        """Draw an empty place for a card."""
        self._rect(box, 8, f'fill="{DARK}" fill-opacity=".35" stroke="{LINE}" stroke-dasharray="5 4"')

    def _columns(self) -> None:
        """Draw the columns, with the other areas in a row above them."""
        wide, high = SOLITAIRE
        above = [area for area in self._scene.areas if area.layout != "column"]
        below = [area for area in self._scene.areas if area.layout == "column"]
        each, card = (wide - 24) / max(len(below), len(above) + 1), 104.0
        for i, area in enumerate(above):
            place = i if i < 2 else i + len(below) - len(above)
            span = 2 if i == 1 else 1
            self._area(area, Box(12 + place * each, 48, each * span, card + 34), card)
        for i, area in enumerate(below):
            self._column(area, Box(12 + i * each, 206, each, high - 206 - HEADER - 10), card)

    def _column(self, area: Area, box: Box, card: float) -> None:
        x = box.x + (box.width - card * WIDTH / HEIGHT) / 2
        self._put(f'<g role="group" aria-label="{escape(area.label)}">')
        self._text(cut(area.label, 13, box.width), box.x + box.width / 2, box.y + 12, size=13, fill=SOFT, anchor="middle")
        room = Box(box.x, box.y + 20, box.width, box.height - 20)
        down = sum(face.is_back for face in area.cards)
        if not area.cards:
            self._slot(Box(x, room.y, card * WIDTH / HEIGHT, card))
        for face, y in zip(area.cards, column(down, len(area.cards) - down, room, card), strict=True):
            self._card(face, x, y, card)
            self._put(corner_suit(face, x, y, card, four_colours=self._four_colours))
        self._put("</g>")
