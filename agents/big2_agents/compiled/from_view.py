"""A seat's view as the records that the compiled agents work on. Hands of the others stay empty: a view has none.

A view goes to compiled code as plain numbers, its facts and its moves: setting a record's fields from Python one by one takes
longer than choosing a play.
"""

from __future__ import annotations

from struct import Struct
from typing import Any, Final

import numba as nb
import numpy as np
import numpy.typing as npt

from big2_agents.compiled.track import MAX_CATEGORIES, NOTHING, SKIPS, note_play
from big2_env.climbing.game import Move
from big2_env.climbing.view import View
from big2_env.kernels.bits import U, borrowed, lowest_bit
from big2_env.kernels.tables import Tables

MAX_PLAYERS: Final = 4
Ints = npt.NDArray[np.int64]
(SEAT, TURN, HAND, TOP, TOP_CATEGORY, TOP_POWER, TOP_PATTERN, TOP_SEAT, PASSED, OBLIGATION, NUM_PLAYERS, NUM_MOVES,
 PLAYED) = range(13)  # fmt: skip
LEFT: Final = PLAYED + MAX_PLAYERS
NUM_FACTS: Final = LEFT + MAX_PLAYERS
"""Places of the facts; cards are masks of card ids, patterns are numbered as the ruleset lists them."""
_PACK: Final = Struct(f"={NUM_FACTS}q").pack_into
_NOBODY: Final = tuple((0,) * (MAX_PLAYERS - number) for number in range(MAX_PLAYERS + 1))
_PLAY: Final = 8
"""Bit of a packed move that puts down cards; its seat is in the lowest bits."""


def as_array(record: Any) -> npt.NDArray[Any]:
    """The array (1,) of a record that `as_record` made. To hand compiled code a record takes 7 microseconds, an array 0.2."""
    return np.asarray(record.base).reshape(1)


@nb.njit(cache=True)
def places_of(t: Tables, mask: Any) -> Any:
    """A mask of card ids as a mask of places in the ruleset's order."""
    found = U(0)
    while mask:
        found |= U(1) << U(t.place_of[lowest_bit(mask)])
        mask &= mask - U(1)
    return found


@nb.njit(cache=True)
def cards_of(t: Tables, mask: Any) -> Any:
    """A mask of places in the ruleset's order as a mask of card ids."""
    found = U(0)
    while mask:
        found |= U(1) << U(t.card_at[lowest_bit(mask)])
        mask &= mask - U(1)
    return found


def to_places(t: Tables, mask: int) -> int:
    """A mask of card ids as a mask of places in the ruleset's order."""
    return int(places_of(t, U(mask)))


def to_cards(t: Tables, places: int) -> int:
    """A mask of places in the ruleset's order as a mask of card ids."""
    return int(cards_of(t, U(places)))


def pack_facts(view: View, patterns: dict[str, int], facts: Ints) -> None:
    """Write what a view says of the position into `facts`, int64 (NUM_FACTS,)."""
    top, played = view.top, view.played
    missing = _NOBODY[len(played)]
    _PACK(
        facts.data, 0, view.seat, view.turn, view.hand,
        *((0, -1, -1, -1) if top is None else (top.mask, top.category, top.power, patterns[top.pattern])),
        -1 if view.top_seat is None else view.top_seat, view.passed, view.obligation, len(played), len(view.history),
        *played, *missing, *view.cards_left, *missing,
    )  # fmt: skip


@nb.njit(cache=True)
def unpack_game(t: Tables, facts: Any, g: Any) -> None:
    """Write facts over a game record."""
    for seat in range(MAX_PLAYERS):
        g.hands[seat] = U(0)
        g.played[seat] = places_of(t, U(facts[PLAYED + seat]))
    g.hands[facts[SEAT]] = places_of(t, U(facts[HAND]))
    g.turn = facts[TURN]
    g.passed = facts[PASSED]
    g.obligation[0] = places_of(t, U(facts[OBLIGATION]))
    g.top[0] = places_of(t, U(facts[TOP]))
    g.top_category, g.top_power, g.top_pattern = facts[TOP_CATEGORY], facts[TOP_POWER], facts[TOP_PATTERN]
    g.top_seat = facts[TOP_SEAT]
    g.winner = -1


