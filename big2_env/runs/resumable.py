"""Result files of long runs, with which a killed run can be resumed: JSON lines, a header and one line for each finished block.

Each line is written whole and at once, so a kill leaves at most one half line, which is cut off when the run is resumed.

Runs that are added up keep `Total`s, sums over items that are numbered from 0, in such a file:

| line | keys |
| --- | --- |
| first | `schema` 1, `kind`, and what decides the run |
| others | `part`, where the run has several; `first` item and `number` of items of a piece; its sums, a list under each name |

Pieces of a part follow each other without gaps. Lists are cut off behind the last number that is not 0.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from big2_env.errors import ConfigError, NotationError
from big2_env.json_values import parse_object, shown
from big2_env.runs.atomic_files import check_writable, lock, name_errors

T = TypeVar("T")
Sums = npt.NDArray[Any]
Take: TypeAlias = Callable[[dict[str, Any]], None]
"""Takes the data of a line; raises `NotationError` or `ConfigError` where they are wrong."""


def _ignore(data: dict[str, Any]) -> None:
    """Take the data of a line of a file that is not resumed."""


@contextmanager
def opened(
    path: Path,
    first: dict[str, Any],
    header: Take = _ignore,
    block: Take = _ignore,
    *,
    max_line: int,
    resume: bool = False,
    overwrite: bool = False,
) -> Iterator[Take]:
    """What writes a block to the file of a run: a new file, or with `resume` what is there, its half last line cut off.

    Args:
        path: the file; closed at the end of the block.
        first: the header of a new file.
        header: gets the header of a file that is there, before anything is changed; it refuses that of another run.
        block: gets its blocks.
        max_line: most bytes of a line.
        resume: whether to go on with a file that is there.
        overwrite: whether to throw it away.

    Raises:
        ConfigError: the file is there and not to be resumed or overwritten; it is of another run, or of no run at all; another
            process has it.
        NotationError: a line that is wrong, with its number.
        OSError: the file cannot be opened or written; it is named.
    """
    is_new = overwrite or not path.exists()
    try:
        # What is there goes when the file is ours, not when it is opened.
        if path.exists():
            check_writable(path)
        stream = path.open("a+b" if resume else "ab" if overwrite else "xb")
    except FileExistsError:
        raise ConfigError(f"{path} already exists: give --resume, --overwrite or another --out") from None
    has_begun = False
    try:
        with _closing(stream, path):
            if not lock(stream):
                raise ConfigError(f"{path} is being written by another process: only one may write at a time")
            end = _read(stream, path, first, header, block, max_line) if resume else 0
            with name_errors(path):
                stream.truncate(end)

            def write(data: dict[str, Any]) -> None:
                """Write a line; once this returns, a kill cannot lose it."""
                with name_errors(path):
                    stream.write(encoded(data))
                    stream.flush()

            if not end:
                write(first)
            has_begun = True
            yield write
    except OSError:
        if is_new and not has_begun:
            path.unlink(missing_ok=True)
        raise


def _read(stream: BinaryIO, path: Path, first: dict[str, Any], header: Take, block: Take, max_line: int) -> int:
    """Read what a file has, and return where its last whole line ends."""
    end = 0
    stream.seek(0)
    for line in _lines(stream, path, max_line):
        line.parse(block if end else header)
        end = line.end
    if not end:
        _check_partial(stream, path, encoded(first))
    return end


@contextmanager
def _closing(stream: BinaryIO, path: Path) -> Iterator[None]:
    """Close a file in the end; what that has to write may fail once more."""
    try:
        yield
    finally:
        with name_errors(path):
            stream.close()


def _check_partial(stream: BinaryIO, path: Path, start: bytes) -> None:
    """Refuse a file without a whole line that is no partial start of this run's: cutting it off would lose what is in it.

    Args:
        stream: the file, readable.
        path: its name, for the message.
        start: what a file of this run begins with.

    Raises:
        ConfigError: the file is not empty, and this run would not have written it.
    """
    stream.seek(0)
    if not start.startswith(stream.read(len(start) + 1)):
        raise ConfigError(f"{path}: not results of this run: expected a file that it wrote, an empty one or another --out")


def encoded(data: dict[str, Any]) -> bytes:
    """The line of some data."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def read_header(path: Path, header: Callable[[dict[str, Any]], T], *, max_line: int) -> T | None:
    """What `header` makes of the first line of a file; none where the file has no whole line.

    Raises:
        ConfigError: from `header`.
        NotationError: the line is wrong.
    """
    with path.open("rb") as stream:
        line = next(_lines(stream, path, max_line), None)
        return None if line is None else line.parse(header)


