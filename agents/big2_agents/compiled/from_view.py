"""A seat's view as the records that the compiled agents work on. Hands of the others stay empty: a view has none."""

from __future__ import annotations

from typing import Any

import numba as nb

from big2_agents.compiled.track import MAX_CATEGORIES, NOTHING, note_play
from big2_env.climbing.view import View
from big2_env.kernels.bits import U, lowest_bit
from big2_env.kernels.tables import Tables


@nb.njit(cache=True)
def _places(t: Tables, mask: Any) -> Any:
    found = U(0)
    while mask:
        found |= U(1) << U(t.place_of[lowest_bit(mask)])
        mask &= mask - U(1)
    return found


@nb.njit(cache=True)
def _cards(t: Tables, mask: Any) -> Any:
    found = U(0)
    while mask:
        found |= U(1) << U(t.card_at[lowest_bit(mask)])
        mask &= mask - U(1)
    return found


def to_places(t: Tables, mask: int) -> int:
    """A mask of card ids as a mask of places in the ruleset's order."""
    return int(_places(t, U(mask)))


def to_cards(t: Tables, places: int) -> int:
    """A mask of places in the ruleset's order as a mask of card ids."""
    return int(_cards(t, U(places)))


def fill_game(t: Tables, view: View, patterns: dict[str, int], game: Any) -> None:
    """Write what a view knows of the position over a game record."""
    for seat in range(4):
        game.hands[seat] = _places(t, U(view.hand)) if seat == view.seat else U(0)
        game.played[seat] = _places(t, U(view.played[seat]))
    top = view.top
    game.turn = view.turn
    game.passed = view.passed
    game.obligation = _places(t, U(view.obligation))
    game.top_seat = -1 if view.top_seat is None else view.top_seat
    if top is None:
        game.top, game.top_category, game.top_power, game.top_pattern = 0, -1, -1, -1
    else:
        game.top = _places(t, U(top.mask))
        game.top_category, game.top_power, game.top_pattern = top.category, top.power, patterns[top.pattern]
    game.winner = -1


class Memory:
    """The track of the game that a seat is watching, brought up to date move by move."""

    def __init__(self) -> None:
        self._seen = 0
        self._last: Any = None
        self._top: Any = None
        self._passes = 0

    def update(self, view: View, patterns: dict[str, int], track: Any) -> None:
        """Write what the history of a view says over a track record; only new moves are read while a game goes on."""
        history = view.history
        goes_on = 0 < self._seen <= len(history) and history[self._seen - 1] is self._last
        if not goes_on:
            self._seen, self._top, self._passes = 0, None, 0
            track.last_pattern[:] = track.last_value[:] = -1
            track.passed_on[:] = NOTHING
            track.led[:] = track.skipped[:] = 0
        for seat, play in history[self._seen :]:
            if play.mask:
                value = (play.power & 63) >> 2
                track.last_pattern[seat] = patterns[play.pattern]
                track.last_value[seat] = value
                leads = self._top is None or self._passes == view.num_players - 1
                top_category, top_power = (-1, 0) if leads else (self._top.category, self._top.power)
                note_play(track, seat, play.category, value, top_category, (top_power & 63) >> 2)
                self._top, self._passes = play, 0
                continue
            self._passes += 1
            if self._top is not None and self._top.category < MAX_CATEGORIES:
                low = track.passed_on[seat, self._top.category]
                track.passed_on[seat, self._top.category] = min(low, self._top.power)
        self._seen = len(history)
        self._last = history[-1] if history else None
        track.left[:] = view.cards_left
