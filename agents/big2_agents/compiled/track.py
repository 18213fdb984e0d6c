"""What a player remembers of a game beyond the position: who passed on what, who played what last, how many cards are left."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from big2_agents.compiled.feature_layout import MAX_CATEGORIES, SKIPS
from big2_agents.compiled.mark import AGENTS_MARK
from big2_env.kernels.dialect.bits import popcount
from big2_env.kernels.dialect.cardsets import get
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.legal import read_action
from big2_env.kernels.optional_parts import is_bidding, landlord_of
from big2_env.kernels.tables import Tables
from big2_env.kernels.turn import act, make
from big2_env.kernels.variants import FEW_SEATS, Variant

PLAIN: Final = Variant(True, 1, FEW_SEATS, False)
"""The variant of the rulesets without parts: those that the learned players know are among them."""
GAME: Final = PLAIN.game
"""A game of these rulesets."""
NOTHING: Final = 32767
"""A power that nobody has passed on yet."""


@cache
def track_dtype(seats: int) -> np.dtype[Any]:
    """The public memory of one game with that many seats."""
    return np.dtype(
        [
            ("left", np.int32, seats),  # cards held, by seat
            ("last_pattern", np.int32, seats),  # pattern of each seat's last play, -1 for none
            ("last_value", np.int32, seats),  # value of its key rank
            ("passed_on", np.int16, (seats, MAX_CATEGORIES)),  # the lowest power each seat passed on, by category
            ("led", np.int32, seats),  # categories each seat has led, a bit each
            (
                "skipped",
                np.int32,
                (seats, SKIPS),
            ),  # values each seat left out: below a lead, between the top play and its cover
            (AGENTS_MARK, np.int64),
        ]
    )


TRACK: Final = track_dtype(FEW_SEATS)
"""The public memory of a game of `PLAIN`."""


@kernel
def unseen_by(t: Tables, g: Any, seat: Any) -> Any:
    """The cards that a seat neither holds nor has seen played."""
    seen = get(g.hands, seat)
    for who in range(t.num_players):
        seen |= get(g.played, who)
    return get(t.deck, 0) & ~seen


@kernel
def are_partners(g: Any, seat: Any, other: Any) -> Any:
    """True if two seats play against the same landlord."""
    landlord = landlord_of(g)
    return landlord >= 0 and seat != landlord and other != landlord


@kernel
def clear_track(t: Tables, k: Any) -> None:
    """Remember nothing."""
    for seat in range(t.num_players):
        k.last_pattern[seat] = k.last_value[seat] = -1
        k.led[seat] = 0
        for category in range(MAX_CATEGORIES):
            k.passed_on[seat, category] = NOTHING
        for category in range(SKIPS):
            k.skipped[seat, category] = 0


@kernel
def count_left(t: Tables, g: Any, k: Any) -> None:
    """Count the cards of every hand, all of which are known."""
    for seat in range(t.num_players):
        k.left[seat] = popcount(get(g.hands, seat))


@kernel
def start_track(t: Tables, g: Any, k: Any) -> None:
    """Remember nothing yet of a game that has just been dealt; a first play made by the engine is looked up."""
    clear_track(t, k)
    count_left(t, g, k)
    if g.top_category >= 0:
        k.last_pattern[g.top_seat] = g.top_pattern
        value = np.int64((g.top_power & 63) >> 2)
        k.last_value[g.top_seat] = value
        note_play(k, g.top_seat, np.int64(g.top_category), value, -1, 0)


@kernel
def note_pass(k: Any, seat: Any, top_category: Any, top_power: Any) -> None:
    """Remember that a seat passed on a play."""
    if 0 <= top_category < MAX_CATEGORIES:
        k.passed_on[seat, top_category] = min(np.int64(k.passed_on[seat, top_category]), np.int64(top_power))


@kernel
def note(t: Tables, g: Any, k: Any, cards: Any, row: Any) -> None:
    """Remember what the seat to move is about to put down: cards that make a row, or -1 for a pass.

    Passing on a partner's play says nothing of a hand.
    """
    seat = g.turn
    if row < 0:
        if g.top_category >= 0 and not are_partners(g, seat, g.top_seat):
            note_pass(k, seat, g.top_category, g.top_power)
        return
    k.left[seat] -= popcount(cards)
    value = np.int64(t.row_key[row])
    k.last_pattern[seat] = t.row_pattern[row]
    k.last_value[seat] = value
    note_play(k, seat, np.int64(t.row_category[row]), value, np.int64(g.top_category), np.int64((g.top_power & 63) >> 2))


@kernel
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


@kernel
def make_tracked(t: Tables, g: Any, k: Any, c: Any, i: Any, scratch: Any) -> None:
    """Remember a candidate that the seat to move makes, and make it, in a game all of whose hands are known."""
    if not is_bidding(t, g):
        note(t, g, k, get(c.mask, i), np.int64(c.row[i]))
    make(t, g, np.int64(c.ids[i]), get(c.mask, i), np.int64(c.row[i]), scratch)
    count_left(t, g, k)


@kernel
def act_tracked(t: Tables, g: Any, k: Any, action: Any, scratch: Any) -> None:
    """Remember a legal act of the seat to move, and make it, in a game all of whose hands are known."""
    if action and not is_bidding(t, g):
        cards, row = read_action(t, action, get(g.hands, g.turn))
        note(t, g, k, cards, row)
        make(t, g, action, cards, row, scratch)
    else:
        if not is_bidding(t, g):
            note(t, g, k, get(g.top, 0), np.int64(-1))
        act(t, g, action, scratch)
    count_left(t, g, k)
