"""Many deals solved on all cores, and the file of such a survey. Deal k is dealt by the seed (seed + k).

The file is JSON lines, a header and then one line for each finished block.

| line | keys |
| --- | --- |
| first | `schema` 1, `kind` "big2 klondike survey", `seed`, `max_positions` |
| others | `first`, `deals`; `lost` and `undecided`, the numbers of those deals; `positions` looked at, `most` for one |

Blocks follow each other without gaps. `big2_env.runs.resumable` describes how a killed run continues with its file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from big2_env.errors import ConfigError, NotationError
from big2_env.games.klondike.cards import shuffled
from big2_env.games.klondike.position import KlondikePosition
from big2_env.games.klondike.solver import MAX_POSITIONS, Verdict, solve
from big2_env.json_values import shown
from big2_env.runs.executors import LOCAL, Executor
from big2_env.runs.intervals import wilson
from big2_env.runs.resumable import Take, opened, read_blocks, read_header

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


SCHEMA: Final = 1
KIND: Final = "big2 klondike survey"
MAX_LINE: Final = 1 << 20
"""Most bytes that a line may have."""


class SurveyFile:
    """An open file of a survey."""

    def __init__(self, write: Take, survey: Survey) -> None:
        self._write = write
        self.survey = survey
        """What the file has."""

    def add(self, block: Block) -> None:
        """Write a block; once this returns, a kill cannot lose it. Raises as `Survey.add`."""
        self.survey.add(block)
        data = {"first": block.first, "deals": block.deals, "lost": block.lost, "undecided": block.undecided}
        self._write(data | {"positions": block.positions, "most": block.most})


@contextmanager
def survey_file(path: Path, wanted: Survey, *, resume: bool = False, overwrite: bool = False) -> Iterator[SurveyFile]:
    """The file of a survey that has no deals yet: a new one, or with `resume` what is there, its half last line cut off.

    Raises:
        ConfigError: the file is there and not to be resumed or overwritten; it is of another survey; another process has it.
        NotationError: a line that is wrong, with its number.
    """

    def same(data: dict[str, Any]) -> None:
        found = _header(data)
        for name in ("seed", "max_positions"):
            there, here = getattr(found, name), getattr(wanted, name)
            if there != here:
                raise ConfigError(f"made with {name} {there}, but this run has {here}")

    header = {"schema": SCHEMA, "kind": KIND, "seed": wanted.seed, "max_positions": wanted.max_positions}
    takes = (same, lambda data: wanted.add(_block(data)))
    with opened(path, header, *takes, max_line=MAX_LINE, resume=resume, overwrite=overwrite) as write:
        yield SurveyFile(write, wanted)


def load(path: Path) -> Survey:
    """The survey of a file; a half-written last line does not count.

    Raises:
        NotationError: a line that is wrong, with its number.
    """
    found = read_header(path, _header, max_line=MAX_LINE)
    if found is None:
        raise NotationError(f"{path}: no {KIND}")
    for _ in read_blocks(path, lambda data: found.add(_block(data)), max_line=MAX_LINE):
        pass
    return found


def _whole(data: dict[str, Any], key: str, least: int | None = 0) -> int:
    value = data.get(key)
    if type(value) is not int or (least is not None and value < least):
        raise NotationError(
            f"{key}: expected a whole number{'' if least is None else f' of at least {least}'}, got {shown(value)}"
        )
    return value


def _header(data: dict[str, Any]) -> Survey:
    if data.get("kind") != KIND or data.get("schema") != SCHEMA:
        raise NotationError(
            f"expected kind {KIND}, schema {SCHEMA}, got {shown(data.get('kind'))}, {shown(data.get('schema'))}"
        )
    return Survey(_whole(data, "seed", None), _whole(data, "max_positions", 1))


def _block(data: dict[str, Any]) -> Block:
    first, deals = _whole(data, "first"), _whole(data, "deals", 1)
    numbers = []
    for key in ("lost", "undecided"):
        given = data.get(key)
        if not isinstance(given, list) or not all(type(one) is int and first <= one < first + deals for one in given):
            raise NotationError(f"{key}: expected a list of numbers from {first} to {first + deals - 1}, got {shown(given)}")
        numbers.append(tuple(given))
    if len({*numbers[0], *numbers[1]}) < len(numbers[0]) + len(numbers[1]):
        raise NotationError("lost, undecided: a deal is named twice")
    return Block(first, deals, numbers[0], numbers[1], _whole(data, "positions"), _whole(data, "most"))
