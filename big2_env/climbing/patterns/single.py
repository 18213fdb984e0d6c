"""Single (單張)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.climbing.order import CardOrder
from big2_env.climbing.shapes import Pattern, Shape


@dataclass(frozen=True)
class Single(Pattern):
    """One card; compared by rank, then suit."""

    name = "single"
    zh = "單張"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Yield a shape for each rank."""
        for rank in order.ranks:
            yield Shape.of([rank], key=rank)
