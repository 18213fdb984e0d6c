"""The file of a survey: JSON lines, a header and then one line for each finished block.

| line | keys |
| --- | --- |
| first | `schema` 1, `kind` "big2 klondike survey", `seed`, `max_positions` |
| others | `first`, `deals`; `lost` and `undecided`, the numbers of those deals; `positions` looked at, `most` for one |

Blocks follow each other without gaps. `big2_env.runs.resumable` says how a killed run goes on with its file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from big2_env.errors import ConfigError, NotationError
from big2_env.games.klondike.survey import Block, Survey
from big2_env.json_values import shown
from big2_env.runs.resumable import Take, opened, read_blocks, read_header

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
