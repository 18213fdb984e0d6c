"""A table as SVG: one scene, or several side by side.

Nothing is drawn but what the scene holds. A picture has one size for a game, whatever happens in it: 960 x 600 units for a
table with seats, 860 x 760 for a game of columns. Cards need no font; names and words take the reader's own sans-serif.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import ceil
from typing import Final, NamedTuple
from unicodedata import east_asian_width

from big2_env.language import words
from big2_env.scene import BACK, Area, CardFace, Scene, ShownAct, ShownSeat
from big2_env.show.card_svg import HEIGHT, INDEX, INDEX_HEIGHT, WIDTH, card_symbols, card_use, corner_suit
from big2_env.text.events import held_text
from big2_env.text.names import points

FONT: Final = (
    "system-ui, -apple-system, 'Segoe UI', 'PingFang TC', 'Microsoft JhengHei', 'Noto Sans', 'Noto Sans CJK TC', sans-serif"
)


BOLD: Final = 1.13
"""How much wider bold text is."""


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """About how wide a line of text is, in units: as in DejaVu Sans, the widest of common sans-serif fonts."""
    return size * sum(map(_em, text)) * (BOLD if bold else 1)


def _em(char: str) -> float:
    """The width of a character, as a part of the font's size."""
    if east_asian_width(char) in "WF":
        return 1
    if char in "iljtfr.,:;' |!()[]":
        return 0.34
    if char in "+×=−":
        return 0.84
    return 0.95 if char in "mwMW@" else 0.72 if char.isupper() else 0.64 if char.isdigit() else 0.61


def cut(text: str, size: float, width: float, *, bold: bool = False) -> str:
    """As much of a text as a width has room for, with an ellipsis where something is left out."""
    if text_width(text, size, bold=bold) <= width:
        return text
    while text and text_width(text + "…", size, bold=bold) > width:
        text = text[:-1]
    return text.rstrip() + "…"


def described(scene: Scene) -> str:
    """A scene in words, for readers who do not see the picture: a line for each seat and area."""
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
    """The names of cards that lie face up, with commas between."""
    return ", ".join(face.name or face.text for face in cards if not face.is_back)


TABLE: Final = (960, 600)
"""Width and height of the picture of a table with seats."""
SOLITAIRE: Final = (860, 760)
"""Width and height of the picture of a game with columns."""


class Box(NamedTuple):
    """A part of the picture."""

    x: float
    y: float
    width: float
    height: float


class Place(NamedTuple):
    """A seat's part of the picture."""

    hand: Box
    """Its name, with its cards below."""
    act: Box
    card: float
    """How high its cards are."""
    align: float
    """0 where its cards lie to the left, 0.5 in the middle, 1 to the right."""


HEADER: Final = 40
"""Height of the line with the game's name, and of the one with the status."""
CORNER: Final = Box(12, 46, 168, 94)
"""Areas beside the play."""
CENTRE: Final = Box(254, 156, 452, 254)
"""Areas that the play is about."""
_MIDDLE: Final = Box(254, 146, 452, 272)
_NAMES: Final = 24
"""Height of the line with a seat's name."""


def places(seats: int) -> tuple[Place, ...]:
    """The places of 1 to 10 seats, the viewer's first, then in the order of play: it goes to the right.

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
    """The part of a seat's place in which its cards lie."""
    x, y, width, height = place.hand
    return Box(x + 6, y + _NAMES, width - 12, height - _NAMES - 4)


def spread(count: int, box: Box, card: float, align: float, *, loosest: float = 0.82) -> Iterator[tuple[float, float]]:
    """The upper left corners of cards that share a box: one row where every index can be read in it, else up to four.

    Args:
        count: how many cards.
        box: where they lie.
        card: how high each is.
        align: 0 to 1, from the left to the right.
        loosest: the largest step from card to card, as a part of a card's width.
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


def act_card(count: int, box: Box) -> float:
    """How high the cards of an act are: as high as its box, or less where more of them have to be read."""
    for part in (1, 0.85, 0.7):
        high = box.height * part
        scale = high / HEIGHT
        if WIDTH * scale + (count - 1) * INDEX * 0.9 * scale <= box.width:
            return high
    return box.height / (1 + INDEX_HEIGHT / HEIGHT)


def column(down: int, up: int, box: Box, card: float) -> Iterator[float]:
    """The upper edges of a column's cards: those face down close together, those face up as far apart as they need."""
    scale = card / HEIGHT
    tight = 12 * scale
    need = min(49 * scale, (box.height - card - down * tight) / max(up - 1, 1))
    for place in range(down + up):
        yield box.y + min(place, down) * tight + max(0, place - down) * need


