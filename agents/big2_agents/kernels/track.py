"""Public memory of a game beyond the position: passes, recent plays, and number of cards left."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from big2_agents.kernels.feature_layout import MAX_CATEGORIES, SKIPS
from big2_env.kernels.dialect.bits import popcount
from big2_env.kernels.dialect.cardsets import get
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.records import END
from big2_env.kernels.legal import power_of, read_action
from big2_env.kernels.optional_extras import is_bidding, landlord_of
from big2_env.kernels.tables import ROUND_LOCK, Tables
from big2_env.kernels.turn import make, make_move

NOTHING: Final = 32767
"""Power of a seat that has not passed yet."""


@cache
def track_dtype(seats: int) -> np.dtype[Any]:
    """Return the record type of a game's public memory."""
    return np.dtype(
        [
            ("left", np.int32, seats),  # cards held, by seat
            ("last_pattern", np.int32, seats),  # pattern of each seat's last play, -1 for none
            ("last_value", np.int32, seats),  # value of its key rank
            ("passed_on", np.int16, (seats, MAX_CATEGORIES)),  # the lowest power each seat passed on, by category
            (
                "most_alone",
                np.int32,
                seats,
            ),  # height that no card of the hand exceeds, as a single under the last-card rule shows
            ("led", np.int32, seats),  # categories each seat has led, a bit each
            (
                "skipped",
                np.int32,
                (seats, SKIPS),
            ),  # values each seat left out: below a lead, between the top play and what beats it
            (END, np.int64),
        ]
    )


@kernel
def unseen_by(tab: Tables, game: Any, seat: Any) -> Any:
    """Return the cards that a seat neither holds nor has seen played."""
    seen = get(game.hands, seat)
    for who in range(tab.num_players):
        seen |= get(game.played, who)
    return get(tab.deck, 0) & ~seen


@kernel
def are_partners(game: Any, seat: Any, other: Any) -> Any:
    """Return True if two seats play against the same landlord."""
    landlord = landlord_of(game)
    return landlord >= 0 and seat != landlord and other != landlord


@kernel(inline=True)
def clear_track(tab: Tables, track: Any) -> None:
    """Reset the memory."""
    for seat in range(tab.num_players):
        track.last_pattern[seat] = track.last_value[seat] = -1
        track.led[seat] = 0
        track.most_alone[seat] = NOTHING
        for category in range(MAX_CATEGORIES):
            track.passed_on[seat, category] = NOTHING
        for category in range(SKIPS):
            track.skipped[seat, category] = 0


@kernel(inline=True)
def count_left(tab: Tables, game: Any, track: Any) -> None:
    """Count the cards of every hand, all of which are known."""
    for seat in range(tab.num_players):
        track.left[seat] = popcount(get(game.hands, seat))


@kernel
def start_track(tab: Tables, game: Any, track: Any) -> None:
    """Reset the memory for a newly dealt game; a first play made by the engine is included."""
    clear_track(tab, track)
    count_left(tab, game, track)
    if game.top_category >= 0:
        track.last_pattern[game.top_seat] = game.top_pattern
        value = np.int64((game.top_power & 63) >> 2)
        track.last_value[game.top_seat] = value
        note_play(track, game.top_seat, np.int64(game.top_category), value, -1, 0)


@kernel(inline=True)
def note_pass(track: Any, seat: Any, top_category: Any, top_power: Any) -> None:
    """Record that a seat passed on a play."""
    if 0 <= top_category < MAX_CATEGORIES:
        track.passed_on[seat, top_category] = min(np.int64(track.passed_on[seat, top_category]), np.int64(top_power))


@kernel(inline=True)
def note_highest(tab: Tables, track: Any, seat: Any, power: Any) -> None:
    """Record that a seat played the highest single it could, unless cards drawn later may be higher."""
    if not tab.refill and tab.lock != ROUND_LOCK:
        height = np.int64(power & 63) >> (0 if tab.last_card == 1 else 2)
        track.most_alone[seat] = min(np.int64(track.most_alone[seat]), height)


@kernel
def note(tab: Tables, game: Any, track: Any, cards: Any, row: Any) -> None:
    """Record the next move of the seat to move: cards that form a row, or -1 for a pass.

    A pass on a partner's play is not recorded, since it says nothing about the hand.
    """
    seat = game.turn
    if row < 0:
        if game.top_category >= 0 and not are_partners(game, seat, game.top_seat):
            note_pass(track, seat, game.top_category, game.top_power)
        return
    track.left[seat] -= popcount(cards)
    if game.highest_single and popcount(cards) == 1 and not get(game.obligation, 0):
        note_highest(tab, track, seat, power_of(tab, row, cards))
    value = np.int64(tab.row_key[row])
    track.last_pattern[seat] = tab.row_pattern[row]
    track.last_value[seat] = value
    note_play(
        track, seat, np.int64(tab.row_category[row]), value, np.int64(game.top_category), np.int64((game.top_power & 63) >> 2)
    )


@kernel
def note_play(track: Any, seat: Any, category: Any, value: Any, top_category: Any, top_value: Any) -> None:
    """Record the information in a play about its hand: the category led, and the lower plays skipped.

    Skipped are the values below a lead, and those between the top play and what beats it. `top_category` is -1 for a lead.
    """
    lowest = top_value + 1
    if top_category < 0:
        lowest = 0
        if category < MAX_CATEGORIES:
            track.led[seat] |= 1 << category
    elif category != top_category:
        return
    if category < SKIPS and value > lowest:
        track.skipped[seat, category] |= (1 << value) - (1 << lowest)


@kernel
def make_tracked(tab: Tables, game: Any, track: Any, cand: Any, i: Any, scratch: Any) -> None:
    """Make the move of a candidate and record it, in a game with all hands known."""
    if not is_bidding(tab, game):
        note(tab, game, track, get(cand.mask, i), np.int64(cand.row[i]))
    make(tab, game, np.int64(cand.ids[i]), get(cand.mask, i), np.int64(cand.row[i]), scratch.deck)
    count_left(tab, game, track)


@kernel
def move_tracked(tab: Tables, game: Any, track: Any, action: Any, scratch: Any) -> None:
    """Make a legal action and record it, in a game with all hands known."""
    if action and not is_bidding(tab, game):
        cards, row = read_action(tab, game, action)
        note(tab, game, track, cards, row)
        make(tab, game, action, cards, row, scratch.deck)
    else:
        if not is_bidding(tab, game):
            note(tab, game, track, get(game.top, 0), np.int64(-1))
        make_move(tab, game, action, scratch)
    count_left(tab, game, track)
