"""Observation of a Klondike learner: a flat array of zeros and ones with named windows, computed from the player's view."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_env.climbing.encoding.layout import Layout
from big2_env.games.klondike.cards import NUM_CARDS, NUM_RANKS
from big2_env.games.klondike.position import WINDOW
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
"""Windows of the observation."""


def _unary(most: int) -> list[bytes]:
    """Return the unary code of each number from 0 to `most`: that many ones, then zeros."""
    return [bytes([1] * number + [0] * (most - number)) for number in range(most + 1)]


_DOWN, _FOUNDATION, _DEALER = _unary(6), _unary(NUM_RANKS), _unary(24)
_CARD: Final = [bytes(each == card for each in range(NUM_CARDS)) for card in range(NUM_CARDS)]
_NO_CARDS: Final = [bytes(NUM_CARDS * number) for number in range(25)]


def observe(view: KlondikeView) -> npt.NDArray[Any]:
    """Return the observation of a view, int8 `(1910,)`."""
    piles = bytearray(NUM_CARDS * len(view.up))
    start = 0
    for cards in view.up:
        for card in cards:
            piles[start + card] = 1
        start += NUM_CARDS
    window, seen = view.window, view.seen
    parts: list[bytes | bytearray] = [  # one for each window of the layout, in its order
        piles,
        *[_DOWN[number] for number in view.down],
        *[_FOUNDATION[number] for number in view.foundations],
        *[_CARD[card] for card in window[::-1]],
        _NO_CARDS[WINDOW - len(window)],
        *[_CARD[card] for card in seen],
        _NO_CARDS[24 - len(seen)],
        _DEALER[view.dealt],
        _DEALER[view.dealer],
    ]
    return np.frombuffer(bytearray().join(parts), np.int8)
