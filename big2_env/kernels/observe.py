"""Observations and masks written into rows of arrays; the layout is that of `climbing/encoding/observation.py`.

An observation is a string of bits, gathered word by word and then spread over the row, 64 entries at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.climbing.encoding.layout import WINDOWS
from big2_env.kernels.dialect.bits import (
    U,
    append_bits,
    extract,
    highest_bit,
    lowest_bit,
    lowest_bits,
    popcount,
    spread_bits,
)
from big2_env.kernels.dialect.cardsets import get, no_cards, shift_of, without_lowest, word_of
from big2_env.kernels.dialect.features import HAS_PARTS, TWO_DECKS
from big2_env.kernels.dialect.kernel import either, kernel, when
from big2_env.kernels.optional_parts import is_bidding
from big2_env.kernels.tables import Tables

(
    HAND, SLOTS, TOP, PATTERN, SEAT, HAS_PASSED, LEFT, PLAYED, OBLIGATION, LEADING,
    KEY, LEAD_OVER, PILE, BIDDING, SAID, REDEALS, LANDLORD, BOTTOM, ACTED, MULTIPLIER, WON,
) = range(len(WINDOWS))  # fmt: skip
"""Places in `window`: the first entry of each window of the layout."""


@kernel
def _seat_after(seat: Any, distance: Any, players: Any) -> Any:
    """The seat that moves so many seats after another one."""
    return seat + distance if seat + distance < players else seat + distance - players


@kernel
def _distance(seat: Any, other: Any, players: Any) -> Any:
    """How many seats after `seat` the other one moves."""
    return other - seat if other >= seat else other - seat + players


@kernel
def _append_one_deck(t: Tables, words: Any, word: Any, low: Any, high: Any, start: Any, cards: Any) -> Any:
    return append_bits(words, word, low, high, start, extract(cards, t.deck[U(0)]))


@kernel
def _append_two_decks(t: Tables, words: Any, word: Any, low: Any, high: Any, start: Any, cards: Any) -> Any:
    deck = get(t.deck, 0)
    word, low, high = append_bits(words, word, low, high, start, extract(word_of(cards, 0), word_of(deck, 0)))
    more = start + popcount(word_of(deck, 0))
    return append_bits(words, word, low, high, more, extract(word_of(cards, 1), word_of(deck, 1)))


append_cards = either(TWO_DECKS, _append_two_decks, _append_one_deck)
"""`append_bits` with a set of cards, one bit for each card of the deck, in ascending order."""


@kernel
def observe(t: Tables, g: Any, seat: Any, words: Any, out: Any, i: Any) -> None:
    """Write what `seat` sees of a game into row `i` of `out`, int8 or float32 (N, size).

    `words` is scratch, uint64, for all bits and a word more.
    """
    players, window = np.int64(t.num_players), t.window
    leads = g.top_category < 0
    # The bits in the order of the windows, so that each word is gathered in a register. No branch depends on the game.
    hand = get(g.hands, seat)
    word, low, high = append_cards(t, words, 0, U(0), U(0), window[HAND], hand)
    distance = _distance(seat, g.top_seat, players)
    one = U(0) if leads else U(1)
    word, low, high = append_cards(t, words, word, low, high, window[TOP], get(g.top, 0))
    word, low, high = append_bits(words, word, low, high, window[PATTERN] + max(np.int64(g.top_pattern), 0), one)
    word, low, high = append_bits(words, word, low, high, window[SEAT], one << U(max(distance, 0)))
    passed = U(g.passed)
    passed = (passed >> U(seat)) | (passed & lowest_bits(seat)) << U(players - seat)
    word, low, high = append_bits(words, word, low, high, window[HAS_PASSED], passed)
    start = window[LEFT]
    for distance in range(players):
        held = popcount(get(g.hands, _seat_after(seat, distance, players)))
        word, low, high = append_bits(words, word, low, high, start, lowest_bits(held))
        start += t.max_hand
    start = window[PLAYED]
    for distance in range(players):
        played = get(g.played, _seat_after(seat, distance, players))
        word, low, high = append_cards(t, words, word, low, high, start, played)
        start += t.deck_size
    flags = U(get(g.obligation, 0) != no_cards(hand)) | U(leads and not is_bidding(t, g)) << U(1)
    word, low, high = append_bits(words, word, low, high, window[OBLIGATION], flags)
    words[U(word)] = low
    words[U(word + 1)] = high
    write_parts(t, g, np.int64(seat), words, word)
    spread_bits(words, out, i)
    slot, shift, highest = window[SLOTS], shift_of(hand), get(t.highest, 0)
    for _ in range(t.max_hand):  # as often for every hand: a loop that ends early costs more than the stores
        out[i, U(slot + (lowest_bit(hand | highest) >> shift))] = hand != no_cards(hand)
        slot += t.num_values
        hand = without_lowest(hand)


@kernel
def _set(words: Any, start: Any, bits: Any) -> None:
    """Set up to 64 bits that begin at a place."""
    shift = U(start & 63)
    words[U(start >> 6)] |= bits << shift
    words[U((start >> 6) + 1)] |= (bits >> U(1)) >> (U(63) - shift)


@kernel
def _set_cards(t: Tables, words: Any, start: Any, cards: Any) -> None:
    """Set a bit for each card of a set, the deck's in ascending order."""
    for half in range(shift_of(cards) - 1):  # one word or two
        deck = word_of(get(t.deck, 0), half)
        _set(words, start, extract(word_of(cards, half), deck))
        start += popcount(deck)


