"""How much likelier a card comes next in the game than if all hidden cards were exchangeable: counted, play by play.

A capture goes under the hand in order, so the hand is a row of blocks: a block's first card lay lowest of what was captured,
and its last card is the one that captured. Two things follow, for cards that have been captured at least once:

* A J is the first or the last card of a block. After a block's last card comes the first one of the next block, which is a J
  only where a J was captured off the board. So a J seldom follows a J, and never a player's only J.
* A player whose block ends by emptying the board begins the next block on the empty board. If a card of some rank closes that
  block, the block opens with that rank too: the board's lowest card has its equal a few cards behind, in the same hand.

`Odds` has one number for each such case: plays at which the card came, by the plays at which it would have come among
exchangeable cards (for a J: by the share of J's in the mover's hand). They are pooled over all sizes of hands and boards and
over everything else. The chain `Memory.LED` takes its steps from them. Nothing about the length of games goes into them, so
that the chain's mean and tail are its own.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from big2_env.errors import ConfigError
from big2_env.games.fishing.cards import DECK_54, JACK, FishingDeck
from big2_env.kernels.dialect.bits import below, random_next
from big2_env.kernels.dialect.kernel import kernel
from big2_env.rng import MASK_64

LIES: Final = 0
"""Cards lie on the board, none of them a J."""
JACK_LIES: Final = 1
"""A J is the board's lowest card."""
AFTER_JACK: Final = 2
"""The mover has just emptied the board by a J."""
AFTER_EQUAL: Final = 3
"""The mover has just emptied the board by a card that equals its lowest one."""

LOWEST_OWN: Final = 0
"""The board's lowest card, which the mover laid."""
LOWEST_OTHER: Final = 1
"""The board's lowest card, which the other player laid."""
HIGHER: Final = 2
"""Another card of the board, no joker."""
JOKER: Final = 3
"""A joker that lies above the lowest card."""

SKIPPED: Final = 60
"""Plays of each game that are not counted: the first captures have yet to come round."""


class Odds(NamedTuple):
    """Chances in the game by chances among exchangeable cards."""

    jack: tuple[tuple[float, ...], ...]
    """That the next card is a J: by what is known (`LIES` to `AFTER_EQUAL`), then by the J's in the mover's hand, 0 to 4."""
    equal: tuple[float, ...]
    """That the next card, no J, equals a given card of the board: by that card (`LOWEST_OWN` to `JOKER`)."""


MEASURED: Final = Odds(
    jack=(
        (1.0, 0.791, 1.027, 1.031, 0.901),
        (1.0, 1.250, 1.489, 1.668, 1.0),
        (1.0, 0.000, 0.067, 0.201, 0.431),
        (1.0, 0.510, 0.446, 0.554, 1.033),
    ),
    equal=(3.530, 0.937, 0.852, 0.978),
)
"""The odds of the game with 54 cards: `counted(200_000)`, in thousandths."""


@kernel(entry=True)
def _count_games(
    cards: Any, jack: Any, joker: Any, games: Any, stream: Any, came: Any, expected: Any, equal: Any, equal_expected: Any
) -> Any:
    """Count all games; returns the plays made, and those made while a hand had no J."""
    half = len(cards) // 2
    hands = np.zeros((2, 64), np.int64)
    head, size, jacks = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
    board, deal = np.zeros(16, np.int64), np.zeros(64, np.int64)
    plays = without = 0
    for _ in range(games):
        deal[: 2 * half] = cards
        for i in range(2 * half - 1, 0, -1):
            stream, number = random_next(stream)
            j = below(number, i + 1)
            deal[i], deal[j] = deal[j], deal[i]
        for seat in range(2):
            head[seat], size[seat], jacks[seat] = 0, half, 0
            for i in range(half):
                hands[seat, i] = deal[seat * half + i]
                jacks[seat] += hands[seat, i] == jack
        seat = laid = number_of_plays = led = after = 0
        while size[seat]:
            card = hands[seat, head[seat]]
            under = laid > 0 and board[0] == jack
            number_of_plays += 1
            without += jacks[0] == 0 or jacks[1] == 0
            place = -1
            for i in range(laid):
                if board[i] == card:
                    place = i
                    break
            if not laid:
                led = seat
            if number_of_plays > SKIPPED:
                known = (JACK_LIES if under else LIES) if laid else after
                if size[seat] > 1:
                    came[known, jacks[seat]] += card == jack
                    expected[known, jacks[seat]] += jacks[seat] / size[seat]
                if card != jack:
                    unseen = 2 * half - laid - (4 - under)
                    for i in range(np.int64(under), laid):
                        kind, copies = HIGHER, 3
                        if i == 0:
                            kind = LOWEST_OWN if led == seat else LOWEST_OTHER
                        if board[i] == joker:
                            kind, copies = (JOKER if i else kind), 1
                        equal[kind] += place == i
                        equal_expected[kind] += copies / unseen
            if card == jack:
                jacks[seat] -= 1
                if laid:
                    place = 0
            head[seat] = (head[seat] + 1) & 63
            size[seat] -= 1
            board[laid] = card
            laid += 1
            if place < 0:
                seat = 1 - seat if size[seat] else seat
                continue
            for i in range(place, laid):
                hands[seat, (head[seat] + size[seat]) & 63] = board[i]
                size[seat] += 1
                jacks[seat] += board[i] == jack
            laid = place
            after = AFTER_JACK if card == jack else AFTER_EQUAL
        plays += number_of_plays
    return plays, without


class Counted(NamedTuple):
    """What counting games has given."""

    odds: Odds
    mean: float
    """Plays of a game."""
    without: float
    """Of these, plays made while a hand had no J."""


def counted(games: int, *, deck: FishingDeck = DECK_54, seed: int = 0) -> Counted:
    """The odds over this many games, another sample for another seed, and the games' mean length.

    Raises:
        ConfigError: no games, or a deck in which not every rank but the joker has four cards.
    """
    if games < 1:
        raise ConfigError(f"expected at least one game, got {games}")
    if deck.counts[:-1] != DECK_54.counts[:-1]:
        raise ConfigError(f"expected deck 54 or 52, four cards of each rank, got {deck}")
    came, expected = np.zeros((4, 5)), np.zeros((4, 5))
    equal, equal_expected = np.zeros(4), np.zeros(4)
    cards = np.array(deck.cards, np.int64)
    joker = len(deck.counts) - 1
    plays, without = _count_games(cards, JACK, joker, games, np.uint64(seed & MASK_64), came, expected, equal, equal_expected)
    rows = tuple(tuple(row) for row in _by(came, expected).tolist())
    return Counted(Odds(rows, tuple(_by(equal, equal_expected).tolist())), plays / games, without / games)


def _by(came: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """Counts by what was expected; 1 where nothing was."""
    return np.divide(came, expected, out=np.ones_like(came), where=expected > 0)
