"""Pictures of positions on matplotlib axes, for notebooks."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

from big2_env.games.klondike.cards import NUM_RANKS, NUM_SUITS, RANKS, is_black, rank_of, suit_of
from big2_env.games.klondike.position import KlondikePosition

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SYMBOLS: Final = "♣♦♥♠"
WIDTH: Final = 0.88
HEIGHT: Final = 1.2
STEP: Final = 0.5
"""Visible part of a card that another card covers, as a fraction of its height."""
BACK: Final = "#56789c"
TABLE: Final = "#e9efe9"
MOVED: Final = "#e0a030"


def draw(axes: Axes, state: KlondikePosition, *, moved: Collection[int] = (), title: str = "") -> None:
    """Draw a position, with the dealer area and the foundations above the seven piles.

    Args:
        axes: Where to draw; its ticks and frame are removed.
        state: Position to draw. Face-down cards are drawn with visible faces on a dark background.
        moved: Cards to highlight with an orange frame.
        title: Title of the picture.
    """
    axes.set_facecolor(TABLE)
    _box(axes, 0, 0, f"{len(state.dealer)}", fill=BACK, ink="white")
    for place, card in enumerate(state.window):
        _card(axes, 1 + place * 0.5, 0, card, False, card in moved)
    for suit in range(NUM_SUITS):
        count = state.foundations[suit]
        if count:
            card = suit * NUM_RANKS + count - 1
            _card(axes, 3 + suit, 0, card, False, card in moved)
        else:
            _box(axes, 3 + suit, 0, SYMBOLS[suit], fill="none", ink="#9aa89a")
    for number, (pile, down) in enumerate(zip(state.piles, state.down, strict=True)):
        if not pile:
            _box(axes, number, 1.6, "", fill="none", ink="#9aa89a")
        for place, card in enumerate(pile):
            _card(axes, number, 1.6 + place * STEP, card, place < down, card in moved)
    longest = max(map(len, state.piles))
    axes.set(xlim=(-0.15, 7.05), ylim=(1.6 + STEP * max(longest - 1, 7) + HEIGHT + 0.15, -0.15), xticks=[], yticks=[])
    axes.set_aspect("equal")
    axes.set_title(title, fontsize=9, loc="left")
    for spine in axes.spines.values():
        spine.set_visible(False)


def _card(axes: Axes, x: float, y: float, card: int, is_down: bool, is_moved: bool) -> None:
    ink = "#202020" if is_black(card) else "#c02020"
    if is_down:
        ink = "#dce6f0" if is_black(card) else "#ffc8c0"
    text = f"{RANKS[rank_of(card)].replace('T', '10')}{SYMBOLS[suit_of(card)]}"
    _box(axes, x, y, text, fill=BACK if is_down else "white", ink=ink, frame=MOVED if is_moved else "#708070")


def _box(axes: Axes, x: float, y: float, text: str, *, fill: str, ink: str, frame: str = "#9aa89a") -> None:
    from matplotlib.patches import FancyBboxPatch

    style: Any = "round,pad=0,rounding_size=0.1"
    width = 2.0 if frame == MOVED else 0.7
    axes.add_patch(FancyBboxPatch((x, y), WIDTH, HEIGHT, boxstyle=style, facecolor=fill, edgecolor=frame, linewidth=width))
    axes.text(x + 0.07, y + 0.25, text, color=ink, fontsize=7.5, va="center", fontweight="bold")
