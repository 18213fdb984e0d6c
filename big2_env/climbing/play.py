"""A play: cards on the table, read as one pattern; a move: a play of a seat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from big2_env.cards import CardSet
from big2_env.pictures import picture


@dataclass(frozen=True, slots=True)
class Play:
    """Cards under one reading (打牌), or an act without cards: a pass, a decision in an auction. True where it has cards.

    A ruleset makes plays, and it alone knows what they are worth. Those of one `category` compare by `power`; what else covers
    what is the ruleset's `covers`.
    """

    pattern: str
    """Name of the pattern, or of the act: `"pass"`, `"call"`, `"bid_2"`."""
    mask: int
    """The cards as bits, 0 for none."""
    category: int = -1
    """Index of the class of plays that compare directly; -1 for an act without cards."""
    power: int = -1
    """Strength inside the category: tier, then value of the key rank, then suit."""

    @property
    def cards(self) -> CardSet:
        """The cards as a set."""
        return CardSet(self.mask)

    @property
    def is_pass(self) -> bool:
        """Whether this is the pass (要不起)."""
        return self.pattern == "pass"

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __bool__(self) -> bool:
        return bool(self.mask)

    def __str__(self) -> str:
        return f"{self.pattern} {self.cards}" if self.mask else self.pattern

    def _repr_svg_(self) -> str:
        """The cards and the pattern's name, for notebooks."""
        return picture(self)


PASS: Final = Play("pass", 0)


class Move(NamedTuple):
    """One act of one seat."""

    seat: int
    play: Play