FELT: Final = "#1d5a49"
DARK: Final = "#103a2f"
LIGHT: Final = "#ffffff"
SOFT: Final = "#d5e5dd"
TURN: Final = "#ffd75e"
LINE: Final = "#7fa898"


def table_svg(scene: Scene, *, four_colours: bool = False, width: float | None = None) -> str:
    """The picture of a scene, as a document.

    Args:
        scene: what is seen.
        four_colours: True for green clubs and blue diamonds.
        width: how many pixels wide; by default as many as the picture has units.
    """
    return tables_svg([scene], four_colours=four_colours, width=width, columns=1)


def row_svg(cards: Sequence[CardFace], caption: str, *, card: float = 110, four_colours: bool = False) -> str:
    """Cards in a row with a line of text below, as a document.

    Args:
        cards: the cards, from left to right; there may be none.
        caption: the line below.
        card: how high the cards are, in pixels.
        four_colours: True for green clubs and blue diamonds.
    """
    wide, step = card * WIDTH / HEIGHT, card * 0.42
    total = max(24 + wide + step * (len(cards) - 1) if cards else 0, text_width(caption, 16) + 32)
    high = 44 + (card + 8 if cards else 0)
    first = (total - wide - step * (len(cards) - 1)) / 2
    uses = [card_use(face, first + i * step, 12, card, four_colours=four_colours) for i, face in enumerate(cards)]
    text = escape(": ".join(filter(None, (caption, named(cards)))))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total:.5g} {high:g}" width="{total:.5g}" height="{high:g}" '
        f'role="img" aria-label="{text}" font-family="{FONT}"><defs>{card_symbols(cards, four_colours=four_colours)}</defs>'
        f'<rect width="{total:.5g}" height="{high:g}" rx="10" fill="{FELT}"/>{"".join(uses)}'
        f'<text x="{total / 2:.5g}" y="{high - 16:g}" font-size="16" fill="{LIGHT}" text-anchor="middle">'
        f"{escape(caption, quote=False)}</text></svg>\n"
    )


def tables_svg(
    scenes: Sequence[Scene], *, four_colours: bool = False, width: float | None = None, columns: int | None = None
) -> str:
    """The picture of several scenes side by side, as one document.

    Args:
        scenes: what is seen, at least one; all of games of the same kind.
        four_colours: True for green clubs and blue diamonds.
        width: how many pixels wide; by default as many as the picture has units.
        columns: how many tables stand in a line; by default all.
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
    """Width and height of the picture of a scene, in units."""
    return SOLITAIRE if _is_solitaire(scene) else TABLE


def _is_solitaire(scene: Scene) -> bool:
    return any(area.layout == "column" for area in scene.areas)


class _Picture:
    """The drawing of one scene."""

    def __init__(self, scene: Scene, four_colours: bool) -> None:
        self._scene = scene
        self._four_colours = four_colours
        self._say = words(scene.language)
        self._out: list[str] = []
        self.faces: list[CardFace] = []
        """The cards that are drawn."""
        self._ground()
        if _is_solitaire(scene):
            self._columns()
        else:
            self._seats()

    def body(self) -> str:
        """What was drawn."""
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
            self._act(seat.act, place)
        self._put("</g>")

    def _name(self, seat: ShownSeat, box: Box, act: ShownAct | None) -> None:
        """The line with a seat's name, count and labels."""
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
        """A small label that ends at `end`; returns where the next one to its left may end."""
        wide = text_width(text, 12, bold=bold) + 14
        self._rect(Box(end - wide, y - 13, wide, 18), 9, f'fill="{fill}"')
        self._text(text, end - wide / 2, y, size=12, fill=ink, anchor="middle", bold=bold)
        return end - wide - 6

    def _act(self, act: ShownAct, place: Place) -> None:
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
        card = act_card(len(act.cards), room)
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
        """A row or pile with its label above and, of a pile, its count below."""
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
        """Where a card may lie and none does."""
        self._rect(box, 8, f'fill="{DARK}" fill-opacity=".35" stroke="{LINE}" stroke-dasharray="5 4"')

    def _columns(self) -> None:
        """Columns below, the other areas in a row above them."""
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
