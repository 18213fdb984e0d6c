"""Features of the learned UNO player: a row of numbers for each playable card, from public information only."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from big2_agents.uno.weights import NUM_FEATURES, NUM_HIDDEN
from big2_env.games.uno.kernels.dtypes import BLANK, POINTS, WILD, WILD_FOUR
from big2_env.games.uno.kernels.hands import of_card, of_colour, of_face, of_faces, size, until
from big2_env.games.uno.kernels.turn import after, effect_of
from big2_env.kernels.dialect.bits import U, popcount
from big2_env.kernels.dialect.kernel import kernel

_OF_FACE: Final = np.array([4, *[8] * 12, 4, 4], np.float64)


@kernel(entry=True)
def count(low: Any, high: Any, ages: Any) -> Any:
    """Return the number of ages in a set that are in another set."""
    return size(low & ages[0], high & ages[1])


@kernel(entry=True)
def look_around(rules: Any, game: Any, seen: Any) -> None:
    """Write the features shared by all candidates of the seat to move into `seen`, float64 (22,).

    0 to 3: unseen cards of each color; 4 to 18: of each face; 19: of all; 20: fewest cards of another seat; 21: points in the
    hand.
    """
    me = np.int64(game.turn)
    low, high = until(np.int64(game.taken))  # the cards that it knows: all that were taken but other hands
    fewest: Any = 108
    for seat in range(rules.players):
        if seat != me:
            low &= ~game.seats[seat].low
            high &= ~game.seats[seat].high
            fewest = min(fewest, np.int64(game.seats[seat].held))
    for colour in range(4):
        seen[colour] = 25.0 - count(low, high, of_colour(game, colour))
    total = 0.0
    for face in range(15):
        seen[4 + face] = max(_OF_FACE[face] - count(low, high, of_face(game, face)), 0.0)
        total += seen[4 + face]
    seen[19] = max(total, 1.0)
    seen[20] = fewest
    points = 0
    for face in range(15):
        points += count(game.seats[me].low, game.seats[me].high, of_face(game, face)) * POINTS[face]
    seen[21] = points


@kernel(entry=True)
def fresh_of(game: Any, seat: Any, colour: Any) -> Any:
    """Return `UnoGame.fresh` of a seat and color, int64."""
    return popcount((game.seats[U(seat)].fresh >> U(8 * colour)) & U(0xFF))


@kernel(entry=True)
def chance_to_follow(game: Any, seen: Any, seat: Any, colour: Any, face: Any, more: Any) -> Any:
    """Return the approximate probability that a seat holds no card for a color and face, with `more` newly taken cards."""
    held = np.int64(game.seats[U(seat)].held) + more
    wild = (seen[17] + seen[18]) / seen[19]
    expected = min(fresh_of(game, seat, BLANK) + more, held) * wild
    if colour < BLANK:
        expected += min(fresh_of(game, seat, colour) + more, held) * seen[colour] / seen[19]
        if face < WILD:
            for other in range(4):
                if other != colour:
                    expected += min(fresh_of(game, seat, other) + more, held) * 0.25 * seen[4 + face] / seen[19]
    else:
        expected = held * 1.0
    return np.exp(-expected)


@kernel(entry=True)
def describe(rules: Any, game: Any, seen: Any, card: Any, named: Any, x: Any) -> None:
    """Write the row of a card that the seat to move may play, float64 (`NUM_FEATURES`,).

    `named` is the color named for a wild card.
    """
    me, players = np.int64(game.turn), rules.players
    face = card % 15
    colour = card // 15 if card < 60 else BLANK if rules.blank_is_any else named
    for k in range(NUM_FEATURES):
        x[k] = 0.0
    kind = 0 if face < 10 else face - 9
    x[kind] = 1.0
    x[6] = face / 9.0 if face < 10 else 0.0
    hand = game.seats[U(me)]
    left = np.int64(hand.held) - 1
    x[7] = left / 7.0
    x[8] = 1.0 / (1.0 + left)
    x[9] = left == 1
    x[10] = left == 2
    low, high = hand.low, hand.high
    same_colour, matches, most, colours = 0.0, 0.0, 0.0, 0.0
    for each in range(4):
        found = count(low, high, of_colour(game, each)) - (card // 15 == each)
        colours += found > 0
        most = max(most, found)
        if each == colour:
            same_colour = found
    same_face = count(low, high, of_face(game, face)) - 1.0
    if face < WILD and card < 60:
        both = count(low, high, of_card(game, colour * 16 + face)) - 1.0
        matches = same_colour + same_face - both
    else:
        matches = same_colour
    plain = np.int64(hand.plain) - (face == WILD)
    fours = np.int64(hand.fours) - (face == WILD_FOUR)
    specials = count(low, high, of_faces(game, 10, 3)) - (10 <= face < WILD) * 1.0
    x[11] = matches / 3.0
    x[12] = matches == 0
    x[13] = matches >= left
    x[14] = plain
    x[15] = fours
    x[16] = specials / 2.0
    x[17] = colours / 4.0
    x[18] = same_colour / 3.0
    x[19] = most / 3.0
    x[20] = same_face
    x[21] = (seen[21] - POINTS[face]) / 100.0
    turned, penalty, misses = effect_of(rules, face, left)
    direction = -game.direction if turned else game.direction
    following = after(rules, me, direction)
    acting = after(rules, following, direction) if misses else following
    again = acting == me
    x[22] = again
    x[23] = again * matches / 3.0
    x[24] = again * (matches == 0)
    if not again:
        blocked = chance_to_follow(game, seen, acting, colour, face, 0 if misses else penalty)
        x[25] = blocked
        x[26] = blocked * (game.seats[U(acting)].held <= 2)
        x[27] = 1.0 / game.seats[U(acting)].held
    x[28] = (seen[20] <= 1) * 1.0
    x[29] = (seen[20] == 2) * 1.0
    x[30] = seen[20] / 7.0
    x[31] = penalty * (game.seats[U(following)].held <= 2) / 4.0
    x[32] = misses * (game.seats[U(following)].held <= 2)
    x[33] = 1.0 if rules.play_drawn else 0.0
    x[34] = (players - 2) / 4.0
    x[35] = 1.0 if players == 2 else 0.0


@kernel(entry=True)
def value(weights: Any, x: Any, hidden: Any) -> Any:
    """Return the network's value of a row: one hidden layer of rectifiers, with `weights` float64 (`NUM_WEIGHTS`,)."""
    at = 0
    for unit in range(NUM_HIDDEN):
        hidden[unit] = weights[at + NUM_FEATURES]
        for k in range(NUM_FEATURES):
            hidden[unit] += weights[at + k] * x[k]
        at += NUM_FEATURES + 1
    total = 0.0
    for unit in range(NUM_HIDDEN):
        total += weights[at + unit] * max(hidden[unit], 0.0)
    return total
