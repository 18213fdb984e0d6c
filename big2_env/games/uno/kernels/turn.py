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
from big2_env.games.uno.kernels.hands import code_moves, hand_word, of_card, oldest, playable, score
from big2_env.games.uno.kernels.pile import give_top, new_age, note_played, reshuffle, take, turn_up
from big2_env.games.uno.rules import HAND_SIZE, MAX_TURNS
from big2_env.kernels.dialect.bits import U, random_next
from big2_env.kernels.dialect.kernel import kernel


@kernel(entry=True)
def clear(rules: Any, game: Any) -> None:
    """Reset a game to a full pile and empty hands; `deck`, `shuffle` and `settled` are kept."""
    for seat in range(rules.players):
        hand = game.seats[seat]
        hand.low = hand.high = hand.word = hand.twice = U(0)
        hand.held = hand.plain = hand.fours = 0
    game.played[0] = game.played[1] = U(0)
    game.wilds[0] = game.wilds[1] = 0
    game.left = CARDS
    game.taken = game.naming = game.turns = game.turn = 0
    game.ended = RUNNING
    game.direction = 1
    game.drawn = game.winner = -1


@kernel(entry=True)
def deal(rules: Any, game: Any, seed: Any) -> None:
    """Deal a game, with the same result as `UnoGame.deal(rules, seed)`."""
    seed = U(seed)
    while True:
        for place in range(CARDS):
            game.deck[place] = DECK[place]
        game.shuffle = seed
        game.settled = CARDS
        if begin(rules, game):
            return
        _, seed = random_next(seed)


@kernel(entry=True)
def begin(rules: Any, game: Any) -> Any:
    """Deal the hands from the pile and turn up the first card. Return False if no remaining card may be turned up."""
    clear(rules, game)
    players = rules.players
    for _ in range(HAND_SIZE):
        for seat in range(players):
            give_top(game, seat)
    for seat in range(players):
        game.seats[seat].held = HAND_SIZE
        game.seats[seat].fresh = LANES * U(0x7F)
    code = turn_up(rules, game)
    if code < 0:
        return False
    new_age(game, code)
    note_played(game, code)
    face = code & 15
    game.colour, game.face = code >> 4, face
    if face == WILD:
        game.naming = 0 if rules.blank_is_any else 1
    else:
        turned, drawn, misses = effect_of(rules, face, HAND_SIZE)
        take(game, 0, drawn)
        if misses:
            game.turn = 1
        elif turned:
            game.direction = -1
            game.turn = players - 1
    check_pile(rules, game)
    return True


@kernel(inline=True)
def effect_of(rules: Any, face: Any, left: Any) -> Any:
    """Return the effect of a played card.

    `left` is the number of cards left in the hand. The result has three parts: True if the direction turns, the number of cards
    that the next seat draws, and True if that seat loses its turn.
    """
    turned, drawn, misses = False, np.int64(0), False
    if face > 9 and rules.effects != 2 and (left > 0 or rules.last_card_acts):
        if face == 11:
            turned, misses = True, rules.players == 2 and not rules.pure_direction
        elif face == 10:
            misses = True
        elif face != WILD:
            drawn, misses = np.int64(2 if face == 12 else 4), rules.effects == 0
    return turned, drawn, misses


@kernel(entry=True)
def after(rules: Any, seat: Any, direction: Any) -> Any:
    """Return the next seat in a direction of play."""
    seat = np.int64(seat) + direction
    return seat - rules.players if seat >= rules.players else seat + rules.players if seat < 0 else seat


@kernel(entry=True)
def check_pile(rules: Any, game: Any) -> None:
    """Handle an empty pile at the start of a turn: end the game, or reuse the played cards."""
    if game.left == 0 and rules.empty_pile == 1:
        reshuffle(rules, game)
    if (game.left == 0 and game.ended == RUNNING) or game.turns >= MAX_TURNS:
        finish(rules, game, EXHAUSTED)


