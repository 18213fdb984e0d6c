"""Games as records, and how a deal or an act changes one. The same transitions as `climbing/position.py`."""

from __future__ import annotations

from typing import Any, Final

import numba as nb
import numpy as np

from big2_env.kernels.bits import U, below, lowest_bit, popcount, random_next
from big2_env.kernels.legal import cards_of, does_cover, legal_ids, power_of, row_of
from big2_env.kernels.sources import MARK
from big2_env.kernels.tables import MAX_ACTIONS, MAX_PLAYERS, SLACK, Tables

GAME: Final = np.dtype(
    [
        ("hands", np.uint64, MAX_PLAYERS),  # the cards held, by seat; all cards as masks of places in the ruleset's order
        ("played", np.uint64, MAX_PLAYERS),  # the cards played, by seat
        ("top", np.uint64),  # the top play, 0 when the seat to move leads
        ("obligation", np.uint64),  # the card that the first play must contain, 0 for none
        ("rng", np.uint64),  # state of the game's own stream
        ("turn", np.int32),  # the seat to move
        ("top_category", np.int32),  # of the top play, -1 when the seat to move leads
        ("top_power", np.int32),
        ("top_pattern", np.int32),
        ("top_seat", np.int32),  # who made the last actual play, -1 before the first
        ("passed", np.int32),  # the seats that have passed and are not asked again for now, as bits
        ("winner", np.int32),  # -1 while the game goes on
        ("steps", np.int32),  # acts so far
        (MARK, np.int64),
    ]
)
"""One game of the batch engine."""

SCRATCH: Final = np.dtype(
    [
        ("words", np.uint64, 64),  # an observation as bits
        ("ids", np.int32, MAX_ACTIONS + SLACK),  # a list of legal acts
        ("deck", np.int8, 52),
    ]
)
"""What one thread needs while it works on games, so that nothing is allocated in a loop."""


@nb.njit(cache=True)
def deal(t: Tables, g: Any, seed: Any, deck: Any) -> None:
    """Deal a game anew as `Game.deal(ruleset, seed)` does. `deck` is scratch, int8 (52,)."""
    for card in range(52):
        deck[card] = card
    state = U(seed)
    for last in range(51, 0, -1):
        state, number = random_next(state)
        other = below(number, last + 1)
        deck[last], deck[other] = deck[other], deck[last]
    players = t.num_players
    for seat in range(players):
        g.hands[seat] = g.played[seat] = U(0)
    g.top = U(0)
    # The last card is the top of the deck and goes to seat 0.
    card = 51
    for _ in range(t.hand_size):
        for seat in range(players):
            g.hands[seat] |= U(1) << U(t.place_of[deck[card]])
            card -= 1
    open_game(t, g)


@nb.njit(cache=True)
def open_game(t: Tables, g: Any) -> None:
    """Give the lead to the holder of the lowest card of a game, and make the first act where the engine makes it."""
    dealt = U(0)
    for seat in range(t.num_players):
        dealt |= g.hands[seat]
    lowest = dealt & (~dealt + U(1))
    for seat in range(t.num_players):
        if g.hands[seat] & lowest:
            g.turn = seat
    g.top_category = g.top_power = g.top_pattern = g.top_seat = -1
    g.passed = 0
    g.winner = -1
    g.steps = 0
    g.obligation = lowest if t.lead else U(0)
    if t.auto_lead:
        act(t, g, np.int64(t.size_offset[1]))  # the lowest card lies in the first place


@nb.njit(cache=True)
def is_legal(t: Tables, g: Any, action: Any) -> Any:
    """Whether a game may go on by an action; any int64 may be asked."""
    if action < 0 or action >= t.num_actions or g.winner >= 0:
        return False
    top_category = g.top_category
    if action == 0:
        return top_category >= 0
    mask = cards_of(t, action, g.hands[g.turn])
    if mask == U(0):
        return False
    row = row_of(t, mask)
    if row < 0:
        return False
    if top_category >= 0:
        return does_cover(t, t.row_category[row], power_of(t, row, mask), top_category, g.top_power)
    obligation = g.obligation
    return mask == obligation if t.lead == 2 and obligation != U(0) else mask & obligation == obligation


@nb.njit(cache=True)
def act(t: Tables, g: Any, action: Any) -> None:
    """Make a legal act in a game; nothing is checked."""
    put_down(t, g, cards_of(t, action, g.hands[g.turn]) if action else U(0))


@nb.njit(cache=True)
def put_down(t: Tables, g: Any, mask: Any) -> None:
    """`act` with the cards instead of the action, a mask of places; no cards are a pass."""
    seat = g.turn
    g.steps += 1
    if mask == U(0):
        g.passed |= 1 << seat
    else:
        row = row_of(t, mask)
        g.hands[seat] &= ~mask
        g.played[seat] |= mask
        g.top = mask
        g.obligation = U(0)
        g.top_category = t.row_category[row]
        g.top_power = power_of(t, row, mask)
        g.top_pattern = t.row_pattern[row]
        g.top_seat = seat
        if t.lock == 0:
            g.passed = 0
        if g.hands[seat] == U(0):
            g.winner = seat
    _next_turn(t, g)


@nb.njit(cache=True)
def _next_turn(t: Tables, g: Any) -> None:
    """The turn goes to the next seat that may act; when there is none but the top player, the table is cleared."""
    players = t.num_players
    seat = g.turn
    for _ in range(players - 1):
        seat = seat + 1 if seat + 1 < players else 0
        if seat == g.top_seat:
            break
        if g.hands[seat] != U(0) and not (g.passed >> seat) & 1:
            g.turn = seat
            return
    seat = g.top_seat
    for _ in range(players):
        if g.hands[seat] != U(0):
            break
        seat = seat + 1 if seat + 1 < players else 0
    g.turn = seat
    g.top_category = g.top_power = g.top_pattern = -1
    g.top = U(0)
    g.passed = 0


@nb.njit(cache=True)
def cost(t: Tables, hand: Any) -> Any:
    """What the cards left of a hand cost, float64."""
    total = t.penalty[popcount(hand)]
    dear = hand & t.dear_cards
    while dear:
        total += t.dear_penalty[lowest_bit(dear)]
        dear &= dear - U(1)
    return total


@nb.njit(cache=True)
def payoff(t: Tables, g: Any, seat: Any) -> Any:
    """What a seat of a game gets at the end, float64; 0 before it."""
    winner = g.winner
    if winner < 0:
        return 0.0
    if t.pairwise:
        total = -t.num_players * cost(t, g.hands[seat])
        for other in range(t.num_players):
            total += cost(t, g.hands[other])
        return total
    if seat != winner:
        return -cost(t, g.hands[seat])
    total = 0.0
    for other in range(t.num_players):
        if other != winner:
            total += cost(t, g.hands[other])
    return total


@nb.njit(cache=True)
def viewer(t: Tables, g: Any) -> Any:
    """The seat that looks at a game: the one to move; where the game is over, the one that acted last."""
    return g.turn if g.winner < 0 or g.winner >= t.num_players else g.winner


@nb.njit(cache=True)
def game_ids(t: Tables, g: Any, ids: Any) -> Any:
    """Write the legal ids of the seat to move into `ids`; return how many, 0 when the game is over."""
    if g.winner >= 0:
        return 0
    return legal_ids(t, g.hands[g.turn], g.top_category, g.top_power, g.obligation, ids)
