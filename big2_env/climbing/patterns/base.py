"""What a card pattern (牌型) is: its names and its shapes, nothing else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import ClassVar

from big2_env.climbing.order import CardOrder
from big2_env.climbing.shapes import Shape


class Pattern(ABC):
    """A kind of card combination that may be played.

    A subclass is a frozen dataclass that names itself and lists its shapes; classification, enumeration, compiled tables,
    action ids and labels follow from those. To add one, write one new file: a module of this folder, or a class of any package
    announced under the entry-point group `big2_env.patterns`, or just hand the instance to `RuleSet.with_patterns`.
    """

    name: ClassVar[str]
    """Identifier, the same in rulesets, records and commands."""
    zh: ClassVar[str]
    """Chinese name, the one that the text format prints."""

    @abstractmethod
    def shapes(self, order: CardOrder) -> Iterable[Shape]:
        """Every shape of the pattern under an order of cards, each once."""
