"""Observations, masks and random streams of a seat (`big2_env.agents.seeds`), computed from what the seat knows.

The layout is the one in `climbing/encoding/observation.py`. An observation is a bit string, assembled word by word. It is
then expanded into the row, one vector at a time, or copied as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.climbing.encoding.layout import WINDOWS
from big2_env.kernels.dialect import HAS_EXTRAS, PACKED, TWO_DECKS
from big2_env.kernels.dialect.bits import (
    U,
    append_bits,
    copy_bits,
    extract,
    highest_bit,
    lowest_bit,
    lowest_bits,
    popcount,
    random_next,
    spread_bits,
)
from big2_env.kernels.dialect.cardsets import card_at, get, no_cards, shift_of, without_lowest, word_of
from big2_env.kernels.dialect.kernel import clear, kernel, specialize, specialized
from big2_env.kernels.optional_extras import is_bidding
from big2_env.kernels.tables import BITS, CHANGES, Tables

(
    HAND, SLOTS, TOP, PATTERN, SEAT, HAS_PASSED, LEFT, PLAYED, OBLIGATION, LEADING,
    KEY, LEAD_OVER, PILE, BIDDING, SAID, REDEALS, LANDLORD, BOTTOM, ACTED, MULTIPLIER, WON,
) = range(len(WINDOWS))  # fmt: skip
"""Indices into `window`, the first entry of each window of the layout."""


@kernel(inline=True)
def _seat_after(seat: Any, distance: Any, players: Any) -> Any:
    """Return the seat `distance` turns after another one."""
    return seat + distance if seat + distance < players else seat + distance - players


@kernel(inline=True)
def _distance(seat: Any, other: Any, players: Any) -> Any:
    """Return the number of turns from `seat` to `other`."""
    return other - seat if other >= seat else other - seat + players


@kernel
def _append_one_deck(tab: Tables, words: Any, word: Any, low: Any, shift: Any, cards: Any) -> Any:
    return append_bits(words, word, low, shift, extract(cards, tab.deck[U(0)]), tab.deck_size)


@kernel
def _append_two_decks(tab: Tables, words: Any, word: Any, low: Any, shift: Any, cards: Any) -> Any:
    deck = get(tab.deck, 0)
    for half in range(2):
        places = word_of(deck, half)
        word, low, shift = append_bits(words, word, low, shift, extract(word_of(cards, half), places), popcount(places))
    return word, low, shift


append_cards = specialize(TWO_DECKS, _append_two_decks, _append_one_deck)
"""`append_bits` for a set of cards, with one bit per card of the deck in ascending order."""


@kernel
def _write_entries(tab: Tables, hand: Any, words: Any, row: Any) -> None:
    spread_bits(words, row, tab.obs_size)
    slot, shift, entry = tab.window[SLOTS], shift_of(hand), hand != no_cards(hand)
    place = slot
    for _ in range(tab.max_hand):  # as often for every hand: a loop that ends early costs more than the stores
        # After the last card, the same entry is written again.
        place = slot + (lowest_bit(hand) >> shift) if hand != no_cards(hand) else place
        row[U(place)] = entry
        slot += tab.num_values
        hand = without_lowest(hand)


@kernel
def _write_bits(tab: Tables, hand: Any, words: Any, row: Any) -> None:
    slot, shift = tab.window[SLOTS], shift_of(hand)
    for _ in range(popcount(hand)):
        bit = slot + (lowest_bit(hand) >> shift)
        words[U(bit >> 6)] |= U(1) << U(bit & 63)
        slot += tab.num_values
        hand = without_lowest(hand)
    copy_bits(words, row, tab.obs_size)


_write_row = specialize(PACKED, _write_bits, _write_entries)
"""Write the ranks of a hand's slots and the bits in `words` to a row."""