@nb.njit(cache=True)
def unpack_track(t: Tables, facts: Any, moves: Any, k: Any) -> None:
    """Write what facts and moves say over a track record."""
    for seat in range(MAX_PLAYERS):
        k.left[seat] = facts[LEFT + seat]
        k.last_pattern[seat] = k.last_value[seat] = -1
        k.led[seat] = 0
        for category in range(MAX_CATEGORIES):
            k.passed_on[seat, category] = NOTHING
        for category in range(SKIPS):
            k.skipped[seat, category] = 0
    top_category, top_power, top_seat, passed = -1, 0, 0, 0
    everybody = (1 << facts[NUM_PLAYERS]) - 1
    for i in range(facts[NUM_MOVES]):
        move = moves[i]
        seat = move & 7
        if not move & _PLAY:
            passed |= 1 << seat
            if 0 <= top_category < MAX_CATEGORIES:
                k.passed_on[seat, top_category] = min(np.int64(k.passed_on[seat, top_category]), top_power)
            continue
        category, power = move >> 16 & 0xFFFF, move >> 32
        value = (power & 63) >> 2
        k.last_pattern[seat] = move >> 4 & 0xFFF
        k.last_value[seat] = value
        leads = top_category < 0 or passed | 1 << top_seat == everybody
        if leads or t.lock == 0:
            passed = 0
        note_play(k, seat, category, value, -1 if leads else top_category, 0 if leads else (top_power & 63) >> 2)
        top_category, top_power, top_seat = category, power, seat


@nb.njit(cache=True)
def _fill_game(t: Tables, facts: Any, g: Any) -> None:
    unpack_game(t, borrowed(facts), g)


@nb.njit(cache=True)
def _fill_track(t: Tables, facts: Any, moves: Any, k: Any) -> None:
    unpack_track(t, borrowed(facts), borrowed(moves), k)


def fill_game(t: Tables, view: View, patterns: dict[str, int], game: Any) -> None:
    """Write what a view knows of the position over a game record."""
    facts = np.empty(NUM_FACTS, np.int64)
    pack_facts(view, patterns, facts)
    _fill_game(t, facts, game)


class Memory:
    """A view as facts and moves, which follow from the view alone. Of a game that goes on only the new moves are packed."""

    def __init__(self) -> None:
        self.facts = np.zeros(NUM_FACTS, np.int64)
        """Of the last view, int64 (NUM_FACTS,)."""
        self.moves = np.zeros(256, np.int64)
        """Its history, int64 (at least as long,): the seat, a bit for plays, pattern, category and power."""
        self._history: tuple[Move, ...] = ()
        self._patterns: dict[str, int] | None = None

    def read(self, view: View, patterns: dict[str, int]) -> None:
        """Pack a view."""
        pack_facts(view, patterns, self.facts)
        history, known = view.history, self._history
        number = min(len(history), len(known))
        # Moves of the same game are the same objects, which is seen at a glance.
        if patterns is not self._patterns or history[:number] != known[:number]:
            number = 0
        if len(history) > len(self.moves):
            self.moves = np.resize(self.moves, 2 * len(history))
        for i in range(number, len(history)):
            seat, play = history[i]
            packed = seat
            if play.mask:
                packed += _PLAY | patterns[play.pattern] << 4 | play.category << 16 | play.power << 32
            self.moves[i] = packed
        self._history, self._patterns = history, patterns

    def update(self, t: Tables, view: View, patterns: dict[str, int], track: Any) -> None:
        """Write what the history of a view says over a track record."""
        self.read(view, patterns)
        _fill_track(t, self.facts, self.moves, track)
