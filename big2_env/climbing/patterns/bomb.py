"""Bomb (炸彈): cards of one rank. The ruleset sets the bomb level, which decides what it beats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.base.errors import ConfigError
from big2_env.base.validated import Checked
from big2_env.climbing.order import CardOrder
from big2_env.climbing.shapes import Pattern, Shape


@dataclass(frozen=True)
class Bomb(Checked, Pattern):
    """A set number of cards of one rank (default four) and nothing else; compared by rank.

    Args:
        size: Fewest cards.
        largest: Most cards; None for `size` only.

    Raises:
        ConfigError: The sizes are not ascending from 2 to 8.
    """

    name = "bomb"
    zh = "炸彈"

    size: int = 4
    largest: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 2 <= self.size <= (self.largest or self.size) <= 8:
            raise ConfigError(f"bomb: expected 2 to 8 cards, ascending, got {self.size} to {self.largest or self.size}")

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Yield a shape for each number of cards and each rank with four suits."""
        for size in range(self.size, (self.largest or self.size) + 1):
            for rank in order.suited_ranks:
                if order.rank_masks[rank].bit_count() >= size:
                    yield Shape.of({rank: size}, key=rank, key_suit=False)
