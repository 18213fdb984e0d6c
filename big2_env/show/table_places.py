"""Where things lie in the picture of a table: boxes for seats and acts, and how cards share a box."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Final, NamedTuple

from big2_env.show.card_svg import HEIGHT, INDEX, INDEX_HEIGHT, WIDTH

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
    """What it did."""
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
