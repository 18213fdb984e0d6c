"""Surveys: many deals solved on all cores, with a results file. Deal k has the seed (seed + k).

A results file is in JSON Lines format: a header, then one line for each finished block.

| line | keys |
| --- | --- |
| first | `schema` 1, `kind` "big2 klondike survey", `seed`, `max_positions` |
| others | `first`, `deals`; `lost` and `undecided` (deal numbers); `positions` searched in total, `most` for one deal |

Blocks have no gaps. `big2_env.runs.resumable` describes how to resume an interrupted run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.json_values import shown, whole_at
from big2_env.games.klondike.cards import shuffled
from big2_env.games.klondike.position import KlondikePosition
from big2_env.games.klondike.solver import MAX_POSITIONS, Verdict, solve
from big2_env.runs.executors import LOCAL, Executor
from big2_env.runs.intervals import wilson
from big2_env.runs.resumable import Format

BLOCK: Final = 100
"""Deals per block."""
PUBLISHED: Final = (0.9042, 0.9054)
"""Bounds for the winnable fraction by Blake and Gent (arXiv 1906.12314 v6): 904,226 won, 94,629 lost, 1,145 undecided."""


@dataclass(frozen=True)
class Block:
    """Results of consecutive deals."""

    first: int
    deals: int
    lost: tuple[int, ...]
    undecided: tuple[int, ...]
    positions: int
    """Positions searched for all deals together."""
    most: int
    """Positions searched for the hardest deal."""


@dataclass
class Survey:
    """Results so far. `seed` and `max_positions` determine them."""

    seed: int = 0
    max_positions: int = MAX_POSITIONS
    deals: int = 0
    lost: list[int] = field(default_factory=list)
    """Numbers of the lost deals, ascending."""
    undecided: list[int] = field(default_factory=list)
    positions: int = 0
    most: int = 0

    def __post_init__(self) -> None:
        if self.max_positions < 1:
            raise ConfigError(f"expected max_positions of at least 1, got {self.max_positions}")

    @property
    def won(self) -> int:
        """Number of deals proven winnable."""
        return self.deals - len(self.lost) - len(self.undecided)

    @property
    def interval(self) -> tuple[float, float]:
        """95% confidence interval for the fraction of winnable deals.

        The lower bound counts undecided deals as lost, the upper bound counts them as won.
        """
        return wilson(self.won, self.deals)[0], wilson(self.deals - len(self.lost), self.deals)[1]

    def add(self, block: Block) -> None:
        """Add a block.

        Raises:
            ConfigError: The block does not follow the previous one.
        """
        if block.first != self.deals:
            raise ConfigError(f"expected the block from deal {self.deals} on, got the one from deal {block.first} on")
        self.deals += block.deals
        self.lost += block.lost
        self.undecided += block.undecided
        self.positions += block.positions
        self.most = max(self.most, block.most)


def solve_block(seed: int, first: int, deals: int, max_positions: int = MAX_POSITIONS) -> Block:
    """Solve consecutive deals of a survey.

    Args:
        seed: Seed of deal 0.
        first: Number of the first deal.
        deals: Number of deals.
        max_positions: Limit on stored positions per deal.
    """
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
    """Return a context manager that yields the missing blocks of a survey in order.

    Args:
        survey: Results so far.
        deals: Number of deals in the finished survey.
        executor: Where to compute.
    """
    solved = partial(_solved, survey.seed, survey.max_positions, deals)
    return executor.map(solved, range(survey.deals, deals, BLOCK), releases_gil=True)


def _solved(seed: int, max_positions: int, deals: int, first: int) -> Block:
    return solve_block(seed, first, min(BLOCK, deals - first), max_positions)


def _survey(data: dict[str, Any]) -> Survey:
    return Survey(whole_at(data, "seed", least=None), whole_at(data, "max_positions", least=1))


def _block(data: dict[str, Any]) -> Block:
    first, deals = whole_at(data, "first"), whole_at(data, "deals", least=1)
    numbers = []
    for key in ("lost", "undecided"):
        given = data.get(key)
        if not isinstance(given, list) or not all(type(one) is int and first <= one < first + deals for one in given):
            raise NotationError(f"{key}: expected a list of numbers from {first} to {first + deals - 1}, got {shown(given)}")
        numbers.append(tuple(given))
    if len({*numbers[0], *numbers[1]}) < len(numbers[0]) + len(numbers[1]):
        raise NotationError("lost, undecided: a deal is named twice")
    return Block(first, deals, numbers[0], numbers[1], whole_at(data, "positions"), whole_at(data, "most"))


def _line(block: Block) -> dict[str, Any]:
    data = {"first": block.first, "deals": block.deals, "lost": block.lost, "undecided": block.undecided}
    return data | {"positions": block.positions, "most": block.most}


SURVEYS: Final = Format(
    kind="big2 klondike survey",
    header=lambda survey: {"seed": survey.seed, "max_positions": survey.max_positions},
    run=_survey,
    blocks=lambda survey: _block,
    line=_line,
)
"""Format of the results files."""


def load(path: Path) -> Survey:
    """Return the survey in a results file. An incomplete last line is ignored.

    Raises:
        NotationError: A line is invalid; the message gives its number.
    """
    return SURVEYS.gather(path, Survey.add)
