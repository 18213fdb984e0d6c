"""The rules of `big2` told once more, straight from the rules page and in its own words, to check the engine against.

Cards are notation strings. Nothing here uses the package's ranks, masks, shapes, strengths or order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

RANKS = ["3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "2"]
SUITS = ["C", "D", "H", "S"]
DECK = [f"{suit}[{rank}]" for rank in RANKS for suit in SUITS]
RUNS = {frozenset(RANKS[(start + i) % 13] for i in range(5)) for start in range(13)}


def rank(card: str) -> str:
    return card[2:-1]


def strength(card: str) -> tuple[int, int]:
    """Rank, then suit."""
    return RANKS.index(rank(card)), SUITS.index(card[0])


def read(cards: tuple[str, ...], outside: bool = False) -> tuple[str, tuple[int, ...]] | None:
    """The pattern of a card group with its strength, `None` for no pattern; `outside` adds triple and two pairs."""
    ranks = Counter(map(rank, cards))
    shape = sorted(ranks.values())
    highest = max(map(strength, cards))
    if shape == [1]:
        return "single", highest
    if shape == [2]:
        return "pair", highest
    if shape == [1, 1, 1, 1, 1] and frozenset(ranks) in RUNS:
        return "straight", highest
    if shape == [2, 3]:
        return "full_house", (RANKS.index(ranks.most_common(1)[0][0]),)
    if outside and shape == [3]:
        return "triple", highest
    if outside and shape == [2, 2]:
        return "two_pairs", highest
    return None


def legal(
    hand: list[str], top: tuple[str, ...] | None, must: str | None = None, outside: bool = False
) -> Iterator[tuple[str, frozenset[str]]]:
    """Every legal play of a hand by trying all its subsets; a pass is ("pass", no cards)."""
    to_beat = None if top is None else read(top, outside)
    if to_beat is not None:
        yield "pass", frozenset()
    for size in range(1, len(hand) + 1):
        for cards in combinations(hand, size):
            found = read(cards, outside)
            if found is None or (must is not None and must not in cards):
                continue
            if to_beat is None or (found[0] == to_beat[0] and found[1] > to_beat[1]):
                yield found[0], frozenset(cards)