@when(HAS_PARTS)
def write_parts(t: Tables, g: Any, seat: Any, words: Any, word: Any) -> None:
    """Set the bits of the windows that only some games have; the words after `word` and the next hold nothing yet."""
    window, players = t.window, np.int64(t.num_players)
    for i in range(word + 2, (t.obs_size >> 6) + 2):
        words[U(i)] = U(0)
    if window[KEY] >= 0 and g.top_category >= 0:
        _set(words, window[KEY] + ((g.top_power & 63) >> 2), U(1))
    if window[LEAD_OVER] >= 0:
        _set_cards(t, words, window[LEAD_OVER], get(g.lead_over, 0))
    if window[PILE] >= 0:
        left, start = min(np.int64(g.num_pile), t.deck_size - players * t.hand_size), window[PILE]
        for first in range(0, left, 32):
            _set(words, start + first, lowest_bits(min(left - first, 32)))
    if window[WON] >= 0:
        for distance in range(players):
            _set_cards(t, words, window[WON] + distance * t.deck_size, get(g.captured, _seat_after(seat, distance, players)))
    if t.auction:
        _write_auction(t, g, seat, words)


@kernel
def _write_auction(t: Tables, g: Any, seat: Any, words: Any) -> None:
    """Set the bits of an auction, and of what it has settled. Without loops whose length the game decides, as far as may be."""
    window, players = t.window, np.int64(t.num_players)
    _set(words, window[BIDDING], U(g.bidding != 0))
    if not g.bidding:
        _set_cards(t, words, window[BOTTOM], get(g.bottom, 0))
    for i in range(g.num_said):
        distance = _distance(seat, np.int64(g.said_seat[U(i)]), players)
        _set(words, window[SAID] + distance * t.said_values + g.said_value[U(i)], U(1))
    _set(words, window[REDEALS], lowest_bits(min(np.int64(g.num_redeals), t.deals - 1)))
    is_settled = U(g.landlord >= 0)
    _set(words, window[LANDLORD] + _distance(seat, max(np.int64(g.landlord), 0), players), is_settled)
    acted = U(0)
    for distance in range(players):
        hands = min(np.int64(g.acted[U(_seat_after(seat, distance, players))]), 2)
        acted |= lowest_bits(hands) << U(2 * distance)
    _set(words, window[ACTED], acted)
    doublings = highest_bit(U(g.stake * g.factor))
    _set(words, window[MULTIPLIER], lowest_bits(min(doublings, t.multiplier_steps)))


@kernel
def write_mask(ids: Any, count: Any, mask: Any, i: Any) -> None:
    """Write the legal ids as a mask into row `i` of `mask`, int8 (N, num_actions); `ids` has `SLACK` places to spare."""
    mask[i, :] = 0
    if count == 0:
        return
    last = ids[U(count - 1)]
    for k in range(3):
        ids[U(count + k)] = last
    for k in range(0, count, 4):  # four at a time: most lists are that short, and so the loop's end is foreseen
        mask[i, U(ids[U(k)])] = mask[i, U(ids[U(k + 1)])] = mask[i, U(ids[U(k + 2)])] = mask[i, U(ids[U(k + 3)])] = 1
