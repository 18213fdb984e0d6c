"""What only some games have: auctions, draw piles, locks for a round, stakes, captured cards. As in `climbing/position.py`.

Each function is compiled for games whose records have these parts. For all others it does nothing, and costs nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.dialect.bits import U, popcount
from big2_env.kernels.dialect.cardsets import card_at, get, no_cards, put, rank_cards
from big2_env.kernels.dialect.features import HAS_PARTS
from big2_env.kernels.dialect.kernel import kernel, when
from big2_env.kernels.tables import BID, CALL_ROB, CAPTURED, ORDER, ROUND_LOCK, TEAM, Tables


@when(HAS_PARTS, otherwise=False)
def is_bidding(t: Tables, g: Any) -> Any:
    """Whether an auction goes on."""
    return g.bidding != 0


@when(HAS_PARTS, otherwise=-1)
def landlord_of(g: Any) -> Any:
    """The seat that plays against the rest, -1 for none."""
    return np.int64(g.landlord)


@kernel
def _highest_said(g: Any) -> Any:
    highest = np.int64(0)
    for i in range(g.num_said):
        highest = max(highest, np.int64(g.said_value[U(i)]))
    return highest


@when(HAS_PARTS, otherwise=0)
def call_ids(t: Tables, g: Any, scratch: Any) -> Any:
    """Write the ids of what may be said in the auction into `scratch.ids`, no being the last; return how many."""
    highest, n = _highest_said(g), np.int64(0)
    if t.auction == BID:
        for value in range(highest, t.most_bid):
            scratch.ids[n] = t.first_call + value
            n += 1
    else:
        scratch.ids[0] = t.first_call + (1 if highest else 0)
        n = np.int64(1)
    scratch.ids[n] = 0
    return n + 1


@when(HAS_PARTS, otherwise=False)
def is_legal_call(t: Tables, g: Any, action: Any) -> Any:
    """Whether an action may be said in the auction that goes on."""
    which, highest = action - t.first_call, _highest_said(g)
    return action == 0 or (which >= 0 and (which == (highest > 0) if t.auction == CALL_ROB else which >= highest))


@when(HAS_PARTS)
def clear_parts(t: Tables, g: Any) -> None:
    """Begin a deal: nothing has been said, drawn, captured or multiplied."""
    empty = no_cards(get(g.top, 0))
    for seat in range(t.num_players):
        g.acted[U(seat)] = g.finished[U(seat)] = 0
        put(g.captured, seat, empty)
    for i in range(len(g.said_seat)):
        g.said_seat[i] = g.said_value[i] = 0
    put(g.lead_over, 0, empty)
    put(g.bottom, 0, empty)
    put(g.trick, 0, empty)
    g.stake = g.factor = 1
    g.lead_category = g.lead_power = g.lead_pattern = g.landlord = -1
    g.bidding = g.num_said = g.num_finished = g.num_pile = 0


@when(HAS_PARTS, otherwise=False)
def lay_aside(t: Tables, g: Any, deck: Any, rest: Any) -> Any:
    """Lay aside the cards left over from the deal, the lowest `rest` of the deck: for the landlord, or to draw.

    Returns whether an auction follows. Who decides first follows from the place of the lowest of these cards.
    """
    if t.auction:
        bottom = no_cards(get(g.top, 0))
        first, lowest = np.int64(0), np.int64(1 << 10)
        for i in range(rest):
            place = np.int64(t.place_of[deck[rest - 1 - i]])
            bottom |= card_at(bottom, place)
            if place < lowest:
                first, lowest = np.int64(i), place
        put(g.bottom, 0, bottom)
        g.turn, g.bidding = first % t.num_players, 1
        return True
    g.num_redeals = 0
    if t.refill:
        g.num_pile = rest
        for i in range(rest):
            g.pile[i] = t.place_of[deck[i]]
    return False


@when(HAS_PARTS)
def keep_redeals(t: Tables, g: Any, number: Any, deck: Any) -> None:
    """Keep a deck, card ids, for the deal so many deals from now; none where the number is 0."""
    g.num_redeals = max(np.int64(g.num_redeals), number)
    if number:
        for i in range(t.deck_size):
            g.redeals[U(number - 1), U(i)] = deck[U(i)]


@when(HAS_PARTS)
def forget_redeals(t: Tables, g: Any) -> None:
    """Before a deal: no further decks are known."""
    for number in range(g.num_redeals):
        for i in range(t.deck_size):
            g.redeals[U(number), U(i)] = 0
    g.num_redeals = 0


@when(HAS_PARTS, otherwise=False)
def decide(t: Tables, g: Any, action: Any, scratch: Any) -> Any:
    """The seat to move says something in the auction; returns whether the deck now in `scratch` is to be dealt instead."""
    players = t.num_players
    value = np.int64(0) if action == 0 else np.int64(1) if t.auction == CALL_ROB else np.int64(action - t.first_call + 1)
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
    stake, factor = np.int64(t.stake), np.int64(1)
    if t.auction == CALL_ROB:
        if said < players:
            g.turn = (first + said) % players
            return False
        if said == players and yes > 1:
            g.turn = first_yes
            return False
        for _ in range(yes - 1):
            factor *= t.rob_factor
    else:
        if said < players and value != t.most_bid:
            g.turn = (first + said) % players
            return False
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
            return True
        last_yes = first
    forget_redeals(t, g)
    g.bidding = 0
    g.turn = g.landlord = last_yes
    g.stake, g.factor = stake, factor
    put(g.hands, last_yes, get(g.hands, last_yes) | get(g.bottom, 0))
    return False


@when(HAS_PARTS)
def count_stakes(t: Tables, g: Any, row: Any, leads: Any) -> None:
    """Count a hand played by the seat to move, and what the play multiplies."""
    if t.auction:
        begun = False
        for other in range(t.num_players):
            begun = begun or g.acted[U(other)] > 0
        g.factor *= t.row_factor[U(row), U(1 if leads and begun else 0)]
        g.acted[U(g.turn)] += 1


@when(HAS_PARTS, otherwise=False)
def ends_round(t: Tables, g: Any, covers_lead: Any) -> Any:
    """Whether a lead lets those in again who had passed: with the lock for a round, one that does not cover the last trick."""
    return t.lock == ROUND_LOCK and not covers_lead


@when(HAS_PARTS, otherwise=-1)
def lead_category(g: Any) -> Any:
    """The category of what a lead has to cover to keep others out, -1 for none."""
    return np.int64(g.lead_category)


@when(HAS_PARTS, otherwise=-1)
def lead_power(g: Any) -> Any:
    """The power of what a lead has to cover to keep others out."""
    return np.int64(g.lead_power)


@kernel
def _draw(t: Tables, g: Any, first: Any, number: Any) -> None:
    """So many seats draw up to the hand size, in turn."""
    draws = True
    while draws and g.num_pile:
        draws = False
        for step in range(number):
            seat = (first + step) % t.num_players
            hand = get(g.hands, seat)
            wanted = t.hand_size - popcount(hand)
            drawn = min(min(wanted, 1) if t.one_each else wanted, np.int64(g.num_pile))
            for _ in range(drawn):
                g.num_pile -= 1
                hand |= card_at(hand, g.pile[g.num_pile])
                g.pile[g.num_pile] = 0
                draws = True
            put(g.hands, seat, hand)


@when(HAS_PARTS)
def after_cards(t: Tables, g: Any, cards: Any) -> None:
    """After cards are put down: they lie in the trick, the hand is filled up where the rules say so, its seat may be out."""
    seat = np.int64(g.turn)
    if t.settlement == CAPTURED:
        put(g.trick, 0, get(g.trick, 0) | cards)
    if g.num_pile and t.refill == 2:
        _draw(t, g, seat, np.int64(1))
    if g.num_pile == 0 and popcount(get(g.hands, seat)) == 0:
        g.finished[g.num_finished] = seat
        g.num_finished += 1


@when(HAS_PARTS)
def refill(t: Tables, g: Any, winner: Any) -> None:
    """A trick has ended: hands are filled up from the pile; who gets nothing more from it is out."""
    if g.num_pile == 0 or t.refill != 1:
        return
    _draw(t, g, winner, t.num_players)
    for step in range(t.num_players):
        seat = (winner + step) % t.num_players
        if g.num_pile == 0 and popcount(get(g.hands, seat)) == 0:
            is_out = False
            for i in range(g.num_finished):
                is_out = is_out or g.finished[i] == seat
            if not is_out:
                g.finished[g.num_finished] = seat
                g.num_finished += 1


@when(HAS_PARTS, otherwise=0)
def close_trick(t: Tables, g: Any, winner: Any, leader: Any) -> Any:
    """The trick goes to its winner; returns the seats that stay locked, as bits."""
    empty = no_cards(get(g.top, 0))
    put(g.captured, winner, get(g.captured, winner) | get(g.trick, 0))
    put(g.trick, 0, empty)
    if t.lock != ROUND_LOCK:
        return np.int64(0)
    put(g.lead_over, 0, get(g.top, 0))
    g.lead_category, g.lead_power, g.lead_pattern = g.top_category, g.top_power, g.top_pattern
    return np.int64(g.passed) & ~(1 << leader)


@when(HAS_PARTS)
def settle_end(t: Tables, g: Any) -> None:
    """Note that the game is over: a hand is empty, or nothing is left to draw and at most one seat holds cards."""
    if g.num_finished:
        holders = 0
        for seat in range(t.num_players):
            holders += popcount(get(g.hands, seat)) > 0
        if t.last_holder == 0 or (g.num_pile == 0 and holders <= 1):
            g.winner = g.finished[0]


@kernel
def _points(t: Tables, g: Any, seat: Any) -> Any:
    """The points of the tricks a seat has won, the last one included, float64."""
    cards, total = get(g.captured, seat), 0.0
    if seat == g.top_seat:
        cards |= get(g.trick, 0)
    for value in range(t.num_values):
        total += t.points[U(value)] * popcount(rank_cards(cards, value))
    return total


@when(HAS_PARTS, otherwise=0.0)
def part_payoff(t: Tables, g: Any, seat: Any) -> Any:
    """What a seat gets at the end by the settlements of stakes, captured points and finishing order, float64."""
    players, landlord = np.int64(t.num_players), np.int64(g.landlord)
    if t.settlement == TEAM:
        factor, others, has_won = g.factor, np.int64(0), g.winner == landlord
        for other in range(players):
            others += 0 if other == landlord else np.int64(g.acted[U(other)])
        if has_won:
            factor *= t.spring if others == 0 else 1
        else:
            factor *= t.anti_spring if g.acted[U(landlord)] == 1 else 1
        unit = np.float64(g.stake * factor)
        return (unit if has_won else -unit) * (players - 1 if seat == landlord else -1)
    if t.settlement == CAPTURED:
        total = 0.0
        for other in range(players):
            total += _points(t, g, other)
        return players * _points(t, g, seat) - total
    if t.settlement != ORDER:
        return 0.0
    last = np.int64(g.finished[g.num_finished - 1])
    for other in range(players - 1, -1, -1):
        is_out = False
        for i in range(g.num_finished):
            is_out = is_out or g.finished[i] == other
        if not is_out:
            last = np.int64(other)
    return 1.0 - players if seat == last else 1.0
