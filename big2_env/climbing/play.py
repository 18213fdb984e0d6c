"""A play: cards on the table, read as one pattern."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from big2_env.cards import CardSet


@dataclass(frozen=True, slots=True)
class Play:
    """Cards under one reading (打牌), or a pass. Made by a ruleset, which alone knows what it is worth.

    Plays of one `category` compare by `power`; what else covers what is the ruleset's `covers`.
    """

    pattern: str
    """Name of the pattern, `"pass"` for a pass."""
    mask: int
    """The cards as bits, 0 for a pass."""
    category: int = -1
    """Index of the class of plays that compare directly; -1 for a pass."""
    power: int = -1
    """Strength inside the category: tier, then value of the key rank, then suit."""

    @property
    def cards(self) -> CardSet:
        """The cards as a set."""
        return CardSet(self.mask)

    @property
    def is_pass(self) -> bool:
        """Whether this is the pass (要不起)."""
        return not self.mask

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __bool__(self) -> bool:
        return bool(self.mask)

    def __str__(self) -> str:
        return f"{self.pattern} {self.cards}" if self.mask else self.pattern


PASS: Final = Play("pass", 0)
"""The one pass."""
