"""Exhaustive results for small decks: which deals never end, and with which periods."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial, prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from big2_env.base.errors import ConfigError
from big2_env.games.fishing.cards import FishingDeck
from big2_env.games.fishing.kernels.loops import play_deals
from big2_env.games.fishing.plays import CYCLE, UNDECIDED
from big2_env.games.fishing.rules import LISTING, FishingRules

MAX_DEALS: Final = 5_000_000
"""Maximum number of deals in one enumeration."""


@dataclass(frozen=True)
class SmallDeck:
    """Results of playing every deal of a deck."""

    deals: int
    """Number of distinct deals; equal cards are interchangeable."""
    cyclic: int
    undecided: int
    periods: dict[int, int]
    """Number of cyclic deals for each period, most frequent first."""


def number_of_deals(deck: FishingDeck) -> int:
    """Return the number of distinct orders of a deck.

    >>> number_of_deals(FishingDeck.parse("2x2 3x2 Jx2"))
    90
    """
    return factorial(deck.size) // prod(map(factorial, deck.counts))


def every_deal(deck: FishingDeck) -> NDArray[np.uint8]:
    """Return every distinct order of a deck, uint8 of shape (deals, cards), ascending.

    Raises:
        ConfigError: There are more than `MAX_DEALS`.
    """
    number = number_of_deals(deck)
    if number > MAX_DEALS:
        raise ConfigError(f"the deck {deck} has too many deals: {number:,} (limit {MAX_DEALS:,})")
    # Each prefix is a row with what it has left of each rank; a place is filled by all ranks that are left at once.
    prefixes = np.zeros((1, 0), np.uint8)
    left = np.array([deck.counts], np.int8)
    for _ in range(deck.size):
        rows, ranks = np.nonzero(left)
        prefixes = np.hstack([prefixes[rows], ranks[:, None].astype(np.uint8)])
        left = left[rows]
        left[np.arange(len(rows)), ranks] -= 1
    return prefixes


def survey(deck: FishingDeck | str, rules: FishingRules = LISTING, max_plays: int = 1_000_000) -> SmallDeck:
    """Play every deal of a small deck.

    Args:
        deck: The deck, as a value or as text.
        rules: Rules of the games; their own deck is ignored.
        max_plays: Limit on plays, checked after each capture.

    Raises:
        ConfigError: The deck is invalid or has too many deals.

    >>> survey("2x4 3x4")
    SmallDeck(deals=70, cyclic=10, undecided=0, periods={8: 10})
    """
    rules = rules.with_deck(deck)
    deals = every_deal(rules.deck)
    plays, ends = play_deals(rules, deals, max_plays=max_plays)
    periods, counts = np.unique(plays[ends == CYCLE], return_counts=True)
    found = dict(sorted(zip(periods.tolist(), counts.tolist(), strict=True), key=lambda pair: -pair[1]))
    return SmallDeck(len(deals), sum(found.values()), int((ends == UNDECIDED).sum()), found)