@kernel(entry=True)
def finish(rules: Any, game: Any, how: Any) -> None:
    """End a game."""
    game.ended = how
    game.drawn = -1
    game.naming = 0
    best = np.int64(1 << 30)
    for seat in range(rules.players):
        points = score(game, seat)
        if points < best:
            best = points
            game.winner = seat


@kernel(inline=True)
def put_card(rules: Any, game: Any, age: Any, code: Any, colour: Any) -> None:
    """Play a card of the seat to move, given by age and code; `colour` is the color that a wild card names."""
    seat = np.int64(game.turn)
    s = game.seats[U(seat)]
    face, own = code & 15, code >> 4
    bit, is_low = ONE << U(age & 63), U(age < 64)
    s.low &= ~(bit * is_low)
    s.high &= ~(bit * (ONE - is_low))
    note_played(game, code)
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
    game.face = face
    game.colour = own if own < BLANK else BLANK if rules.blank_is_any else colour
    game.drawn = -1
    turned, drawn, misses = effect_of(rules, face, left)
    if turned:
        game.direction = -game.direction
    following = after(rules, seat, game.direction)
    if drawn > 0:
        take(game, following, drawn)
    game.turns += 1
    game.turn = after(rules, following, game.direction) if misses else following
    if left == 0:
        finish(rules, game, OUT)
    else:
        check_pile(rules, game)


@kernel(inline=True)
def end_turn(rules: Any, game: Any) -> None:
    """End the turn of a seat that has not played."""
    game.drawn = -1
    game.turns += 1
    game.turn = after(rules, game.turn, game.direction)
    check_pile(rules, game)


@kernel(inline=True)
def draw(rules: Any, game: Any) -> None:
    """Draw a card; the turn ends unless the card may be played."""
    seat, colour = np.int64(game.turn), np.int64(game.colour)
    take(game, seat, 1)
    s = game.seats[U(seat)]
    lanes = (BYTE << U(32)) | (LANES * BYTE if colour == BLANK else BYTE << U(8 * colour))
    s.fresh = (s.fresh & ~lanes) | (LANES & lanes)
    age = np.int64(game.taken) - 1
    if rules.pile_test == 1 and game.left == 0 and rules.empty_pile == 0:
        game.turns += 1
        finish(rules, game, EXHAUSTED)
    elif rules.play_drawn and playable(rules, hand_word(game, seat), colour, np.int64(game.face)) & code_moves(
        np.int64(game.codes[U(age)])
    ) != U(0):
        game.drawn = age
    else:
        end_turn(rules, game)


@kernel(inline=True)
def name_colour(game: Any, colour: Any) -> None:
    """Name the color of the wild card turned up."""
    game.naming = 0
    game.colour = colour


@kernel(entry=True)
def make_move(rules: Any, game: Any, move: Any) -> None:
    """Make a move without checking that it is legal."""
    if game.naming:
        name_colour(game, move // 15)
    elif move == DRAW:
        draw(rules, game)
    elif move == KEEP:
        end_turn(rules, game)
    else:
        colour = move // 15
        face, age = move - colour * 15, np.int64(game.drawn)
        code = face + ((BLANK if face >= WILD else colour) << 4)
        if age < 0:
            s, (low, high) = game.seats[U(game.turn)], of_card(game, code)
            age = oldest(low & s.low, high & s.high)
        put_card(rules, game, age, code, colour)


@kernel(entry=True)
def write_payoffs(rules: Any, game: Any, row: Any) -> None:
    """Write the payoff of each seat at the end of a game, float32 (players,) or longer."""
    players, lowest, winners, total = rules.players, np.int64(1 << 30), np.int64(0), np.int64(0)
    for seat in range(players):
        points = score(game, seat)
        row[seat] = points
        total += points
        if points < lowest:
            lowest, winners = points, np.int64(0)
        winners += points == lowest
    if rules.ties:
        winners = np.int64(1)
    for seat in range(players):
        won = seat == game.winner if rules.ties else row[seat] == lowest
        if rules.points:
            pot = total - lowest * players
            row[seat] = pot / winners if won else lowest - row[seat]
        else:
            row[seat] = (players - winners) / ((players - 1) * winners) if won else -1.0 / (players - 1)
