"""Kernels for deals and moves; same transitions as `big2_env.games.uno.game`."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.games.uno.kernels.dtypes import (
    BLANK,
    BYTE,
    CARDS,
    DECK,
    DRAW,
    EXHAUSTED,
    KEEP,
    LANES,
    ONE,
    OUT,
    RUNNING,
    WILD,
)
from big2_env.games.uno.kernels.hands import code_acts, hand_word, of_card, oldest, playable, score
from big2_env.games.uno.kernels.pile import give_top, new_age, note_played, reshuffle, take, turn_up
from big2_env.games.uno.rules import HAND_SIZE, MAX_TURNS
from big2_env.kernels.dialect.bits import U, random_next
from big2_env.kernels.dialect.kernel import kernel


@kernel(entry=True)
def clear(r: Any, g: Any) -> None:
    """Reset a game to a full pile and empty hands; `deck`, `shuffle` and `settled` are kept."""
    for seat in range(r.players):
        s = g.seats[seat]
        s.low = s.high = s.word = s.twice = U(0)
        s.held = s.plain = s.fours = 0
    g.played[0] = g.played[1] = U(0)
    g.wilds[0] = g.wilds[1] = 0
    g.left = CARDS
    g.taken = g.naming = g.turns = g.turn = 0
    g.ended = RUNNING
    g.direction = 1
    g.drawn = g.winner = -1


@kernel(entry=True)
def deal(r: Any, g: Any, seed: Any) -> None:
    """Deal a game, with the same result as `UnoGame.deal(rules, seed)`."""
    seed = U(seed)
    while True:
        for place in range(CARDS):
            g.deck[place] = DECK[place]
        g.shuffle = seed
        g.settled = CARDS
        if begin(r, g):
            return
        _, seed = random_next(seed)


@kernel(entry=True)
def begin(r: Any, g: Any) -> Any:
    """Deal the hands from the pile and turn up the first card. Return False if no remaining card may be turned up."""
    clear(r, g)
    players = r.players
    for _ in range(HAND_SIZE):
        for seat in range(players):
            give_top(g, seat)
    for seat in range(players):
        g.seats[seat].held = HAND_SIZE
        g.seats[seat].fresh = LANES * U(0x7F)
    code = turn_up(r, g)
    if code < 0:
        return False
    new_age(g, code)
    note_played(g, code)
    face = code & 15
    g.colour, g.face = code >> 4, face
    if face == WILD:
        g.naming = 0 if r.blank_is_any else 1
    else:
        turned, drawn, misses = effect_of(r, face, HAND_SIZE)
        take(g, 0, drawn)
        if misses:
            g.turn = 1
        elif turned:
            g.direction = -1
            g.turn = players - 1
    check_pile(r, g)
    return True


@kernel(inline=True)
def effect_of(r: Any, face: Any, left: Any) -> Any:
    """Return the effect of a played card.

    `left` is the number of cards left in the hand. The result has three parts: True if the direction turns, the number of cards
    that the next seat draws, and True if that seat loses its turn.
    """
    turned, drawn, misses = False, np.int64(0), False
    if face > 9 and r.effects != 2 and (left > 0 or r.last_card_acts):
        if face == 11:
            turned, misses = True, r.players == 2 and not r.pure_direction
        elif face == 10:
            misses = True
        elif face != WILD:
            drawn, misses = np.int64(2 if face == 12 else 4), r.effects == 0
    return turned, drawn, misses


@kernel(entry=True)
def after(r: Any, seat: Any, direction: Any) -> Any:
    """Return the next seat in a direction of play."""
    seat = np.int64(seat) + direction
    return seat - r.players if seat >= r.players else seat + r.players if seat < 0 else seat


@kernel(entry=True)
def check_pile(r: Any, g: Any) -> None:
    """Handle an empty pile at the start of a turn: end the game, or reuse the played cards."""
    if g.left == 0 and r.empty_pile == 1:
        reshuffle(r, g)
    if (g.left == 0 and g.ended == RUNNING) or g.turns >= MAX_TURNS:
        finish(r, g, EXHAUSTED)


@kernel(entry=True)
def finish(r: Any, g: Any, how: Any) -> None:
    """End a game."""
    g.ended = how
    g.drawn = -1
    g.naming = 0
    best = np.int64(1 << 30)
    for seat in range(r.players):
        points = score(g, seat)
        if points < best:
            best = points
            g.winner = seat


@kernel(inline=True)
def put_card(r: Any, g: Any, age: Any, code: Any, colour: Any) -> None:
    """Play a card of the seat to move, given by age and code; `colour` is the color that a wild card names."""
    seat = np.int64(g.turn)
    s = g.seats[U(seat)]
    face, own = code & 15, code >> 4
    bit, is_low = ONE << U(age & 63), U(age < 64)
    s.low &= ~(bit * is_low)
    s.high &= ~(bit * (ONE - is_low))
    note_played(g, code)
    left: Any = np.int64(s.held) - 1
    s.held = left
    if own < BLANK:
        bit = ONE << U(code - own)
        again = s.twice & bit
        s.twice ^= again
        s.word &= ~bit | again
    elif face == WILD:
        s.plain -= 1
    else:
        s.fours -= 1
    lane = BYTE << U(8 * own)
    fresh = s.fresh
    fresh = (fresh & ~lane) | ((fresh & lane) >> ONE) & lane
    s.fresh = fresh & (LANES * ((ONE << U(min(left, 8))) - ONE))
    g.face = face
    g.colour = own if own < BLANK else BLANK if r.blank_is_any else colour
    g.drawn = -1
    turned, drawn, misses = effect_of(r, face, left)
    if turned:
        g.direction = -g.direction
    following = after(r, seat, g.direction)
    if drawn > 0:
        take(g, following, drawn)
    g.turns += 1
    g.turn = after(r, following, g.direction) if misses else following
    if left == 0:
        finish(r, g, OUT)
    else:
        check_pile(r, g)


@kernel(inline=True)
def end_turn(r: Any, g: Any) -> None:
    """End the turn of a seat that has not played."""
    g.drawn = -1
    g.turns += 1
    g.turn = after(r, g.turn, g.direction)
    check_pile(r, g)


@kernel(inline=True)
def draw(r: Any, g: Any) -> None:
    """Draw a card; the turn ends unless the card may be played."""
    seat, colour = np.int64(g.turn), np.int64(g.colour)
    take(g, seat, 1)
    s = g.seats[U(seat)]
    lanes = (BYTE << U(32)) | (LANES * BYTE if colour == BLANK else BYTE << U(8 * colour))
    s.fresh = (s.fresh & ~lanes) | (LANES & lanes)
    age = np.int64(g.taken) - 1
    if r.pile_test == 1 and g.left == 0 and r.empty_pile == 0:
        g.turns += 1
        finish(r, g, EXHAUSTED)
    elif r.play_drawn and playable(r, hand_word(g, seat), colour, np.int64(g.face)) & code_acts(np.int64(g.codes[U(age)])) != U(
        0
    ):
        g.drawn = age
    else:
        end_turn(r, g)


@kernel(inline=True)
def name_colour(g: Any, colour: Any) -> None:
    """Name the color of the wild card turned up."""
    g.naming = 0
    g.colour = colour


@kernel(entry=True)
def make_act(r: Any, g: Any, act: Any) -> None:
    """Make a move without checking that it is legal."""
    if g.naming:
        name_colour(g, act // 15)
    elif act == DRAW:
        draw(r, g)
    elif act == KEEP:
        end_turn(r, g)
    else:
        colour = act // 15
        face, age = act - colour * 15, np.int64(g.drawn)
        code = face + ((BLANK if face >= WILD else colour) << 4)
        if age < 0:
            s, (low, high) = g.seats[U(g.turn)], of_card(g, code)
            age = oldest(low & s.low, high & s.high)
        put_card(r, g, age, code, colour)


@kernel(entry=True)
def write_payoffs(r: Any, g: Any, row: Any) -> None:
    """Write the payoff of each seat at the end of a game, float32 (players,) or longer."""
    players, lowest, winners, total = r.players, np.int64(1 << 30), np.int64(0), np.int64(0)
    for seat in range(players):
        points = score(g, seat)
        row[seat] = points
        total += points
        if points < lowest:
            lowest, winners = points, np.int64(0)
        winners += points == lowest
    if r.ties:
        winners = np.int64(1)
    for seat in range(players):
        won = seat == g.winner if r.ties else row[seat] == lowest
        if r.points:
            pot = total - lowest * players
            row[seat] = pot / winners if won else lowest - row[seat]
        else:
            row[seat] = (players - winners) / ((players - 1) * winners) if won else -1.0 / (players - 1)
