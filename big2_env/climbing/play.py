"""`Play`, a group of cards read as one pattern, and `Move`, a play made by a seat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self

from big2_env.base.cards import CardSet
from big2_env.base.pictures import picture
from big2_env.base.validated import Frozen


@dataclass(frozen=True, slots=True)
class Play(Frozen):
    """Cards read as one pattern (打牌), or a move without cards: a pass or an auction decision.

    A ruleset creates plays. Plays of the same `category` compare by `power`; use `RuleSet.beats` for every other comparison. A
    play is true if it has cards.

    Args:
        pattern: Name of the pattern or of the move, such as `"pass"`, `"call"` or `"bid_2"`.
        mask: Cards as a bit mask; 0 for none.
        category: Index of the class of plays that compare directly; -1 without cards.
        power: Strength within the category: tier, then value of the key rank, then suit. The value of an auction decision.
    """

    pattern: str
    mask: int
    category: int = -1
    power: int = -1

    @property
    def cards(self) -> CardSet:
        """Cards as a `CardSet`."""
        return CardSet(self.mask)

    @property
    def is_pass(self) -> bool:
        """True for a pass (要不起)."""
        return self.pattern == "pass"

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __bool__(self) -> bool:
        return bool(self.mask)

    def __str__(self) -> str:
        return f"{self.pattern} {self.cards}" if self.mask else self.pattern

    def _repr_svg_(self) -> str:
        """Return an SVG of the cards with the pattern's name, for notebooks."""
        return picture(self)


PASS: Final = Play("pass", 0)


class Move(NamedTuple):
    """A move of one seat: a play, a pass or an auction decision."""

    seat: int
    play: Play

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