@kernel
def observe(tab: Tables, game: Any, seat: Any, scratch: Any, row: Any) -> None:
    """Write a seat's observation of a game to a row (`row_at`), int8 or float32 (size,) or uint8 (bytes,)."""
    words, window, players = scratch.words, tab.window, np.int64(tab.num_players)
    leads = game.top_category < 0
    # The bits in the order of the windows, so that each word is gathered in a register. No branch depends on the game.
    hand = get(game.hands, seat)
    word, low, shift = append_cards(tab, words, 0, U(0), 0, hand)
    for start in range(window[SLOTS], window[TOP], 64):  # zeros, until the row is written
        word, low, shift = append_bits(words, word, low, shift, U(0), min(window[TOP] - start, 64))
    distance = _distance(seat, game.top_seat, players)
    one = U(0) if leads else U(1)
    top_pattern: Any = np.int64(game.top_pattern)
    word, low, shift = append_cards(tab, words, word, low, shift, get(game.top, 0))
    pattern, patterns = max(top_pattern, 0), window[SEAT] - window[PATTERN]
    for first in range(0, patterns, 64):
        bits = one << U(pattern & 63) if pattern >> 6 == first >> 6 else U(0)
        word, low, shift = append_bits(words, word, low, shift, bits, min(patterns - first, 64))
    passed = U(game.passed)
    passed = (passed >> U(seat)) | (passed & lowest_bits(seat)) << U(players - seat)
    seats = one << U(max(distance, 0)) | passed << U(players)
    word, low, shift = append_bits(words, word, low, shift, seats, 2 * players)
    who = seat
    for _ in range(players):
        held = lowest_bits(popcount(get(game.hands, who)))
        word, low, shift = append_bits(words, word, low, shift, held, tab.max_hand)
        who = who + 1 if who + 1 < players else 0
    for _ in range(players):
        word, low, shift = append_cards(tab, words, word, low, shift, get(game.played, who))
        who = who + 1 if who + 1 < players else 0
    flags = U(get(game.obligation, 0) != no_cards(hand)) | U(leads and not is_bidding(tab, game)) << U(1)
    word, low, shift = append_bits(words, word, low, shift, flags, 2)
    words[U(word)] = low
    words[U(word + 1)] = U(0)
    write_parts(tab, game, np.int64(seat), words, word)
    _write_row(tab, hand, words, row)


@kernel
def _set(words: Any, start: Any, bits: Any) -> None:
    """Set up to 64 bits that begin at an index."""
    shift = U(start & 63)
    words[U(start >> 6)] |= bits << shift
    words[U((start >> 6) + 1)] |= (bits >> U(1)) >> (U(63) - shift)


@kernel
def _set_cards(tab: Tables, words: Any, start: Any, cards: Any) -> None:
    """Set one bit per card of a set, in the deck's ascending order."""
    for half in range(shift_of(cards) - 1):  # one word or two
        deck = word_of(get(tab.deck, 0), half)
        _set(words, start, extract(word_of(cards, half), deck))
        start += popcount(deck)


@specialized(HAS_EXTRAS)
def write_parts(tab: Tables, game: Any, seat: Any, words: Any, word: Any) -> None:
    """Set the bits of windows that only some games have. Words after `word + 1` are uninitialized before this call."""
    window, players = tab.window, np.int64(tab.num_players)
    for i in range(word + 2, (tab.obs_size >> 6) + 2):
        words[U(i)] = U(0)
    if window[KEY] >= 0 and game.top_category >= 0:
        _set(words, window[KEY] + ((game.top_power & 63) >> 2), U(1))
    if window[LEAD_OVER] >= 0:
        _set_cards(tab, words, window[LEAD_OVER], get(game.lead_over, 0))
    if window[PILE] >= 0:
        left, start = min(np.int64(game.num_pile), tab.deck_size - players * tab.hand_size), window[PILE]
        for first in range(0, left, 32):
            _set(words, start + first, lowest_bits(min(left - first, 32)))
    if window[WON] >= 0:
        for distance in range(players):
            _set_cards(
                tab, words, window[WON] + distance * tab.deck_size, get(game.captured, _seat_after(seat, distance, players))
            )
    if tab.auction:
        _write_auction(tab, game, seat, words)


