"""Odds of the next card, relative to a game in which all hidden cards are exchangeable, counted play by play.

Captured cards go under the hand in board order. After the first round through a hand it is a sequence of captured blocks: the
first card of a block was the lowest of the captured cards, and its last card made the capture. This has two consequences:

* A J is the first or the last card of a block. The card after a block's last card starts the next block, and it is a J only if
  a J was captured from the board. So a J rarely follows a J, and a player's only J never follows itself.
* A player who empties the board plays the first card of the next block onto the empty board. If a card of some rank closes that
  block, the same rank opens it. The lowest card of the board then has its match a few cards later in the same hand.

`Odds` has one number for each such case: occurrences of the card divided by the number expected with exchangeable
cards (for a J, with the share of J's in the mover's hand). Counts are pooled over hand sizes, board sizes and everything else.
The chain `Memory.LED` uses these odds. They contain nothing about the length of games, so the mean and the tail of that chain
are predictions.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from big2_env.base.errors import ConfigError
from big2_env.base.rng import MASK_64
from big2_env.games.fishing.cards import DECK_54, JACK, FishingDeck
from big2_env.kernels.dialect.bits import shuffle
from big2_env.kernels.dialect.kernel import kernel

LIES: Final = 0
"""There are cards on the board, and no J is among them."""
JACK_LIES: Final = 1
"""The lowest card of the board is a J."""
AFTER_JACK: Final = 2
"""The mover has just emptied the board with a J."""
AFTER_EQUAL: Final = 3
"""The mover has just emptied the board with a card equal to its lowest one."""

LOWEST_OWN: Final = 0
"""The lowest card of the board, if the mover played it."""
LOWEST_OTHER: Final = 1
"""The lowest card of the board, if the other player played it."""
HIGHER: Final = 2
"""Any other card of the board except a joker."""
JOKER: Final = 3
"""A joker above the lowest card."""

SKIPPED: Final = 60
"""Plays at the start of each game that are not counted, because the first captures have not come up again yet."""


class Odds(NamedTuple):
    """Chances in the game, divided by the chances with exchangeable cards."""

    jack: tuple[tuple[float, ...], ...]
    """Odds that the next card is a J, indexed by case (`LIES` to `AFTER_EQUAL`), then by J's in the mover's hand (0 to 4)."""
    equal: tuple[float, ...]
    """Odds that the next card, if not a J, equals a given card of the board, indexed by that card (`LOWEST_OWN` to `JOKER`)."""


MEASURED: Final = Odds(
    jack=(
        (1.0, 0.791, 1.027, 1.031, 0.901),
        (1.0, 1.250, 1.489, 1.668, 1.0),
        (1.0, 0.000, 0.067, 0.201, 0.431),
        (1.0, 0.510, 0.446, 0.554, 1.033),
    ),
    equal=(3.530, 0.937, 0.852, 0.978),
)
"""Odds of the 54-card game, rounded to three decimals: `counted(200_000)`."""


@kernel(entry=True)
def _count_games(
    cards: Any, jack: Any, joker: Any, games: Any, stream: Any, came: Any, expected: Any, equal: Any, equal_expected: Any
) -> Any:
    """Play all games and count outcomes into `came`, `expected`, `equal` and `equal_expected`.

    Returns:
        Number of plays, and number of plays made while one hand had no J.
    """
    half = len(cards) // 2
    hands = np.zeros((2, 64), np.int64)
    head, size, jacks = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
    board, deal = np.zeros(16, np.int64), np.zeros(64, np.int64)
    plays = without = 0
    for _ in range(games):
        deal[: 2 * half] = cards
        stream = shuffle(deal, 2 * half, stream)
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
    """Odds counted over a number of games, and the mean length of these games."""

    odds: Odds
    mean: float
    """Mean plays per game."""
    without: float
    """Mean plays per game made while one hand had no J."""


def counted(games: int, *, deck: FishingDeck = DECK_54, seed: int = 0) -> Counted:
    """Count the odds in simulated games.

    Args:
        games: Number of games.
        deck: Deck with four cards of every rank except the joker.
        seed: Seed of the sample.

    Raises:
        ConfigError: `games` is not positive, or the deck is unsuitable.
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
    """Return counts divided by expected counts; 1 if nothing was expected."""
    return np.divide(came, expected, out=np.ones_like(came), where=expected > 0)
