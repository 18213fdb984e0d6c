"""What a learner of Klondike sees: one flat array of ones and zeros with named windows, filled from the player's view alone."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_env.climbing.encoding.layout import Layout
from big2_env.games.klondike.view import KlondikeView

LAYOUT: Final = Layout(
    [
        ("up", (7, 52), "this pile shows this card"),
        ("down", (7, 6), "this pile has more than this many face-down cards"),
        ("foundations", (4, 13), "this suit's foundation has more than this many cards"),
        ("window", (3, 52), "the card may be taken from the dealer area; newest first"),
        ("dealer", (24, 52), "the card at this place of the dealer area is known to be this one"),
        ("dealt", (24,), "more than this many cards of the dealer area are dealt"),
        ("left", (24,), "more than this many cards are in the dealer area"),
    ]
)
"""The windows of an observation."""


_UP, _DOWN, _FOUNDATIONS, _WINDOW, _DEALER, _DEALT, _LEFT = (window.start for window in LAYOUT.windows.values())


def observe(view: KlondikeView) -> npt.NDArray[Any]:
    """The observation of a view, int8 `(1910,)`."""
    ones = [*range(_DEALT, _DEALT + view.dealt), *range(_LEFT, _LEFT + view.dealer)]
    for pile, (down, up) in enumerate(zip(view.down, view.up, strict=True)):
        ones += [_UP + 52 * pile + card for card in up]
        ones += range(_DOWN + 6 * pile, _DOWN + 6 * pile + down)
    for suit, count in enumerate(view.foundations):
        ones += range(_FOUNDATIONS + 13 * suit, _FOUNDATIONS + 13 * suit + count)
    ones += [_WINDOW + 52 * row + card for row, card in enumerate(reversed(view.window))]
    ones += [_DEALER + 52 * place + card for place, card in enumerate(view.seen)]
    found = np.zeros(LAYOUT.size, np.int8)
    found[ones] = 1
    return found
