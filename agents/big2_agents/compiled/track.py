"""What a player remembers of a game beyond the position: who passed on what, who played what last, how many cards are left."""

from __future__ import annotations

from typing import Any, Final

import numba as nb
import numpy as np

from big2_env.kernels.bits import U, popcount
from big2_env.kernels.legal import power_of, row_of
from big2_env.kernels.state import put_down
from big2_env.kernels.tables import Tables

MAX_CATEGORIES: Final = 8
"""Comparison groups that are remembered; what happens in later ones is not."""
NOTHING: Final = 32767
"""A power that nobody has passed on yet."""

TRACK: Final = np.dtype(
    [
        ("left", np.int32, 4),  # cards held, by seat
        ("last_pattern", np.int32, 4),  # pattern of each seat's last play, -1 for none
        ("last_value", np.int32, 4),  # value of its key rank
        ("passed_on", np.int16, (4, MAX_CATEGORIES)),  # the lowest power each seat passed on, by category
    ]
)
"""The public memory of one game."""


@nb.njit(cache=True)
def start_track(t: Tables, g: Any, k: Any) -> None:
    """Remember nothing yet of a game that has just been dealt; a first play made by the engine is looked up."""
    for seat in range(t.num_players):
        k.left[seat] = popcount(g.hands[seat])
        k.last_pattern[seat] = k.last_value[seat] = -1
        for category in range(MAX_CATEGORIES):
            k.passed_on[seat, category] = NOTHING
    if g.top_category >= 0:
        k.last_pattern[g.top_seat] = g.top_pattern
        k.last_value[g.top_seat] = (g.top_power & 63) >> 2


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
    k.last_pattern[seat] = t.row_pattern[row]
    k.last_value[seat] = (power_of(t, row, mask) & 63) >> 2


@nb.njit(cache=True)
def put_down_tracked(t: Tables, g: Any, k: Any, mask: Any) -> None:
    """Remember an act, then make it."""
    note(t, g, k, mask)
    put_down(t, g, mask)
