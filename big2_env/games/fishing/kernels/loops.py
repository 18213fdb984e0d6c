"""Compiled fishing game: the rules of `game.py` for many games per call, without holding the GIL.

A card is a nibble. The board is one 64-bit word with the oldest card in the lowest nibble; unused bits are ones, and no card is
15. One subtraction finds an equal card. A hand is a ring of eight words, twice its maximum size: two writes append a capture.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from big2_env.base.errors import ConfigError
from big2_env.base.rng import MASK_64
from big2_env.games.fishing.cards import JACK
from big2_env.games.fishing.plays import CYCLE, MAX_PLAYS, UNDECIDED, FishingEnd, FishingOutcome
from big2_env.games.fishing.rules import LISTING, CaptureOrder, FishingRules, check_cycles_watched
from big2_env.kernels.dialect.bits import lowest_bit, shuffle
from big2_env.kernels.dialect.kernel import kernel

U: Final = np.uint64
_ALL: Final = U(MASK_64)
_ONES: Final = U(0x1111111111111111)
_HIGH: Final = U(0x8888888888888888)
_NOBODY: Final = U(14)
"""Nibble that matches no card; used instead of the J if it has no power."""


@kernel(entry=True)
def _card(rings: Any, base: Any, place: Any) -> Any:
    return (rings[np.int64(base + ((place >> U(4)) & U(7)))] >> ((place & U(15)) << U(2))) & U(15)


@kernel(entry=True)
def _same_cards(rings: Any, base: Any, head: Any, kept: Any, kept_head: Any, size: Any) -> Any:
    for i in range(np.int64(size)):  # noqa: SIM110 (numba takes no generator)
        if _card(rings, base, head + U(i)) != _card(kept, base, kept_head + U(i)):
            return False
    return True


@kernel(entry=True)
def _play_games(
    cards: Any, first: Any, half: Any, jack: Any, options: Any, watch: Any, max_plays: Any, plays: Any, ends: Any, seeded: Any
) -> None:
    """Play one game for each entry of `plays` (int64) and `ends` (int8), and write its length and end there.

    For a game that ends in a cycle, `plays` receives the period. `cards` (uint8) is the deck if `seeded`, and game g
    has the seed first + g; otherwise it has one row for each game. `options` is (reversed, empty_first, j_on_empty, again).
    """
    turned, empty_first, j_on_empty, again = options
    rings, kept = np.zeros(16, np.uint64), np.zeros(16, np.uint64)
    deal = np.empty(2 * half, np.uint8)
    for g in range(len(plays)):
        deal[:] = cards[0 if seeded else g]
        if seeded:
            shuffle(deal, 2 * half, first + U(g))
        rings[:] = U(0)
        for i in range(half):
            rings[i >> 4] |= U(deal[i]) << U((i & 15) * 4)
            rings[8 + (i >> 4)] |= U(deal[half + i]) << U((i & 15) * 4)
        # The mover's hand is cells head to tail of the ring that begins at base; its_ is the other player's.
        base, head, tail = U(0), U(0), U(half)
        its_base, its_head, its_tail = U(8), U(0), U(half)
        board, filled = _ALL, U(0)  # filled: four times the number of cards
        number_of_plays = captures = kept_at = 0
        keep_at = 8
        kept_board, kept_base, kept_head, kept_size, kept_its_head = _ALL, U(99), U(0), U(0), U(0)
        while True:
            card = _card(rings, base, head)
            head += U(1)
            number_of_plays += 1
            differences = board ^ (card * _ONES)
            equal = (differences - _ONES) & ~differences & _HIGH  # its lowest bit is right, and 0 is right
            if equal != U(0) or (card == jack and (filled != U(0) or j_on_empty)):
                if empty_first and head == tail:
                    ends[g] = base >> U(3)
                    break
                start = U(0) if card == jack else U(lowest_bit(equal)) & U(60)
                block = (board ^ ((card ^ U(15)) << filled)) >> start
                size = filled + U(4) - start
                if turned:
                    block, rest = U(0), block
                    for _ in range(np.int64(size >> U(2))):
                        block, rest = (block << U(4)) | (rest & U(15)), rest >> U(4)
                shift, word = (tail & U(15)) << U(2), base + ((tail >> U(4)) & U(7))
                rings[np.int64(word)] = (rings[np.int64(word)] & ((U(1) << shift) - U(1))) | (block << shift)
                rings[np.int64(base + ((word + U(1)) & U(7)))] = (block >> U(1)) >> (U(63) - shift)
                tail += size >> U(2)
                board |= _ALL << start
                filled = start
                if not again:
                    base, its_base = its_base, base
                    head, its_head = its_head, head
                    tail, its_tail = its_tail, tail
                if watch:
                    # Every cycle has a capture, so it is enough to compare the states after captures.
                    if (
                        board == kept_board
                        and tail - head == kept_size
                        and base == kept_base
                        and _same_cards(rings, base, head, kept, kept_head, tail - head)
                        and _same_cards(rings, its_base, its_head, kept, kept_its_head, its_tail - its_head)
                    ):
                        ends[g] = CYCLE
                        number_of_plays -= kept_at
                        break
                    captures += 1
                    if captures == keep_at:
                        keep_at *= 2
                        kept[:] = rings
                        kept_at, kept_board, kept_base = number_of_plays, board, base
                        kept_head, kept_size, kept_its_head = head, tail - head, its_head
                if number_of_plays >= max_plays:
                    ends[g] = UNDECIDED
                    break
            else:
                board ^= (card ^ U(15)) << filled
                filled += U(4)
                if head == tail:
                    ends[g] = base >> U(3)
                    break
                base, its_base = its_base, base
                head, its_head = its_head, head
                tail, its_tail = its_tail, tail
        plays[g] = number_of_plays


def _played(
    rules: FishingRules, cards: NDArray[np.uint8], first: int, games: int, max_plays: int, watch_cycles: bool, seeded: bool
) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    check_cycles_watched(rules, watch_cycles)
    if max_plays < 1:
        raise ConfigError(f"expected max_plays of at least 1, got {max_plays}")
    plays, ends = np.zeros(games, np.int64), np.zeros(games, np.int8)
    options = (rules.order is CaptureOrder.REVERSED, rules.empty_first, rules.j_on_empty, rules.again)
    jack = U(JACK) if rules.j_power else _NOBODY
    half = rules.deck.size // 2
    _play_games(cards, U(first & MASK_64), half, jack, options, watch_cycles, max_plays, plays, ends, seeded)
    return plays, ends


def play_seeds(
    rules: FishingRules = LISTING, first: int = 0, games: int = 1, *, max_plays: int = MAX_PLAYS, watch_cycles: bool = True
) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Play the games of consecutive seeds.

    Args:
        rules: Rules of the games.
        first: Seed of the first game.
        games: Number of games.
        max_plays: Limit on plays, checked after each capture.
        watch_cycles: False to skip cycle detection.

    Returns:
        Plays, int64 of shape (games,), and ends, int8 of shape (games,). An end is the losing seat (0 or 1), `CYCLE` (plays is
        then the period) or `UNDECIDED`.

    Raises:
        ConfigError: `j_on_empty` without cycle detection, or `max_plays` below 1.

    >>> play_seeds(first=7, games=3)
    (array([ 275,  387, 1487]), array([1, 1, 1], dtype=int8))
    """
    return _played(rules, np.array([rules.deck.cards], np.uint8), first, games, max_plays, watch_cycles, True)


