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
def look_around(r: Any, g: Any, seen: Any) -> None:
    """Write the features shared by all candidates of the seat to move into `seen`, float64 (22,).

    0 to 3: unseen cards of each color; 4 to 18: of each face; 19: of all; 20: fewest cards of another seat; 21: points in the
    hand.
    """
    me = np.int64(g.turn)
    low, high = until(np.int64(g.taken))  # the cards that it knows: all that were taken but other hands
    fewest: Any = 108
    for seat in range(r.players):
        if seat != me:
            low &= ~g.seats[seat].low
            high &= ~g.seats[seat].high
            fewest = min(fewest, np.int64(g.seats[seat].held))
    for colour in range(4):
        seen[colour] = 25.0 - count(low, high, of_colour(g, colour))
    total = 0.0
    for face in range(15):
        seen[4 + face] = max(_OF_FACE[face] - count(low, high, of_face(g, face)), 0.0)
        total += seen[4 + face]
    seen[19] = max(total, 1.0)
    seen[20] = fewest
    points = 0
    for face in range(15):
        points += count(g.seats[me].low, g.seats[me].high, of_face(g, face)) * POINTS[face]
    seen[21] = points


@kernel(entry=True)
def fresh_of(g: Any, seat: Any, colour: Any) -> Any:
    """Return `UnoGame.fresh` of a seat and color, int64."""
    return popcount((g.seats[U(seat)].fresh >> U(8 * colour)) & U(0xFF))


@kernel(entry=True)
def chance_to_follow(g: Any, seen: Any, seat: Any, colour: Any, face: Any, more: Any) -> Any:
    """Return the approximate probability that a seat holds no card for a color and face, with `more` newly taken cards."""
    held = np.int64(g.seats[U(seat)].held) + more
    wild = (seen[17] + seen[18]) / seen[19]
    expected = min(fresh_of(g, seat, BLANK) + more, held) * wild
    if colour < BLANK:
        expected += min(fresh_of(g, seat, colour) + more, held) * seen[colour] / seen[19]
        if face < WILD:
            for other in range(4):
                if other != colour:
                    expected += min(fresh_of(g, seat, other) + more, held) * 0.25 * seen[4 + face] / seen[19]
    else:
        expected = held * 1.0
    return np.exp(-expected)


@kernel(entry=True)
def describe(r: Any, g: Any, seen: Any, card: Any, named: Any, x: Any) -> None:
    """Write the row of a card that the seat to move may play, float64 (`NUM_FEATURES`,).

    `named` is the color named for a wild card.
    """
    me, players = np.int64(g.turn), r.players
    face = card % 15
    colour = card // 15 if card < 60 else BLANK if r.blank_is_any else named
    for k in range(NUM_FEATURES):
        x[k] = 0.0
    kind = 0 if face < 10 else face - 9
    x[kind] = 1.0
    x[6] = face / 9.0 if face < 10 else 0.0
    s = g.seats[U(me)]
    left = np.int64(s.held) - 1
    x[7] = left / 7.0
    x[8] = 1.0 / (1.0 + left)
    x[9] = left == 1
    x[10] = left == 2
    low, high = s.low, s.high
    same_colour, matches, most, colours = 0.0, 0.0, 0.0, 0.0
    for each in range(4):
        found = count(low, high, of_colour(g, each)) - (card // 15 == each)
        colours += found > 0
        most = max(most, found)
        if each == colour:
            same_colour = found
    same_face = count(low, high, of_face(g, face)) - 1.0
    if face < WILD and card < 60:
        both = count(low, high, of_card(g, colour * 16 + face)) - 1.0
        matches = same_colour + same_face - both
    else:
        matches = same_colour
    plain = np.int64(s.plain) - (face == WILD)
    fours = np.int64(s.fours) - (face == WILD_FOUR)
    specials = count(low, high, of_faces(g, 10, 3)) - (10 <= face < WILD) * 1.0
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
    turned, penalty, misses = effect_of(r, face, left)
    direction = -g.direction if turned else g.direction
    following = after(r, me, direction)
    acting = after(r, following, direction) if misses else following
    again = acting == me
    x[22] = again
    x[23] = again * matches / 3.0
    x[24] = again * (matches == 0)
    if not again:
        blocked = chance_to_follow(g, seen, acting, colour, face, 0 if misses else penalty)
        x[25] = blocked
        x[26] = blocked * (g.seats[U(acting)].held <= 2)
        x[27] = 1.0 / g.seats[U(acting)].held
    x[28] = (seen[20] <= 1) * 1.0
    x[29] = (seen[20] == 2) * 1.0
    x[30] = seen[20] / 7.0
    x[31] = penalty * (g.seats[U(following)].held <= 2) / 4.0
    x[32] = misses * (g.seats[U(following)].held <= 2)
    x[33] = 1.0 if r.play_drawn else 0.0
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
