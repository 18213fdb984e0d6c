"""Rules that only some games have: auctions, draw piles, pass locks for a round, stakes, captured cards.

They follow `climbing/position.py`. Each function is compiled only for games whose records have these parts; for others it
does nothing and costs nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.dialect import HAS_EXTRAS
from big2_env.kernels.dialect.bits import U, popcount
from big2_env.kernels.dialect.cardsets import card_at, get, no_cards, put, rank_cards
from big2_env.kernels.dialect.kernel import kernel, specialized
from big2_env.kernels.tables import BID, CALL_ROB, CAPTURED, ORDER, ROUND_LOCK, TEAM, Tables


@specialized(HAS_EXTRAS, otherwise=False)
def is_bidding(tab: Tables, game: Any) -> Any:
    """Return whether an auction is running."""
    return game.bidding != 0


@specialized(HAS_EXTRAS, otherwise=-1)
def landlord_of(game: Any) -> Any:
    """Return the seat that plays against the others, -1 for none."""
    return np.int64(game.landlord)


@kernel
def _highest_said(game: Any) -> Any:
    highest = np.int64(0)
    for i in range(game.num_said):
        highest = max(highest, np.int64(game.said_value[U(i)]))
    return highest


@specialized(HAS_EXTRAS, otherwise=0)
def call_ids(tab: Tables, game: Any, ids: Any) -> Any:
    """Write the ids of the legal calls to `ids`, the refusal last; return their number."""
    highest, n = _highest_said(game), np.int64(0)
    if tab.auction == BID:
        for value in range(highest, tab.most_bid):
            ids[n] = tab.first_call + value
            n += 1
    else:
        ids[0] = tab.first_call + (1 if highest else 0)
        n = np.int64(1)
    ids[n] = 0
    return n + 1


@specialized(HAS_EXTRAS, otherwise=False)
def is_legal_call(tab: Tables, game: Any, action: Any) -> Any:
    """Return whether an action is a legal call in the running auction."""
    which, highest = action - tab.first_call, _highest_said(game)
    return action == 0 or (which >= 0 and (which == (highest > 0) if tab.auction == CALL_ROB else which >= highest))


@specialized(HAS_EXTRAS)
def clear_parts(tab: Tables, game: Any) -> None:
    """Reset the fields of `game` for a new deal: no calls, draws, captures or multipliers."""
    empty = no_cards(get(game.top, 0))
    for seat in range(tab.num_players):
        game.acted[U(seat)] = game.finished[U(seat)] = 0
        put(game.captured, seat, empty)
    for i in range(len(game.said_seat)):
        game.said_seat[i] = game.said_value[i] = 0
    put(game.lead_over, 0, empty)
    put(game.bottom, 0, empty)
    put(game.trick, 0, empty)
    game.stake = game.factor = 1
    game.lead_category = game.lead_power = game.lead_pattern = game.landlord = -1
    game.bidding = game.num_said = game.num_finished = game.num_pile = 0


@specialized(HAS_EXTRAS, otherwise=False)
def lay_aside(tab: Tables, game: Any, deck: Any, rest: Any) -> Any:
    """Set aside the `rest` lowest cards of the deck, for the landlord or as the draw pile.

    Returns whether an auction follows. The lowest of these cards determines who decides first.
    """
    if tab.auction:
        bottom = no_cards(get(game.top, 0))
        first, lowest = np.int64(0), np.int64(1 << 10)
        for i in range(rest):
            place = np.int64(tab.place_of[deck[rest - 1 - i]])
            bottom |= card_at(bottom, place)
            if place < lowest:
                first, lowest = np.int64(i), place
        put(game.bottom, 0, bottom)
        game.turn, game.bidding = first % tab.num_players, 1
        return True
    game.num_redeals = 0
    if tab.refill:
        game.num_pile = rest
        for i in range(rest):
            game.pile[i] = tab.place_of[deck[i]]
    return False


@specialized(HAS_EXTRAS)
def keep_redeals(tab: Tables, game: Any, number: Any, deck: Any) -> None:
    """Store a deck of card ids for the deal after `number` redeals; none if `number` is 0."""
    game.num_redeals = max(np.int64(game.num_redeals), number)
    if number:
        for i in range(tab.deck_size):
            game.redeals[U(number - 1), U(i)] = deck[U(i)]


@specialized(HAS_EXTRAS)
def forget_redeals(tab: Tables, game: Any) -> None:
    """Clear the stored decks before a deal."""
    for number in range(game.num_redeals):
        for i in range(tab.deck_size):
            game.redeals[U(number), U(i)] = 0
    game.num_redeals = 0


@specialized(HAS_EXTRAS, otherwise=False)
def decide(tab: Tables, game: Any, action: Any, deck: Any) -> Any:
    """Make a call for the seat to move. Return whether cards must be dealt again, from the deck now in `deck`."""
    players = tab.num_players
    value = np.int64(0) if action == 0 else np.int64(1) if tab.auction == CALL_ROB else np.int64(action - tab.first_call + 1)
    game.said_seat[game.num_said], game.said_value[game.num_said] = game.turn, value
    game.num_said += 1
    first, said = np.int64(game.said_seat[0]), np.int64(game.num_said)
    yes, first_yes, last_yes, last_value = np.int64(0), np.int64(-1), np.int64(-1), np.int64(0)
    for i in range(said):
        if game.said_value[i]:
            yes += 1
            last_yes, last_value = np.int64(game.said_seat[i]), np.int64(game.said_value[i])
            if first_yes < 0:
                first_yes = last_yes
    stake, factor = np.int64(tab.stake), np.int64(1)
    if tab.auction == CALL_ROB:
        if said < players:
            game.turn = (first + said) % players
            return False
        if said == players and yes > 1:
            game.turn = first_yes
            return False
        for _ in range(yes - 1):
            factor *= tab.rob_factor
    else:
        if said < players and value != tab.most_bid:
            game.turn = (first + said) % players
            return False
        if yes:
            stake = last_value
    if yes == 0:
        if game.num_redeals:
            game.num_redeals -= 1
            for i in range(tab.deck_size):
                deck[i] = game.redeals[0, i]
                for number in range(game.num_redeals):
                    game.redeals[number, i] = game.redeals[number + 1, i]
                game.redeals[game.num_redeals, i] = 0
            return True
        last_yes = first
    forget_redeals(tab, game)
    game.bidding = 0
    game.turn = game.landlord = last_yes
    game.stake, game.factor = stake, factor
    put(game.hands, last_yes, get(game.hands, last_yes) | get(game.bottom, 0))
    return False


@specialized(HAS_EXTRAS, otherwise=1)
def stake_factor(tab: Tables, game: Any, row: Any, leads: Any) -> Any:
    """Return by what a play of the seat to move multiplies the stake."""
    if not tab.auction:
        return 1
    begun = False
    for other in range(tab.num_players):
        begun = begun or game.acted[U(other)] > 0
    return tab.row_factor[U(row), U(1 if leads and begun else 0)]


@specialized(HAS_EXTRAS)
def count_stakes(tab: Tables, game: Any, row: Any, leads: Any) -> None:
    """Count a hand played by the seat to move, and multiply the stake by the play's factor."""
    if tab.auction:
        game.factor *= stake_factor(tab, game, row, leads)
        game.acted[U(game.turn)] += 1