@kernel
def _write_auction(tab: Tables, game: Any, seat: Any, words: Any) -> None:
    """Set the bits of an auction and its results, mostly in loops of fixed length."""
    window, players = tab.window, np.int64(tab.num_players)
    _set(words, window[BIDDING], U(game.bidding != 0))
    if not game.bidding:
        _set_cards(tab, words, window[BOTTOM], get(game.bottom, 0))
    for i in range(game.num_said):
        distance = _distance(seat, np.int64(game.said_seat[U(i)]), players)
        _set(words, window[SAID] + distance * tab.said_values + game.said_value[U(i)], U(1))
    _set(words, window[REDEALS], lowest_bits(min(np.int64(game.num_redeals), tab.deals - 1)))
    is_settled = U(game.landlord >= 0)
    _set(words, window[LANDLORD] + _distance(seat, max(np.int64(game.landlord), 0), players), is_settled)
    acted = U(0)
    for distance in range(players):
        hands = min(np.int64(game.acted[U(_seat_after(seat, distance, players))]), 2)
        acted |= lowest_bits(hands) << U(2 * distance)
    _set(words, window[ACTED], acted)
    doublings = highest_bit(U(game.stake * game.factor))
    _set(words, window[MULTIPLIER], lowest_bits(min(doublings, tab.multiplier_steps)))


@kernel
def write_mask(kind: Any, ids: Any, count: Any, mask: Any, marks: Any, i: Any) -> None:
    """Write legal ids as a mask to row `i` of `mask`, int8 (N, num_actions), or for `BITS` (N, bytes).

    `ids` must have `SLACK` spare entries. For `CHANGES`, `marks` says what the row holds (`kernels.batch`).
    """
    if kind == CHANGES:
        before = np.int64(marks[i, 0])
        for k in range(1, before + 1):
            mask[i, U(marks[i, U(k)])] = 0
        if before < 0:
            clear(mask, i)
        keeps = count < marks.shape[1]
        marks[i, 0] = count if keeps else -1
        for k in range(count):
            mask[i, U(ids[U(k)])] = 1
            if keeps:
                marks[i, U(k + 1)] = ids[U(k)]
        return
    clear(mask, i)
    if kind == BITS:
        for k in range(count):
            mask[i, U(ids[U(k)] >> 3)] |= 1 << (ids[U(k)] & 7)
        return
    if count == 0:
        return
    last = ids[U(count - 1)]
    for k in range(3):
        ids[U(count + k)] = last
    for k in range(0, count, 4):  # four at a time: most lists are that short, and so the loop's end is foreseen
        mask[i, U(ids[U(k)])] = mask[i, U(ids[U(k + 1)])] = mask[i, U(ids[U(k + 2)])] = mask[i, U(ids[U(k + 3)])] = 1


@kernel
def _with_word(state: Any, word: Any) -> Any:
    """Return the hash of a state extended by one more word."""
    _, mixed_word = random_next(U(word))
    _, found = random_next(state ^ mixed_word)
    return found


@kernel
def start_stream(tab: Tables, game: Any, seat: Any, repetition: Any, salt: Any) -> Any:
    """Return `agents.seeds.start_seed` of a newly dealt game, uint64; `repetition` and `salt` are uint64.

    A first play that the deal forced still counts as part of the hand.
    """
    hand = get(game.hands, seat) | get(game.played, seat)
    low, high = U(0), U(0)
    for i in range(tab.deck_size):  # from the places of compiled code to card ids
        card = np.int64(tab.deck_cards[U(i)])
        if hand & card_at(no_cards(hand), tab.place_of[U(card)]):
            if card < 64:
                low |= U(1) << U(card)
            else:
                high |= U(1) << U(card - 64)
    state = _with_word(_with_word(U(0), 1), seat)
    state = _with_word(_with_word(state, 2 if high else 1), low)
    if high:
        state = _with_word(state, high)
    state = _with_word(_with_word(state, 1), 0)
    state = _with_word(_with_word(state, 1), repetition)
    return _with_word(_with_word(state, 1), salt)


@kernel
def move_stream(game: Any, salt: Any) -> Any:
    """Return the stream of the seat to move for this move only, uint64.

    It is a hash of the seat's hand, the seat, the number of moves and the game's salt, uint64.
    """
    seat = np.int64(game.turn)
    hand = get(game.hands, seat)
    state = _with_word(_with_word(_with_word(U(0), salt), seat), game.steps)
    return _with_word(_with_word(state, word_of(hand, 0)), word_of(hand, 1))
