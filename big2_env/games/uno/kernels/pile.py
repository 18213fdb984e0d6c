"""Kernels for the pile: moving its cards into hands, and played cards back into it if the rules say so."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.games.uno.kernels.dtypes import BLANK, BYTE, FOUR_CODE, LANES, MOST_CODES, ONE, PLAIN_CODE, WILD
from big2_env.games.uno.kernels.hands import oldest
from big2_env.kernels.dialect.bits import U, below, random_next
from big2_env.kernels.dialect.kernel import kernel


@kernel(entry=True)
def settle(g: Any, place: Any) -> None:
    """Shuffle the pile down to a place, continuing Fisher-Yates if necessary."""
    while g.settled > place:
        last = np.int64(g.settled) - 1
        g.settled = last
        if last > 0:
            state, number = random_next(g.shuffle)
            g.shuffle = state
            other = U(below(number, last + 1))
            g.deck[U(last)], g.deck[other] = g.deck[other], g.deck[U(last)]


@kernel(entry=True)
def new_age(g: Any, code: Any) -> Any:
    """Give a card from the pile the next age, and return the age."""
    age = np.int64(g.taken)
    g.codes[U(age)] = code
    g.taken = age + 1
    return age


@kernel(entry=True)
def turn_up(r: Any, g: Any) -> Any:
    """Take the first card off the pile that may be turned up, and return it; the cards above it stay on top of the pile.

    Returns -1 and takes nothing if the pile has no such card.
    """
    place = np.int64(g.left) - 1
    settle(g, place)
    while g.deck[place] == FOUR_CODE or ((g.deck[place] & 15) > 9 and not r.official_first_card):
        place -= 1
        if place < 0:
            return np.int64(-1)
        settle(g, place)
    code = np.int64(g.deck[place])
    g.left -= 1
    for above in range(place, g.left):
        g.deck[above] = g.deck[above + 1]
    return code


@kernel(entry=True)
def hold(s: Any, code: Any) -> None:
    """Count a card that has come into a seat's hand."""
    if code < BLANK << 4:
        bit = ONE << U(code - (code >> 4))
        s.twice |= s.word & bit
        s.word |= bit
    elif code == PLAIN_CODE:
        s.plain += 1
    else:
        s.fours += 1


@kernel(entry=True)
def give_top(g: Any, seat: Any) -> None:
    """Move the top card of a non-empty pile into a hand."""
    s = g.seats[U(seat)]
    place = np.int64(g.left) - 1
    settle(g, place)
    g.left = place
    code = np.int64(g.deck[U(place)])
    age = new_age(g, code)
    bit, is_low = ONE << U(age & 63), U(age < 64)
    s.low |= bit * is_low
    s.high |= bit * (ONE - is_low)
    hold(s, code)


@kernel(entry=True)
def take(g: Any, seat: Any, number: Any) -> None:
    """Move up to `number` (at most 4) cards from the pile into a hand."""
    number = min(number, np.int64(g.left))
    for _ in range(number):
        give_top(g, seat)
    s = g.seats[U(seat)]
    s.held += number
    new = (ONE << U(number)) - ONE
    s.fresh = (s.fresh << U(number)) & (LANES * (BYTE & ~new)) | LANES * new


@kernel(entry=True)
def note_played(g: Any, code: Any) -> None:
    """Count a card that all players have seen, played or turned up."""
    if code < BLANK << 4:
        bit = ONE << U(code - (code >> 4))
        g.played[1] |= g.played[0] & bit
        g.played[0] |= bit
    else:
        g.wilds[U(code - PLAIN_CODE)] += 1


@kernel(entry=True)
def lay_sorted(counts: Any, cards: Any) -> None:
    """Write cards in the order of their codes, with the given count of each, int64 (`MOST_CODES`,)."""
    at = 0
    for code in range(MOST_CODES):
        for _ in range(counts[code]):
            cards[at] = code
            at += 1


@kernel(entry=True)
def reshuffle(r: Any, g: Any) -> None:
    """Turn the played cards, except the last one, into the pile. Hands keep their order, with renumbered ages from 0."""
    taken = np.int64(g.taken)
    old, kept = g.codes.copy(), np.zeros(len(g.codes), np.bool_)
    for seat in range(r.players):
        low, high = g.seats[seat].low, g.seats[seat].high
        while low | high != U(0):
            age = oldest(low, high)
            kept[age] = True
            low, high = (low & (low - ONE), high) if low != U(0) else (low, high & (high - ONE))
    # The last played card has the colour and face in force, so which of its copies it was does not matter.
    last: Any = np.int64(-1)
    number: Any = np.int64(0)
    counts = np.zeros(MOST_CODES, np.int64)
    for age in range(taken):
        if not kept[age]:
            code = np.int64(old[age])
            if last < 0 and (code & 15) == g.face and (g.face >= WILD or code >> 4 == g.colour):
                last = age
                kept[age] = True
            else:
                counts[code] += 1
                number += 1
    lay_sorted(counts, g.deck)  # a settled order, so that the reference engine can do the same
    g.played[0] = g.played[1] = U(0)
    g.wilds[0] = g.wilds[1] = 0
    note_played(g, np.int64(old[last]))
    g.left = g.settled = number
    g.taken = 0
    young = np.empty(len(old), np.int64)  # the new age of each old one
    for age in range(taken):
        if kept[age]:
            young[age] = new_age(g, np.int64(old[age]))
    for seat in range(r.players):
        s = g.seats[seat]
        low, high = s.low, s.high
        s.low = s.high = U(0)
        while low | high != U(0):
            new = young[oldest(low, high)]
            low, high = (low & (low - ONE), high) if low != U(0) else (low, high & (high - ONE))
            if new < 64:
                s.low |= ONE << U(new)
            else:
                s.high |= ONE << U(new - 64)