def read_blocks(path: Path, block: Callable[[dict[str, Any]], T], *, max_line: int) -> Iterator[T]:
    """What `block` makes of the lines after the first, one after another; a half-written last line does not count.

    Raises:
        NotationError: a line that is wrong, with its number.
    """
    with path.open("rb") as stream:
        for line in _lines(stream, path, max_line):
            if line.number > 1:
                yield line.parse(block)


class _Line(NamedTuple):
    """A whole line of a file."""

    path: Path
    number: int
    text: bytes
    end: int
    """Bytes of the file up to the end of the line."""

    def parse(self, read: Callable[[dict[str, Any]], T]) -> T:
        """What `read` makes of the line's object."""
        try:
            return read(parse_object(self.text.decode().rstrip()))
        except UnicodeDecodeError:
            raise NotationError(f"{self.path} line {self.number}: not UTF-8") from None
        except (NotationError, ConfigError) as error:
            if self.number == 1 and isinstance(error, ConfigError):
                raise ConfigError(f"{self.path}: {error}") from None
            raise NotationError(f"{self.path} line {self.number}: {error}") from None


def _lines(stream: BinaryIO, path: Path, max_line: int) -> Iterator[_Line]:
    """The whole lines of a file; a last one without its newline is left out."""
    number = end = 0
    while (text := stream.readline(max_line)).endswith(b"\n"):
        number, end = number + 1, end + len(text)
        yield _Line(path, number, text, end)
    if len(text) == max_line:
        raise NotationError(f"{path} line {number + 1}: more than {max_line} bytes")


SCHEMA: Final = 1
MAX_LINE: Final = 1 << 20
MAX_NUMBER: Final = 1 << 62
"""Larger whole numbers are no sums."""
MAX_SHOWN: Final = 200
"""Most characters of a value in an error."""


