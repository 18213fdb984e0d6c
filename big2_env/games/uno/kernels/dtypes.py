"""Records for rules and games.

Every card taken from the pile gets an age, starting with 0. A hand is a set of ages: 128 bits in two words. The pile is
shuffled only as far as cards are taken; the shuffle runs from the top down, so this does not change the result.

A card is stored as its code, `colour * 16 + face`, which gives both parts without a division and allows comparing the codes of
all ages at once (`hands`). Fields used by every move are next to each other, so that many games fit into a core's cache.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

import numpy as np

from big2_env.games.uno import cards
from big2_env.games.uno.rules import CHOICES, MAX_PLAYERS, UnoRules
from big2_env.kernels.dialect.records import records

U: Final = np.uint64  # of `dialect.bits`, which imports numba
_FLAGS: Final = tuple(field.name for field in fields(UnoRules) if field.type == "bool")
RULES: Final = np.dtype([("players", np.int64), *((name, np.int64) for name in (*CHOICES, *_FLAGS)), ("points", np.int64)])
"""Rules: options of `CHOICES` as indices, flags as 0 or 1; `points` is 1 if payoffs are in points."""
SEAT: Final = np.dtype(
    [
        ("low", np.uint64),  # the ages in the hand, 0 to 63
        ("high", np.uint64),  # and from 64 on
        ("word", np.uint64),  # the coloured cards in the hand as moves
        ("twice", np.uint64),  # those held at least twice
        ("fresh", np.uint64),  # `UnoGame.fresh`: a byte for each colour, with so many low bits set
        ("held", np.int16),  # how many cards
        ("plain", np.int16),  # plain wild cards
        ("fours", np.int16),  # wild fours
        ("unused", np.int16),
    ]
)
"""Seat of a game."""
GAME: Final = np.dtype(
    [
        ("rng", np.uint64),  # state of the stream of seeds
        ("shuffle", np.uint64),  # state of the shuffle of this game
        ("played", np.uint64, 2),  # at least one, at least two of a coloured card were played, as moves
        ("wilds", np.int16, 2),  # plain wild cards and wild fours that were played
        ("left", np.int16),  # cards in the pile
        ("settled", np.int16),  # the places of the pile from here on are shuffled
        ("taken", np.int16),  # how many ages there are
        ("turn", np.int16),
        ("direction", np.int16),
        ("colour", np.int16),  # in force
        ("face", np.int16),  # in force
        ("drawn", np.int16),  # the age that was just drawn and may be played, else -1
        ("naming", np.int16),  # whether the seat to move names the colour of the card turned up
        ("turns", np.int16),  # turns begun and made
        ("ended", np.int16),  # 0: it goes on; 1: a hand is empty; 2: the pile is
        ("winner", np.int16),  # -1 while it goes on; then the first seat with the lowest score, or players: nobody
        ("unused", np.int32),
        ("codes", np.uint8, 128),  # the card of each age; those from `taken` on have no meaning
        ("deck", np.uint8, 112),  # the pile: places 0 to left - 1, the top last
        ("seats", SEAT, MAX_PLAYERS),
    ]
)
"""Record of one game."""
OPPONENTS: Final = ("random", "automatic")
"""Names of the opponents, by number."""
LEARNER: Final = np.dtype(
    [
        ("salts", np.uint64),  # state of the stream of salts (big2_env.base.salts)
        ("salt", np.uint64),  # of what opponents draw in this game
        ("seat", np.int64),  # the learner's
        ("first", np.int64),  # its seat in the first game, where it goes round
        ("deals", np.int64),  # how many games were dealt
        ("skipped_games", np.int32),  # games that the last call dealt and that ended before the learner's first turn
        ("skipped_payoff", np.float32),  # the sum of their payoffs for the learner
    ]
)
"""Record of a game's learner."""
RUNNING, OUT, EXHAUSTED = 0, 1, 2

DRAW, KEEP = 60, 61
WILD, WILD_FOUR, BLANK = 13, 14, 4
PLAIN_CODE, FOUR_CODE = BLANK * 16 + WILD, BLANK * 16 + WILD_FOUR
CARDS: Final = 108
MOST_CODES: Final = FOUR_CODE + 1
"""Exclusive upper bound of codes."""
DECK: Final = np.array([card + card // 15 for card in cards.DECK], np.uint8)
"""Deck as codes."""
POINTS: Final = np.array([cards.points_of(face) for face in range(15)], np.int64)
"""Points of a card left in a hand, by face."""
COLOUR_FIELD = U(0x1FFF)
"""Colored red cards, as action bits."""
COLOURED = U(sum(0x1FFF << 15 * colour for colour in range(4)))
EVERY_COLOUR = U(sum(1 << 15 * colour for colour in range(4)))
ONE = U(1)
LANES = U(0x0101010101)
"""Word with a 1 in the byte of each color."""
BYTE = U(0xFF)


def rules_array(rules: UnoRules, scoring: str = "winner") -> Any:
    """Return rules for the kernels as an array, `RULES` (1,). Compiled code accepts arrays faster than records."""
    found = np.zeros(1, RULES)
    record = found[0]
    for name, names in CHOICES.items():
        record[name] = names.index(getattr(rules, name))
    for name in ("players", *_FLAGS):
        record[name] = getattr(rules, name)
    record["points"] = scoring == "points"
    return found


def rules_record(rules: UnoRules, scoring: str = "winner") -> Any:
    """Return rules for the kernels as a record of `RULES`."""
    return rules_array(rules, scoring)[0]


def new_games(number: int) -> Any:
    """Return records for games that have not begun, `GAME` (N,)."""
    return records(number, GAME)
