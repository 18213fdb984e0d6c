"""What a player remembers of a game beyond the position: who passed on what, who played what last, how many cards are left."""

from __future__ import annotations

from typing import Any, Final

import numba as nb
import numpy as np

from big2_env.kernels.bits import U, popcount
from big2_env.kernels.compare import power_of
from big2_env.kernels.legal_slots import row_of
from big2_env.kernels.tables import Tables
from big2_env.kernels.turn import put_down
from big2_env.kernels.variants import Variant

PLAIN: Final = Variant(True, 1, 4, False)
GAME: Final = PLAIN.game
"""The games of the rulesets that need no parts."""
ALL_CARDS: Final = U(0xFFFFFFFFFFFFF)
MAX_CATEGORIES: Final = 8
"""Comparison groups that are remembered; what happens in later ones is not."""
NOTHING: Final = 32767
"""A power that nobody has passed on yet."""
SKIPS: Final = 3
"""Comparison groups, from the first, of which it is remembered what was skipped."""

TRACK: Final = np.dtype(
    [
        ("left", np.int32, 4),  # cards held, by seat
        ("last_pattern", np.int32, 4),  # pattern of each seat's last play, -1 for none
        ("last_value", np.int32, 4),  # value of its key rank
        ("passed_on", np.int16, (4, MAX_CATEGORIES)),  # the lowest power each seat passed on, by category
        ("led", np.int32, 4),  # categories each seat has led, a bit each
        ("skipped", np.int32, (4, SKIPS)),  # values each seat left out: below a lead, between the top play and its cover
    ]
)
"""The public memory of one game."""


@nb.njit(cache=True)
def unseen_by(g: Any, seat: Any) -> Any:
    """The cards that a seat neither holds nor has seen played."""
    seen = g.hands[seat]
    for who in range(4):
        seen |= g.played[who]
    return ALL_CARDS & ~seen


@nb.njit(cache=True)
def start_track(t: Tables, g: Any, k: Any) -> None:
    """Remember nothing yet of a game that has just been dealt; a first play made by the engine is looked up."""
    for seat in range(t.num_players):
        k.left[seat] = popcount(g.hands[seat])
        k.last_pattern[seat] = k.last_value[seat] = -1
        k.led[seat] = 0
        for category in range(MAX_CATEGORIES):
            k.passed_on[seat, category] = NOTHING
        for category in range(SKIPS):
            k.skipped[seat, category] = 0
    if g.top_category >= 0:
        k.last_pattern[g.top_seat] = g.top_pattern
        value = np.int64((g.top_power & 63) >> 2)
        k.last_value[g.top_seat] = value
        note_play(k, g.top_seat, np.int64(g.top_category), value, -1, 0)


@nb.njit(cache=True)
def note(t: Tables, g: Any, k: Any, mask: Any) -> None:
    """Remember what the seat to move is about to put down; no cards are a pass."""
    seat = g.turn
    if mask == U(0):
        if 0 <= g.top_category < MAX_CATEGORIES:
            k.passed_on[seat, g.top_category] = min(k.passed_on[seat, g.top_category], g.top_power)
        return
    row = row_of(t, mask)
    k.left[seat] -= popcount(mask)
    value = np.int64((power_of(t, row, mask) & 63) >> 2)
    k.last_pattern[seat] = t.row_pattern[row]
    k.last_value[seat] = value
    note_play(k, seat, np.int64(t.row_category[row]), value, np.int64(g.top_category), np.int64((g.top_power & 63) >> 2))


@nb.njit(cache=True)
def note_play(k: Any, seat: Any, category: Any, value: Any, top_category: Any, top_value: Any) -> None:
    """Remember what a play says about the hand it came from: a category led, lower plays left out.

    `top_category` is -1 for a lead. Left out are the values below a lead, and those between a top play and its cover.
    """
    lowest = top_value + 1
    if top_category < 0:
        lowest = 0
        if category < MAX_CATEGORIES:
            k.led[seat] |= 1 << category
    elif category != top_category:
        return
    if category < SKIPS and value > lowest:
        k.skipped[seat, category] |= (1 << value) - (1 << lowest)


@nb.njit(cache=True)
def put_down_tracked(t: Tables, g: Any, k: Any, mask: Any) -> None:
    """Remember an act, then make it."""
    note(t, g, k, mask)
    put_down(t, g, mask)
