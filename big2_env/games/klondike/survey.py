"""Many deals solved on all cores. Deal k is dealt by the seed (seed + k)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from big2_env.errors import ConfigError
from big2_env.games.klondike.cards import shuffled
from big2_env.games.klondike.position import KlondikePosition
from big2_env.games.klondike.solver import MAX_POSITIONS, Verdict, solve
from big2_env.runs.executors import LOCAL, Executor
from big2_env.runs.intervals import wilson

BLOCK: Final = 100
"""Deals of a block."""
PUBLISHED: Final = (0.9042, 0.9054)
"""What Blake and Gent found for a million deals (arXiv 1906.12314 v6): 904,226 won, 94,629 lost, 1,145 undecided."""


@dataclass(frozen=True)
class Block:
    """What came out for deals that follow each other."""

    first: int
    deals: int
    lost: tuple[int, ...]
    undecided: tuple[int, ...]
    positions: int
    """Positions looked at, all deals together."""
    most: int
    """And those of the deal that took most."""


@dataclass
class Survey:
    """What came out so far. `seed` and `max_positions` decide it."""

    seed: int = 0
    max_positions: int = MAX_POSITIONS
    deals: int = 0
    lost: list[int] = field(default_factory=list)
    """The numbers of the lost deals, ascending."""
    undecided: list[int] = field(default_factory=list)
    positions: int = 0
    most: int = 0

    def __post_init__(self) -> None:
        if self.max_positions < 1:
            raise ConfigError(f"expected max_positions of at least 1, got {self.max_positions}")

    @property
    def won(self) -> int:
        """How many deals are winnable for sure."""
        return self.deals - len(self.lost) - len(self.undecided)

    @property
    def interval(self) -> tuple[float, float]:
        """The share of winnable deals: from the 95 % interval with all undecided ones lost to that with all of them won."""
        return wilson(self.won, self.deals)[0], wilson(self.deals - len(self.lost), self.deals)[1]

    def add(self, block: Block) -> None:
        """Count a block.

        Raises:
            ConfigError: it is not the one that comes next.
        """
        if block.first != self.deals:
            raise ConfigError(f"expected the block from deal {self.deals} on, got the one from deal {block.first} on")
        self.deals += block.deals
        self.lost += block.lost
        self.undecided += block.undecided
        self.positions += block.positions
        self.most = max(self.most, block.most)


def solve_block(seed: int, first: int, deals: int, max_positions: int = MAX_POSITIONS) -> Block:
    """What comes out for the deals from number `first` on of a survey."""
    found = [
        solve(KlondikePosition.deal(shuffled(seed + number)), max_positions=max_positions, line=False, plain_positions=0)
        for number in range(first, first + deals)
    ]
    numbers: dict[Verdict, list[int]] = {verdict: [] for verdict in Verdict}
    for number, one in enumerate(found, start=first):
        numbers[one.verdict].append(number)
    positions = [one.positions for one in found]
    return Block(first, deals, tuple(numbers[Verdict.LOST]), tuple(numbers[Verdict.OPEN]), sum(positions), max(positions))


def blocks(survey: Survey, deals: int, *, executor: Executor = LOCAL) -> AbstractContextManager[Iterator[Block]]:
    """The blocks that a survey lacks up to so many deals, in order, until the context ends."""
    solved = partial(_solved, survey.seed, survey.max_positions, deals)
    return executor.map(solved, range(survey.deals, deals, BLOCK), releases_gil=True)


def _solved(seed: int, max_positions: int, deals: int, first: int) -> Block:
    return solve_block(seed, first, min(BLOCK, deals - first), max_positions)