class Total:
    """What the first items of a run, or of a part of it, add up to.

    Args:
        sizes: how many numbers each sum has, by its name.
        dtype: int64 or float64, of the sums.
        largest: names of the sums of which not the sum but the largest number is kept.

    >>> total = Total({"won": 1})
    >>> total.add(3, np.array([2]))
    >>> total.number, total.sums.tolist()
    (3, [2])
    """

    def __init__(self, sizes: Mapping[str, int], dtype: npt.DTypeLike = np.int64, largest: tuple[str, ...] = ()) -> None:
        self._sizes, self._largest = dict(sizes), largest
        self.number = 0
        self.sums: Sums = np.zeros(sum(self._sizes.values()), dtype)
        """Their sums, one after another in the order of the names."""
        self._write: Take | None = None

    def add(self, number: int, sums: Sums) -> None:
        """Count the next items. Where the run has a file, a kill cannot lose them once this returns."""
        if self._write is not None:
            self._write({"first": self.number, "number": number} | self._data(sums))
        self._count(number, sums)

    def _count(self, number: int, sums: Sums) -> None:
        before = self._parts(self.sums.copy())
        self.sums += sums
        for name, part in self._parts(self.sums).items():
            if name in self._largest:
                part[:] = np.maximum(before[name], self._parts(sums)[name])
        self.number += number

    def _parts(self, sums: Sums) -> dict[str, Sums]:
        """Views of the sums by name."""
        ends = np.cumsum(list(self._sizes.values()))[:-1]
        return dict(zip(self._sizes, np.split(sums, ends), strict=True))

    def _data(self, sums: Sums) -> dict[str, list[int | float]]:
        return {name: part[: max([1, *(np.flatnonzero(part) + 1)])].tolist() for name, part in self._parts(sums).items()}

    def take(self, data: dict[str, Any]) -> None:
        """Count the piece of a line.

        Raises:
            NotationError: it is none, or not the one that comes next.
        """
        if data.get("first") != self.number:
            raise NotationError(f"expected first {self.number}, the number of items before, got {shown(data.get('first'))}")
        number = data.get("number")
        if type(number) is not int or not 1 <= number <= MAX_NUMBER:
            raise NotationError(f"number: expected a whole number of at least 1, got {shown(number)}")
        sums = np.zeros_like(self.sums)
        allowed = (int,) if sums.dtype == np.int64 else (int, float)
        for name, part in self._parts(sums).items():
            given = data.get(name)
            if not isinstance(given, list) or not all(type(one) in allowed and abs(one) <= MAX_NUMBER for one in given):
                raise NotationError(f"{name}: expected a list of numbers, got {shown(given)}")
            if len(given) > len(part):
                raise NotationError(f"{name}: expected at most {len(part)} numbers, got {len(given)}")
            part[: len(given)] = given
        self._count(number, sums)


@contextmanager
def kept(
    path: Path | None,
    header: dict[str, Any],
    totals: Mapping[str, Total],
    *,
    resume: bool = False,
    overwrite: bool = False,
) -> Iterator[None]:
    """Keep what is added to totals of no items in a file, until the block ends; with `resume` what the file has is added first.

    Args:
        path: the file; `None` keeps nothing.
        header: `kind`, and what decides the run, as JSON values.
        totals: the parts of the run by name.
        resume: go on with a file that is there.
        overwrite: throw it away.

    Raises:
        ConfigError: the file is there and not to be resumed or overwritten; it is of another run; another process has it.
        NotationError: a line that is wrong, with its number.
    """
    if path is None:
        yield
        return
    first = {"schema": SCHEMA} | header

    def same(data: dict[str, Any]) -> None:
        if (data.get("schema"), data.get("kind")) != (SCHEMA, header["kind"]):
            there = f"{shown(data.get('kind'))}, {shown(data.get('schema'))}"
            raise NotationError(f"expected kind {header['kind']}, schema {SCHEMA}, got {there}")
        _check_same("", data, first)

    def block(data: dict[str, Any]) -> None:
        part: Any = data.get("part") if len(totals) > 1 else next(iter(totals))
        if not isinstance(part, str) or part not in totals:
            raise NotationError(f"part: expected one of {', '.join(totals)}, got {shown(part)}")
        totals[part].take(data)

    def write(line: Take, part: str, data: dict[str, Any]) -> None:
        line(({"part": part} if len(totals) > 1 else {}) | data)

    with opened(path, first, same, block, max_line=MAX_LINE, resume=resume, overwrite=overwrite) as line:
        for name, total in totals.items():
            total._write = partial(write, line, name)
        try:
            yield
        finally:
            for total in totals.values():
                total._write = None


def _check_same(what: str, there: Any, here: Any) -> None:
    """Refuse another value than this run's, and name the first that differs.

    Raises:
        ConfigError: it is another.
    """
    if isinstance(there, dict) and isinstance(here, dict):
        for name in dict.fromkeys([*here, *there]):
            _check_same(f"{what} {name}".lstrip(), there.get(name), here.get(name))
    elif there != here:
        raise ConfigError(f"made with {what} {str(there)[:MAX_SHOWN]}, but this run has {str(here)[:MAX_SHOWN]}")