def play_deals(
    rules: FishingRules, deals: NDArray[np.uint8], *, max_plays: int = MAX_PLAYS, watch_cycles: bool = True
) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Play games from given deals.

    Args:
        rules: Rules of the games.
        deals: Ordered decks, uint8 of shape (games, cards); the first half of a row is seat 0's hand.
        max_plays: Limit on plays, checked after each capture.
        watch_cycles: False to skip cycle detection.

    Returns:
        Plays and ends, as for `play_seeds`.

    Raises:
        ConfigError: As for `play_seeds`, or a row does not make up the deck.
    """
    deck = np.array(rules.deck.cards, np.uint8)
    if deals.dtype != np.uint8 or deals.ndim != 2 or deals.shape[1] != len(deck) or (np.sort(deals, axis=1) != deck).any():
        raise ConfigError(
            f"expected deals uint8, each row the {len(deck)} cards of the deck {rules.deck}, got {deals.dtype} {deals.shape}"
        )
    return _played(rules, np.ascontiguousarray(deals), 0, len(deals), max_plays, watch_cycles, False)


def decide(
    rules: FishingRules, hands: Sequence[Sequence[int]], *, max_plays: int = MAX_PLAYS, watch_cycles: bool = True
) -> FishingOutcome:
    """Return the outcome of a game; same result as `FishingGame.play_out`, but faster.

    Args:
        rules: Rules of the game.
        hands: Cards by seat, front card first.
        max_plays: Limit on plays, checked after each capture.
        watch_cycles: False to skip cycle detection.

    Raises:
        ConfigError: As for `play_deals`.

    >>> decide(LISTING, LISTING.deck.deal(7))
    FishingOutcome(end=<FishingEnd.EMPTY_HAND: 'empty hand'>, plays=275, loser=1, period=None)
    """
    deal = np.array([[*hands[0], *hands[1]]], np.uint8)
    (number,), (end,) = play_deals(rules, deal, max_plays=max_plays, watch_cycles=watch_cycles)
    if end == CYCLE:
        return FishingOutcome(FishingEnd.CYCLE, None, period=int(number))
    if end == UNDECIDED:
        return FishingOutcome(FishingEnd.UNDECIDED, int(number))
    return FishingOutcome(FishingEnd.EMPTY_HAND, int(number), int(end))
