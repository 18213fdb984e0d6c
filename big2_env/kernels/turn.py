"""How a deal or an act changes a game. The same transitions as `climbing/position.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.compare import does_cover, power_of
from big2_env.kernels.dialect.bits import U, below, lowest_bit, random_next
from big2_env.kernels.dialect.cardsets import card_at, get, lowest_card, no_cards, put, shift_of
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.legal import read_action
from big2_env.kernels.optional_parts import (
    after_cards,
    clear_parts,
    close_trick,
    count_stakes,
    decide,
    ends_round,
    forget_redeals,
    is_bidding,
    keep_redeals,
    lay_aside,
    lead_category,
    lead_power,
    refill,
    settle_end,
)
from big2_env.kernels.tables import NO_LOCK, Tables


@kernel
def _shuffle(t: Tables, seed: Any, deck: Any) -> None:
    """The deck shuffled by the stream of a seed, card ids from bottom to top, uint8."""
    size = t.deck_size
    for i in range(size):
        deck[U(i)] = t.deck_cards[U(i)]
    state = U(seed)
    for last in range(size - 1, 0, -1):
        state, number = random_next(state)
        other = below(number, last + 1)
        deck[U(last)], deck[U(other)] = deck[U(other)], deck[U(last)]


@kernel
def _deal(t: Tables, g: Any, deck: Any) -> None:
    """Deal a deck, card ids from bottom to top, uint8: its last card to seat 0."""
    players, empty = np.int64(t.num_players), no_cards(get(g.top, 0))
    for seat in range(players):
        put(g.hands, seat, empty)
        put(g.played, seat, empty)
    put(g.top, 0, empty)
    put(g.obligation, 0, empty)
    g.top_category = g.top_power = g.top_pattern = g.top_seat = g.winner = g.actor = -1
    g.passed, g.players = 0, players
    clear_parts(t, g)
    card = t.deck_size - 1
    for _ in range(t.hand_size):
        for seat in range(players):
            put(g.hands, seat, get(g.hands, seat) | card_at(empty, t.place_of[deck[U(card)]]))
            card -= 1
    if lay_aside(t, g, deck, card + 1):
        return
    _open(t, g)
    if t.rest_to_lowest:
        hand = get(g.hands, g.turn)
        for i in range(card + 1):
            hand |= card_at(empty, t.place_of[deck[U(i)]])
        put(g.hands, g.turn, hand)
        _open(t, g)


@kernel
def _open(t: Tables, g: Any) -> None:
    """Give the lead to the holder of the lowest card."""
    dealt = get(g.hands, 0)
    for seat in range(1, t.num_players):
        dealt |= get(g.hands, seat)
    lowest = lowest_card(dealt)
    for seat in range(t.num_players):
        if get(g.hands, seat) & lowest:
            g.turn = seat
    if t.lead:
        put(g.obligation, 0, lowest)


@kernel
def deal(t: Tables, g: Any, seed: Any, scratch: Any) -> None:
    """Deal a game anew as `Game.deal(ruleset, seed)` does; a forced first play is made where the engine makes it."""
    g.steps = 0
    forget_redeals(t, g)
    _, start = random_next(U(seed))
    for number in range(t.deals - 1, -1, -1):
        _, step = random_next(U(number))
        _, derived = random_next(start ^ step)
        _shuffle(t, derived if number else U(seed), scratch.deck)
        keep_redeals(t, g, np.int64(number), scratch.deck)
    _deal(t, g, scratch.deck)
    if t.auto_lead:
        card = get(g.obligation, 0)
        make(t, g, np.int64(1), card, np.int64(t.single_row[U(lowest_bit(card) >> shift_of(card))]), scratch)


@kernel
def make(t: Tables, g: Any, action: Any, cards: Any, row: Any, scratch: Any) -> None:
    """Make a legal act of which `judge` gave cards and row; nothing is checked."""
    g.steps += 1
    actor = g.turn
    if is_bidding(t, g):
        if decide(t, g, action, scratch):
            _deal(t, g, scratch.deck)
    elif row < 0:
        g.passed |= 1 << g.turn
        _next_turn(t, g, False)
    else:
        _put_down(t, g, cards, row)
    g.actor = actor


@kernel
def act(t: Tables, g: Any, action: Any, scratch: Any) -> None:
    """Make a legal act; nothing is checked."""
    cards, row = no_cards(get(g.top, 0)), np.int64(-1)
    if action and not is_bidding(t, g):
        cards, row = read_action(t, action, get(g.hands, g.turn))
    make(t, g, action, cards, row, scratch)


@kernel
def _put_down(t: Tables, g: Any, cards: Any, row: Any) -> None:
    """The seat to move plays cards that make a row."""
    seat, category, power = np.int64(g.turn), np.int64(t.row_category[U(row)]), power_of(t, row, cards)
    leads = g.top_category < 0
    count_stakes(t, g, row, leads)
    covered = lead_category(g)
    covers_lead = not leads or (covered >= 0 and does_cover(t, category, power, covered, lead_power(g)))
    if t.lock == NO_LOCK or ends_round(t, g, covers_lead):
        g.passed = 0
    hand = get(g.hands, seat) & ~cards
    put(g.hands, seat, hand)
    put(g.played, seat, get(g.played, seat) | cards)
    put(g.top, 0, cards)
    put(g.obligation, 0, no_cards(cards))
    g.top_category, g.top_power, g.top_pattern, g.top_seat = category, power, t.row_pattern[U(row)], seat
    after_cards(t, g, cards)
    is_last = t.last_holder == 0 and not hand
    if is_last:
        g.winner = seat
    _next_turn(t, g, t.auto_skip != 0 and not is_last and power >= t.unbeatable[U(category)])
    settle_end(t, g)


@kernel
def _next_turn(t: Tables, g: Any, ends_trick: Any) -> None:
    """The turn goes to the next seat that may act; when there is none but the top player, or so it is said, the trick ends.

    Then the table is cleared: hands are refilled, and the top player leads, or the next holder of cards.
    """
    players = np.int64(t.num_players)
    if not ends_trick:
        seat = np.int64(g.turn)
        for _ in range(players - 1):
            seat = seat + 1 if seat + 1 < players else np.int64(0)
            if seat == g.top_seat:
                break
            if get(g.hands, seat) and not (g.passed >> seat) & 1:
                g.turn = seat
                return
    winner = np.int64(g.top_seat if g.top_seat >= 0 else g.turn)
    refill(t, g, winner)
    leader = winner
    for _ in range(players):
        if get(g.hands, leader):
            break
        leader = leader + 1 if leader + 1 < players else np.int64(0)
    g.passed = close_trick(t, g, winner, leader)
    g.turn = leader
    g.top_category = g.top_power = g.top_pattern = -1
    put(g.top, 0, no_cards(get(g.top, 0)))


@kernel
def viewer(t: Tables, g: Any) -> Any:
    """The seat that looks at a game: the one to move; where the game is over, the one that acted last."""
    return g.turn if g.winner < 0 else g.actor
