"""`big2` with one more pattern, by its name: `pattern_games:two_pair`, or `pattern_games:three_and_one` from outside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from big2_env import BIG2, Kickers, Pattern, Rank, RuleSet, Shape, available_patterns
from big2_env.climbing.order import CardOrder


@dataclass(frozen=True)
class ThreeAndOne(Pattern):
    """Three of a rank with any other card, as a user writes it."""

    name = "three_and_one"
    zh = "三帶一"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        for rank in order.suited_ranks:
            limits = tuple(4 if other in order.suited_ranks and other != rank else 0 for other in Rank)
            yield Shape.of({rank: 3}, key=rank, key_suit=False, kickers=Kickers(1, limits))


def __getattr__(name: str) -> RuleSet:
    if name == "three_and_one":
        return replace(BIG2.with_patterns(ThreeAndOne()), name=name)
    if name in available_patterns():
        return replace(BIG2.with_patterns(name), name=f"with_{name}")
    raise AttributeError(name)
