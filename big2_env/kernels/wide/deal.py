"""How a game is dealt, and how an auction decides for whom."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.bits import U, below, popcount, random_next
from big2_env.kernels.wide.inner import inner
from big2_env.kernels.wide.legal import BYTE_BITS
from big2_env.kernels.wide.tables import CALL_ROB


@inner
def _shuffle(t: Any, seed: Any, deck: Any) -> None:
    """The deck shuffled by the stream of a seed, card ids from bottom to top, uint8."""
    size = t.deck_size
    for card in range(size):  # ids of a deck have no gaps but that of two decks without jokers
        deck[card] = card + 2 if card >= 52 and size == 104 else card
    state = U(seed)
    for last in range(size - 1, 0, -1):
        state, number = random_next(state)
        other = below(number, last + 1)
        deck[last], deck[other] = deck[other], deck[last]


@inner
def count_hand(t: Any, g: Any, seat: Any) -> None:
    """Count a hand anew."""
    low, high = g.hands[seat, 0], g.hands[seat, 1]
    g.held[seat] = popcount(low) + popcount(high)
    if t.by_slots:
        return
    nibbles, first, second = U(0), U(0), U(0)
    for value in range(t.num_values):
        number = popcount((low if value < 8 else high) >> U(8 * (value & 7)) & BYTE_BITS)
        nibbles |= U(number) << U(4 * value)
        for k in range(number):
            if k < 4:
                first |= U(1) << U(16 * k + value)
            else:
                second |= U(1) << U(16 * (k - 4) + value)
    g.nibbles[seat], g.lanes[seat, 0], g.lanes[seat, 1] = nibbles, first, second


@inner
def _deal(t: Any, g: Any, deck: Any) -> None:
    """Deal a deck, card ids from bottom to top, uint8: its last card to seat 0."""
    for seat in range(t.num_players):
        g.held[seat] = g.acted[seat] = g.finished[seat] = 0
        for word in range(2):
            g.hands[seat, word] = g.played[seat, word] = g.captured[seat, word] = U(0)
    for word in range(2):
        g.top[word] = g.lead_over[word] = g.obligation[word] = g.bottom[word] = g.circle[word] = U(0)
    g.stake = g.factor = 1
    g.top_category = g.top_power = g.top_pattern = g.top_seat = -1
    g.lead_category = g.lead_power = g.lead_pattern = -1
    g.winner = g.actor = g.landlord = -1
    g.players = t.num_players
    g.passed = g.bidding = g.num_said = g.num_finished = g.num_pile = 0
    for i in range(len(g.said_seat)):
        g.said_seat[i] = g.said_value[i] = 0
    card = t.deck_size - 1
    for _ in range(t.hand_size):
        for seat in range(t.num_players):
            place = t.place_of[deck[card]]
            g.hands[seat, place >> 6] |= U(1) << U(place & 63)
            card -= 1
    for seat in range(t.num_players):
        count_hand(t, g, seat)
    rest = card + 1
    if t.auction:
        first, lowest = np.int64(0), np.int64(1 << 10)
        for i in range(rest):
            place = np.int64(t.place_of[deck[card - i]])
            g.bottom[place >> 6] |= U(1) << U(place & 63)
            if place < lowest:
                first, lowest = np.int64(i), place
        g.turn, g.bidding = first % t.num_players, 1
        return
    g.num_redeals, g.num_pile = 0, rest
    for i in range(rest):
        g.pile[i] = t.place_of[deck[i]]
    low, high = U(0), U(0)
    for seat in range(t.num_players):
        low |= g.hands[seat, 0]
        high |= g.hands[seat, 1]
    low &= ~low + U(1)
    high = U(0) if low else high & (~high + U(1))
    for seat in range(t.num_players):
        if g.hands[seat, 0] & low or g.hands[seat, 1] & high:
            g.turn = seat
    if t.lead:
        g.obligation[0], g.obligation[1] = low, high


@inner
def deal(t: Any, g: Any, seed: Any, scratch: Any) -> None:
    """Deal a game anew as `Game.deal(ruleset, seed)` does, but for a first play that the engine makes."""
    g.steps = 0
    deck = scratch.deck
    _, start = random_next(U(seed))
    g.num_redeals = max(t.deals - 1, np.int64(0))
    for number in range(g.num_redeals, -1, -1):
        _, step = random_next(U(number))
        _, derived = random_next(start ^ step)
        _shuffle(t, derived if number else U(seed), deck)
        if number:
            for i in range(t.deck_size):
                g.redeals[number - 1, i] = deck[i]
    _deal(t, g, deck)


@inner
def decide(t: Any, g: Any, value: Any, scratch: Any) -> None:
    """The seat to move says a value in the auction, 0 for no."""
    players = t.num_players
    g.said_seat[g.num_said], g.said_value[g.num_said] = g.turn, value
    g.num_said += 1
    first, said = np.int64(g.said_seat[0]), np.int64(g.num_said)
    yes, first_yes, last_yes, last_value = np.int64(0), np.int64(-1), np.int64(-1), np.int64(0)
    for i in range(said):
        if g.said_value[i]:
            yes += 1
            last_yes, last_value = np.int64(g.said_seat[i]), np.int64(g.said_value[i])
            if first_yes < 0:
                first_yes = last_yes
    stake, factor = t.stake, np.int64(1)
    if t.auction == CALL_ROB:
        if said < players:
            g.turn = (first + said) % players
            return
        if said == players and yes > 1:
            g.turn = first_yes
            return
        for _ in range(yes - 1):
            factor *= t.rob_factor
    else:
        if said < players and value != t.most_bid:
            g.turn = (first + said) % players
            return
        if yes:
            stake = last_value
    if yes == 0:
        if g.num_redeals:
            g.num_redeals -= 1
            for i in range(t.deck_size):
                scratch.deck[i] = g.redeals[0, i]
                for number in range(g.num_redeals):
                    g.redeals[number, i] = g.redeals[number + 1, i]
                g.redeals[g.num_redeals, i] = 0
            _deal(t, g, scratch.deck)
            return
        last_yes = first
    for number in range(g.num_redeals):
        for i in range(t.deck_size):
            g.redeals[number, i] = 0
    g.bidding = g.num_redeals = 0
    g.turn = g.landlord = last_yes
    g.stake, g.factor = stake, factor
    for word in range(2):
        g.hands[last_yes, word] |= g.bottom[word]
    count_hand(t, g, last_yes)
