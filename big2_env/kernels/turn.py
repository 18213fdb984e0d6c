"""Effects of deals and actions on a game, and payoffs at its end.

Transitions follow `climbing/position.py`, settlements follow `climbing/settlement.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.dialect import BY_SLOTS
from big2_env.kernels.dialect.bits import U, lowest_bit, popcount, random_next, shuffle
from big2_env.kernels.dialect.cardsets import card_at, get, lowest_card, no_cards, put, shift_of, unary, without_lowest
from big2_env.kernels.dialect.kernel import kernel, specialized
from big2_env.kernels.legal import does_beat, power_of, read_action
from big2_env.kernels.optional_extras import (
    after_cards,
    clear_parts,
    close_trick,
    count_stakes,
    decide,
    ends_round,
    forget_redeals,
    is_bidding,
    keep_redeals,
    landlord_of,
    lay_aside,
    lead_category,
    lead_power,
    part_payoff,
    refill,
    settle_end,
)
from big2_env.kernels.tables import ANY, EXACTLY, NO_LOCK, PAIRWISE, PENALTY, SAME, Tables


@kernel
def _shuffle(tab: Tables, seed: Any, deck: Any) -> None:
    """Write the deck shuffled by the stream of a seed to `deck`: card ids from bottom to top, uint8."""
    size = tab.deck_size
    for i in range(size):
        deck[U(i)] = tab.deck_cards[U(i)]
    shuffle(deck, size, U(seed))


@kernel
def _deal(tab: Tables, game: Any, deck: Any) -> None:
    """Deal a deck, card ids from bottom to top, uint8; its last card goes to seat 0."""
    players, empty = np.int64(tab.num_players), no_cards(get(game.top, 0))
    for seat in range(players):
        put(game.hands, seat, empty)
        put(game.played, seat, empty)
    put(game.top, 0, empty)
    put(game.obligation, 0, empty)
    game.top_category = game.top_power = game.top_pattern = game.top_seat = game.winner = game.actor = -1
    game.passed, game.players, game.last_factor = 0, players, 1
    clear_parts(tab, game)
    card = tab.deck_size - 1
    for _ in range(tab.hand_size):
        for seat in range(players):
            put(game.hands, seat, get(game.hands, seat) | card_at(empty, tab.place_of[deck[U(card)]]))
            card -= 1
    if lay_aside(tab, game, deck, card + 1):
        return
    _open(tab, game)
    if tab.rest_to_lowest:
        hand = get(game.hands, game.turn)
        for i in range(card + 1):
            hand |= card_at(empty, tab.place_of[deck[U(i)]])
        put(game.hands, game.turn, hand)
        _open(tab, game)


@kernel
def _open(tab: Tables, game: Any) -> None:
    """Give the lead to the holder of the lowest card."""
    dealt = get(game.hands, 0)
    for seat in range(1, tab.num_players):
        dealt |= get(game.hands, seat)
    lowest = lowest_card(dealt)
    for seat in range(tab.num_players):
        if get(game.hands, seat) & lowest:
            game.turn = seat
    if tab.lead:
        put(game.obligation, 0, lowest)


@kernel
def deal(tab: Tables, game: Any, seed: Any, scratch: Any) -> None:
    """Deal a game as `Game.deal(ruleset, seed)` does, including a forced first play.

    Reads `tab`, writes `game`, uses `scratch.deck`.
    """
    game.steps = 0
    forget_redeals(tab, game)
    _, start = random_next(U(seed))
    for number in range(tab.deals - 1, -1, -1):
        _, step = random_next(U(number))
        _, derived = random_next(start ^ step)
        _shuffle(tab, derived if number else U(seed), scratch.deck)
        keep_redeals(tab, game, np.int64(number), scratch.deck)
    _deal(tab, game, scratch.deck)
    watch_last_card(tab, game)
    if tab.auto_lead:
        card = get(game.obligation, 0)
        make(tab, game, np.int64(1), card, np.int64(tab.single_row[U(lowest_bit(card) >> shift_of(card))]), scratch.deck)


@kernel
def make(tab: Tables, game: Any, action: Any, cards: Any, row: Any, deck: Any) -> None:
    """Make a legal move whose cards and row came from `check_action`. Nothing is checked. `deck` is memory of the thread."""
    game.steps += 1
    actor = game.turn
    if is_bidding(tab, game):
        if decide(tab, game, action, deck):
            _deal(tab, game, deck)
    elif row < 0:
        game.passed |= 1 << game.turn
        _next_turn(tab, game, False)
    else:
        _put_down(tab, game, cards, row)
    watch_last_card(tab, game)
    game.actor = actor


@kernel(inline=True)
def watch_last_card(tab: Tables, game: Any) -> None:
    """Note whether a single of the seat to move must be its highest: the next seat in the trick holds one card."""
    if tab.last_card:
        game.highest_single = 0
        players, gone = np.int64(tab.num_players), np.int64(0) if tab.lock == NO_LOCK else np.int64(game.passed)
        seat = np.int64(game.turn)
        for _ in range(players - 1):
            seat = seat + 1 if seat + 1 < players else np.int64(0)
            held = popcount(get(game.hands, seat))
            if held and not gone >> seat & 1:
                game.highest_single = 1 if held == 1 else 0
                break


@kernel(inline=True)
def make_move(tab: Tables, game: Any, action: Any, scratch: Any) -> None:
    """Make the legal move of an action id. Nothing is checked."""
    cards, row = no_cards(get(game.top, 0)), np.int64(-1)
    if action and not is_bidding(tab, game):
        cards, row = read_action(tab, game, action)
    make(tab, game, action, cards, row, scratch.deck)


@kernel
def _put_down(tab: Tables, game: Any, cards: Any, row: Any) -> None:
    """Play cards that make a row, for the seat to move."""
    seat, category, power = np.int64(game.turn), np.int64(tab.row_category[U(row)]), power_of(tab, row, cards)
    leads = game.top_category < 0
    count_stakes(tab, game, row, leads)
    beaten = lead_category(game)
    beats_lead = not leads or (beaten >= 0 and does_beat(tab, category, power, beaten, lead_power(game)))
    if tab.lock == NO_LOCK or ends_round(tab, game, beats_lead):
        game.passed = 0
    hand = get(game.hands, seat) & ~cards
    put(game.hands, seat, hand)
    put(game.played, seat, get(game.played, seat) | cards)
    put(game.top, 0, cards)
    put(game.obligation, 0, no_cards(cards))
    game.top_category, game.top_power, game.top_pattern, game.top_seat = category, power, tab.row_pattern[U(row)], seat
    after_cards(tab, game, cards)
    is_last = tab.last_holder == 0 and not hand
    if is_last:
        game.winner = seat
    is_final = tab.top_final != 0 and cards == get(tab.highest, 0)
    skips = is_final or (tab.auto_skip != 0 and power >= tab.unbeatable[U(category)])
    _next_turn(tab, game, skips and not is_last)
    if is_last:  # the last play stays on the table
        put(game.top, 0, cards)
        game.top_category, game.top_power, game.top_pattern = category, power, tab.row_pattern[U(row)]
        game.last_factor = tab.row_last[U(row)]
    settle_end(tab, game)


@kernel
def _next_turn(tab: Tables, game: Any, ends_trick: Any) -> None:
    """Pass the turn to the next seat that can move. If only the top player is left, or `ends_trick` is set, end the trick.

    Ending a trick clears the table and refills hands. The top player leads, or the next seat with cards.
    """
    players = np.int64(tab.num_players)
    if not ends_trick:
        seat = np.int64(game.turn)
        for _ in range(players - 1):
            seat = seat + 1 if seat + 1 < players else np.int64(0)
            if seat == game.top_seat:
                break
            if get(game.hands, seat) and not (game.passed >> seat) & 1:
                game.turn = seat
                return
    winner = np.int64(game.top_seat if game.top_seat >= 0 else game.turn)
    refill(tab, game, winner)
    leader = winner
    for _ in range(players):
        if get(game.hands, leader):
            break
        leader = leader + 1 if leader + 1 < players else np.int64(0)
    game.passed = close_trick(tab, game, winner, leader)
    game.turn = leader
    game.top_category = game.top_power = game.top_pattern = -1
    put(game.top, 0, no_cards(get(game.top, 0)))


@kernel(inline=True)
def viewer(tab: Tables, game: Any) -> Any:
    """Return the seat whose view is shown: the seat to move, or after the end the seat that moved last."""
    return game.turn if game.winner < 0 else game.actor


@kernel
def _owed(tab: Tables, several: Any, hand: Any) -> Any:
    """Return the penalty for the cards left in a hand, float64. `several` is 1 if several seats win, else 0."""
    held = popcount(hand)
    total = tab.penalty[several, held]
    dear = hand & get(tab.dear_cards, 0)
    while dear:
        total += tab.dear_penalty[lowest_bit(dear)]
        dear = without_lowest(dear)
    total *= tab.penalty_factor[held]
    return total * _times(tab, hand) if tab.num_lots else total


@kernel
def _times(tab: Tables, hand: Any) -> Any:
    """Return what the doublings by cards left multiply a payment by."""
    times, settled, counts = np.int64(1), np.int64(-1), unary(hand)
    for i in range(tab.num_lots):
        if tab.lot_doubling[i] != settled and _holds_lot(tab, np.int64(i), hand, counts):
            times *= tab.lot_factor[i]
            settled = np.int64(tab.lot_doubling[i])
    return times


@kernel
def _holds_lot(tab: Tables, i: Any, hand: Any, counts: Any) -> Any:
    """Return whether a hand, also given by rank in unary, holds the cards of a lot."""
    need, suits = get(tab.lot_need, i), tab.lot_suits[i]
    if suits == EXACTLY:
        return not need & ~hand
    return not need & ~counts and (suits == ANY or _suits_fit(tab, need, hand, suits))


@specialized(BY_SLOTS, otherwise=True)
def _suits_fit(tab: Tables, need: Any, hand: Any, suits: Any) -> Any:
    """Return whether a hand has one card of each rank in one suit, or if `suits` is MIXED in several."""
    held = hand & need * U(15)
    for suit in range(4):
        one_suit = need << U(suit)
        if suits == SAME and one_suit & ~hand == U(0):
            return True
        if suits != SAME and held & ~one_suit == U(0):
            return False
    return suits != SAME


@kernel(inline=True)
def hand_cost(tab: Tables, hand: Any) -> Any:
    """Return the penalty for the cards left in a hand, float64; 0 for an empty hand."""
    return _owed(tab, 0, hand) if hand else 0.0


@kernel
def payoff(tab: Tables, game: Any, seat: Any) -> Any:
    """Return a seat's payoff, float64; 0 before the end."""
    winner, players, total = np.int64(game.winner), np.int64(tab.num_players), 0.0
    if winner < 0:
        return 0.0
    if tab.settlement == PAIRWISE:
        for other in range(players):
            total += hand_cost(tab, get(game.hands, other))
        return total - players * hand_cost(tab, get(game.hands, seat))
    if tab.settlement != PENALTY:
        return part_payoff(tab, game, seat)
    times = np.float64(game.last_factor)
    landlord = np.int64(landlord_of(game))
    if landlord < 0 or winner == landlord:  # the winner plays alone
        if seat != winner:
            return 0.0 - _owed(tab, 0, get(game.hands, seat)) * times
        for other in range(players):
            if other != winner:
                total += _owed(tab, 0, get(game.hands, other)) * times
        return total
    if seat == landlord:
        return 0.0 - _owed(tab, 1, get(game.hands, seat)) * times
    return _owed(tab, 1, get(game.hands, landlord)) * times / (players - 1)