@specialized(HAS_EXTRAS, otherwise=False)
def ends_round(tab: Tables, game: Any, beats_lead: Any) -> Any:
    """Return whether a lead readmits seats that passed: with a round lock, a lead that does not beat the last trick."""
    return tab.lock == ROUND_LOCK and not beats_lead


@specialized(HAS_EXTRAS, otherwise=-1)
def lead_category(game: Any) -> Any:
    """Return the category that a lead must beat to keep others out, -1 for none."""
    return np.int64(game.lead_category)


@specialized(HAS_EXTRAS, otherwise=-1)
def lead_power(game: Any) -> Any:
    """Return the power that a lead must beat to keep others out."""
    return np.int64(game.lead_power)


@kernel
def _draw(tab: Tables, game: Any, first: Any, number: Any) -> None:
    """Let `number` seats in turn draw up to the hand size."""
    draws = True
    while draws and game.num_pile:
        draws = False
        for step in range(number):
            seat = (first + step) % tab.num_players
            hand = get(game.hands, seat)
            wanted = tab.hand_size - popcount(hand)
            drawn = min(min(wanted, 1) if tab.one_each else wanted, np.int64(game.num_pile))
            for _ in range(drawn):
                game.num_pile -= 1
                hand |= card_at(hand, game.pile[game.num_pile])
                game.pile[game.num_pile] = 0
                draws = True
            put(game.hands, seat, hand)


