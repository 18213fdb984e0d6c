"""Kernels for the pile: moving its cards into hands, and played cards back into it if the rules say so."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.games.uno.kernels.dtypes import BLANK, BYTE, FOUR_CODE, LANES, MOST_CODES, ONE, PLAIN_CODE, WILD
from big2_env.games.uno.kernels.hands import oldest
from big2_env.kernels.dialect.bits import U, below, random_next
from big2_env.kernels.dialect.kernel import kernel


@kernel(entry=True)
def settle(game: Any, place: Any) -> None:
    """Shuffle the pile down to a place, continuing Fisher-Yates if necessary."""
    while game.settled > place:
        last = np.int64(game.settled) - 1
        game.settled = last
        if last > 0:
            state, number = random_next(game.shuffle)
            game.shuffle = state
            other = U(below(number, last + 1))
            game.deck[U(last)], game.deck[other] = game.deck[other], game.deck[U(last)]


@kernel(entry=True)
def new_age(game: Any, code: Any) -> Any:
    """Give a card from the pile the next age, and return the age."""
    age = np.int64(game.taken)
    game.codes[U(age)] = code
    game.taken = age + 1
    return age


@kernel(entry=True)
def turn_up(rules: Any, game: Any) -> Any:
    """Take the first card off the pile that may be turned up, and return it; the cards above it stay on top of the pile.

    Returns -1 and takes nothing if the pile has no such card.
    """
    place = np.int64(game.left) - 1
    settle(game, place)
    while game.deck[place] == FOUR_CODE or ((game.deck[place] & 15) > 9 and not rules.official_first_card):
        place -= 1
        if place < 0:
            return np.int64(-1)
        settle(game, place)
    code = np.int64(game.deck[place])
    game.left -= 1
    for above in range(place, game.left):
        game.deck[above] = game.deck[above + 1]
    return code


@kernel(entry=True)
def hold(hand: Any, code: Any) -> None:
    """Count a card that has come into a seat's hand."""
    if code < BLANK << 4:
        bit = ONE << U(code - (code >> 4))
        hand.twice |= hand.word & bit
        hand.word |= bit
    elif code == PLAIN_CODE:
        hand.plain += 1
    else:
        hand.fours += 1


@kernel(entry=True)
def give_top(game: Any, seat: Any) -> None:
    """Move the top card of a non-empty pile into a hand."""
    hand = game.seats[U(seat)]
    place = np.int64(game.left) - 1
    settle(game, place)
    game.left = place
    code = np.int64(game.deck[U(place)])
    age = new_age(game, code)
    bit, is_low = ONE << U(age & 63), U(age < 64)
    hand.low |= bit * is_low
    hand.high |= bit * (ONE - is_low)
    hold(hand, code)


@kernel(entry=True)
def take(game: Any, seat: Any, number: Any) -> None:
    """Move up to `number` (at most 4) cards from the pile into a hand."""
    number = min(number, np.int64(game.left))
    for _ in range(number):
        give_top(game, seat)
    hand = game.seats[U(seat)]
    hand.held += number
    new = (ONE << U(number)) - ONE
    hand.fresh = (hand.fresh << U(number)) & (LANES * (BYTE & ~new)) | LANES * new


@kernel(entry=True)
def note_played(game: Any, code: Any) -> None:
    """Count a card that all players have seen, played or turned up."""
    if code < BLANK << 4:
        bit = ONE << U(code - (code >> 4))
        game.played[1] |= game.played[0] & bit
        game.played[0] |= bit
    else:
        game.wilds[U(code - PLAIN_CODE)] += 1


@kernel(entry=True)
def lay_sorted(counts: Any, cards: Any) -> None:
    """Write cards in the order of their codes, with the given count of each, int64 (`MOST_CODES`,)."""
    at = 0
    for code in range(MOST_CODES):
        for _ in range(counts[code]):
            cards[at] = code
            at += 1


@kernel(entry=True)
def reshuffle(rules: Any, game: Any) -> None:
    """Turn the played cards, except the last one, into the pile. Hands keep their order, with renumbered ages from 0."""
    taken = np.int64(game.taken)
    old, kept = game.codes.copy(), np.zeros(len(game.codes), np.bool_)
    for seat in range(rules.players):
        low, high = game.seats[seat].low, game.seats[seat].high
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
            if last < 0 and (code & 15) == game.face and (game.face >= WILD or code >> 4 == game.colour):
                last = age
                kept[age] = True
            else:
                counts[code] += 1
                number += 1
    lay_sorted(counts, game.deck)  # a settled order, so that the reference engine can do the same
    game.played[0] = game.played[1] = U(0)
    game.wilds[0] = game.wilds[1] = 0
    note_played(game, np.int64(old[last]))
    game.left = game.settled = number
    game.taken = 0
    young = np.empty(len(old), np.int64)  # the new age of each old one
    for age in range(taken):
        if kept[age]:
            young[age] = new_age(game, np.int64(old[age]))
    for seat in range(rules.players):
        hand = game.seats[seat]
        low, high = hand.low, hand.high
        hand.low = hand.high = U(0)
        while low | high != U(0):
            new = young[oldest(low, high)]
            low, high = (low & (low - ONE), high) if low != U(0) else (low, high & (high - ONE))
            if new < 64:
                hand.low |= ONE << U(new)
            else:
                hand.high |= ONE << U(new - 64)
