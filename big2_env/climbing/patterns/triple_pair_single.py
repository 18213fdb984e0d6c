"""Three, two and one (三兩一)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.climbing.order import CardOrder
from big2_env.climbing.shapes import Pattern, Shape


@dataclass(frozen=True)
class TriplePairSingle(Pattern):
    """A triple, a pair of another rank and any one card, even of these ranks; compared by the triple."""

    name = "triple_pair_single"
    zh = "三兩一"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Yield a shape for each choice of the three ranks. Two triples have two readings."""
        for triple in order.suited_ranks:
            for pair in order.suited_ranks:
                if pair is not triple:
                    for single in order.suited_ranks:
                        yield Shape.of([triple] * 3 + [pair] * 2 + [single], key=triple, key_suit=False)
