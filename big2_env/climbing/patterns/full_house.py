"""Full house (葫蘆)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from big2_env.base.errors import ConfigError
from big2_env.base.validated import Checked
from big2_env.climbing.order import CardOrder
from big2_env.climbing.runs import JOKERS
from big2_env.climbing.shapes import Pattern, Shape


@dataclass(frozen=True)
class FullHouse(Checked, Pattern):
    """Three cards of one rank and two of another; compared by the three.

    Args:
        jokers: Jokers that may form the pair: `"none"`, `"both"` (a little and a big one) or `"same"` (two of one color).

    Raises:
        ConfigError: `jokers` has another value.
    """

    name = "full_house"
    zh = "葫蘆"

    jokers: str = "none"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.jokers not in ("none", "both", "same"):
            raise ConfigError(f"full house: expected jokers 'none', 'both' or 'same', got {self.jokers!r}")

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Yield a shape for each ordered choice of two ranks."""
        for three, two in permutations(order.suited_ranks, 2):
            yield Shape.of({three: 3, two: 2}, key=three, key_suit=False)
        pairs = {"none": (), "both": (JOKERS,), "same": tuple((joker, joker) for joker in JOKERS)}[self.jokers]
        for three in order.suited_ranks:
            for pair in pairs:
                yield Shape.of([three] * 3 + [*pair], key=three, key_suit=False)