@specialized(HAS_EXTRAS)
def after_cards(tab: Tables, game: Any, cards: Any) -> None:
    """Update `game` after a play: add the cards to the trick, refill the hand if required, note a seat that is out."""
    seat = np.int64(game.turn)
    if tab.settlement == CAPTURED:
        put(game.trick, 0, get(game.trick, 0) | cards)
    if game.num_pile and tab.refill == 2:
        _draw(tab, game, seat, np.int64(1))
    if game.num_pile == 0 and popcount(get(game.hands, seat)) == 0:
        game.finished[game.num_finished] = seat
        game.num_finished += 1


@specialized(HAS_EXTRAS)
def refill(tab: Tables, game: Any, winner: Any) -> None:
    """Refill hands from the pile after a trick, and note seats that are out because they receive no cards."""
    if game.num_pile == 0 or tab.refill != 1:
        return
    _draw(tab, game, winner, tab.num_players)
    for step in range(tab.num_players):
        seat = (winner + step) % tab.num_players
        if game.num_pile == 0 and popcount(get(game.hands, seat)) == 0:
            is_out = False
            for i in range(game.num_finished):
                is_out = is_out or game.finished[i] == seat
            if not is_out:
                game.finished[game.num_finished] = seat
                game.num_finished += 1


@specialized(HAS_EXTRAS, otherwise=0)
def close_trick(tab: Tables, game: Any, winner: Any, leader: Any) -> Any:
    """Give the trick to its winner; return the seats that stay locked, as bits."""
    empty = no_cards(get(game.top, 0))
    put(game.captured, winner, get(game.captured, winner) | get(game.trick, 0))
    put(game.trick, 0, empty)
    if tab.lock != ROUND_LOCK:
        return np.int64(0)
    put(game.lead_over, 0, get(game.top, 0))
    game.lead_category, game.lead_power, game.lead_pattern = game.top_category, game.top_power, game.top_pattern
    return np.int64(game.passed) & ~(1 << leader)


@specialized(HAS_EXTRAS)
def settle_end(tab: Tables, game: Any) -> None:
    """Set the winner if the game is over: a hand is empty, or nothing is left to draw and at most one seat holds cards."""
    if game.num_finished:
        holders = 0
        for seat in range(tab.num_players):
            holders += popcount(get(game.hands, seat)) > 0
        if tab.last_holder == 0 or (game.num_pile == 0 and holders <= 1):
            game.winner = game.finished[0]


@kernel
def points_of(tab: Tables, cards: Any) -> Any:
    """Return the points of some cards, if the settlement counts points of tricks, float64."""
    total = 0.0
    for value in range(tab.num_values):
        total += tab.points[U(value)] * popcount(rank_cards(cards, value))
    return total


@kernel
def _points(tab: Tables, game: Any, seat: Any) -> Any:
    """Return the points of the tricks a seat has won, including the last one, float64."""
    cards = get(game.captured, seat)
    if seat == game.top_seat:
        cards |= get(game.trick, 0)
    return points_of(tab, cards)


@specialized(HAS_EXTRAS, otherwise=0.0)
def part_payoff(tab: Tables, game: Any, seat: Any) -> Any:
    """Return a seat's payoff for stakes, captured points or finishing order, float64."""
    players, landlord = np.int64(tab.num_players), np.int64(game.landlord)
    if tab.settlement == TEAM:
        factor, others, has_won = game.factor, np.int64(0), game.winner == landlord
        for other in range(players):
            others += 0 if other == landlord else np.int64(game.acted[U(other)])
        if has_won:
            factor *= tab.spring if others == 0 else 1
        else:
            factor *= tab.anti_spring if game.acted[U(landlord)] == 1 else 1
        unit = np.float64(game.stake * factor)
        return (unit if has_won else -unit) * (players - 1 if seat == landlord else -1)
    if tab.settlement == CAPTURED:
        total = 0.0
        for other in range(players):
            total += _points(tab, game, other)
        return players * _points(tab, game, seat) - total
    if tab.settlement != ORDER:
        return 0.0
    last = np.int64(game.finished[game.num_finished - 1])
    for other in range(players - 1, -1, -1):
        is_out = False
        for i in range(game.num_finished):
            is_out = is_out or game.finished[i] == other
        if not is_out:
            last = np.int64(other)
    return 1.0 - players if seat == last else 1.0
