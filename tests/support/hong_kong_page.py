"""The rules of `hong_kong` told once more, straight from the rules page and in its own words, to check the engine against.

Cards are notation strings. Nothing here uses the package's ranks, masks, shapes, strengths or order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

RANKS = ["3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "2"]
SUITS = ["D", "C", "H", "S"]
DECK = [f"{suit}[{rank}]" for rank in RANKS for suit in SUITS]
FIVE = ["straight", "flush", "full_house", "straight_flush"]


def strength(card: str) -> tuple[int, int]:
    """Rank, then suit."""
    return RANKS.index(card[2:-1]), SUITS.index(card[0])


def read(cards: tuple[str, ...]) -> tuple[str, tuple[int, ...]] | None:
    """The pattern of a card group with its strength among as many cards, `None` for no pattern."""
    ranks = Counter(RANKS.index(card[2:-1]) for card in cards)
    most = ranks.most_common(1)[0][0]
    highest = max(map(strength, cards))
    match sorted(ranks.values()):
        case [1]:
            return "single", highest
        case [2]:
            return "pair", highest
        case [3]:
            return "triple", (most,)
        case [2, 2]:
            return "two_pair", (0, *highest)
        case [4]:
            return "four_of_a_kind", (1, most)
        case [2, 3]:
            return "full_house", (2, most)
        case [1, 1, 1, 1, 1]:
            in_a_row = max(ranks) - min(ranks) == 4
            one_suit = len({card[0] for card in cards}) == 1
            if in_a_row or one_suit:
                tier = 3 if in_a_row and one_suit else 1 if one_suit else 0
                return FIVE[tier], (tier, *highest)
    return None


def legal(hand: list[str], top: tuple[str, ...] | None, must: str | None = None) -> Iterator[tuple[str, frozenset[str]]]:
    """Every legal play of a hand by trying all its subsets; a pass is ("pass", no cards)."""
    if top is not None:
        yield "pass", frozenset()
    for size in range(1, len(hand) + 1) if top is None else [len(top)]:
        for cards in combinations(hand, size):
            found = read(cards)
            if found is None or (must is not None and cards != (must,)):
                continue
            if top is None or found[1] > read(top)[1]:
                yield found[0], frozenset(cards)
