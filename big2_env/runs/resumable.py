"""Results files that a killed run can continue: JSON lines, a header and then one line per finished block.

Each line is written in one piece, so a kill leaves at most half a line, which is cut off when the run is resumed. The header
names the kind of file and the settings that decide the run; the file of another run is refused. A `Format` turns runs and
blocks into JSON and back: it opens, reads and merges the files of one kind.

Runs that only add up numbers keep `Total`s in such a file, sums over items numbered from 0:

| line | keys |
| --- | --- |
| first | `schema` 1, `kind`, and the settings that decide the run |
| others | `part`, if the run has several; `first` item and `number` of items; a list per sum, under its name |

The lines of a part follow each other without gaps. Trailing zeros of a list are left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, BinaryIO, Final, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from big2_env.base.errors import ConfigError, NotationError, one_line
from big2_env.base.json_values import parse_object, shown, whole_at
from big2_env.base.outside import text_of
from big2_env.runs.atomic_files import check_writable, lock, name_errors, replace_file

T = TypeVar("T")
R = TypeVar("R")
B = TypeVar("B")
Sums = npt.NDArray[Any]
Take: TypeAlias = Callable[[dict[str, Any]], None]
"""A function that reads the data of a line and raises `NotationError` or `ConfigError` if they are wrong."""


def _ignore(block: object) -> None:
    """Ignore a block, in a file that is not resumed."""


SCHEMA: Final = 1
MAX_LINE: Final = 1 << 20
"""Most bytes per line, unless a format has its own limit."""


@dataclass(frozen=True)
class Format(Generic[R, B]):
    """Format of the results files of one kind of run."""

    kind: str
    """Value of `kind` in the header."""
    header: Callable[[R], dict[str, Any]]
    """Returns the settings that decide a run, as JSON values."""
    run: Callable[[dict[str, Any]], R]
    """Returns the run of a header. Raises `NotationError` or `ConfigError` if it is wrong, like the next one."""
    blocks: Callable[[R], Callable[[dict[str, Any]], B]]
    """Returns the function that reads the blocks of a run's file, in order."""
    line: Callable[[B], dict[str, Any]]
    """Returns a block as JSON values."""
    max_line: int = MAX_LINE
    """Most bytes per line."""

    def first(self, run: R) -> dict[str, Any]:
        """Return the first line of a run's file."""
        return {"schema": SCHEMA, "kind": self.kind} | self.header(run)

    @contextmanager
    def open(
        self, path: Path | None, run: R, take: Callable[[B], object] = _ignore, *, resume: bool = False, overwrite: bool = False
    ) -> Iterator[Callable[[B], None]]:
        """Open the file of a run, and yield a function that writes a block.

        Args:
            path: Results file; `None` keeps nothing.
            run: Settings of the run.
            take: Called with each block of an existing file.
            resume: True to continue an existing file.
            overwrite: True to discard an existing file.

        Raises:
            As of `opened`.
        """
        first, read = self.first(run), self.blocks(run)

        def block(data: dict[str, Any]) -> None:
            take(read(data))

        with opened(path, first, block, max_line=self.max_line, resume=resume, overwrite=overwrite) as write:
            yield lambda block: write(self.line(block))

    def read(self, path: Path) -> R | None:
        """Return the run of a file; `None` if the file has no whole line.

        Raises:
            As of `load`.
        """

        def header(data: dict[str, Any]) -> R:
            check_kind(data, self.kind, SCHEMA)
            return self.run(data)

        line = next(self._lines(path), None)
        return None if line is None else line.parse(header)

    def load(self, path: Path) -> tuple[R, Iterator[B]]:
        """Return the run of a file, and an iterator over its blocks; an unfinished last line is ignored.

        Raises:
            ConfigError: The run is invalid here, such as unknown rules.
            NotationError: A line is wrong; the error gives its number.
        """
        run = self.read(path)
        if run is None:
            raise NotationError(f"{path}: expected results of {self.kind}, got no whole line")
        read = self.blocks(run)
        return run, (line.parse(read) for line in islice(self._lines(path), 1, None))

    def gather(self, path: Path, take: Callable[[R, B], object]) -> R:
        """Return the run of a file, after a call of `take` for each block, whose errors get the number of the line.

        Args and errors as of `load`.
        """
        run, _ = self.load(path)
        read = self.blocks(run)
        for line in islice(self._lines(path), 1, None):
            line.parse(lambda data: take(run, read(data)))
        return run

    def _lines(self, path: Path) -> Iterator[Line]:
        with path.open("rb") as stream:
            yield from whole_lines(stream, path, self.max_line)

    def merge(
        self,
        paths: Sequence[Path],
        out: Path,
        key: Callable[[B], T],
        name: Callable[[T], str],
        check: Callable[[R, list[T]], None],
        *,
        overwrite: bool = False,
    ) -> None:
        """Merge files of the same run into the file that a single machine writes.

        Args:
            paths: Files with some of the blocks each.
            out: The merged file, with the blocks by key.
            key: Returns the place of a block in the run.
            name: Returns a place as text, such as `deal 3`.
            check: Called with the run and all places, ascending; raises `ConfigError` if some are missing.
            overwrite: True to replace an existing file.

        Raises:
            ConfigError: The files are of different runs, or have a block twice; nothing is written.
            NotationError: A line is wrong; the error gives its number.
        """
        if not paths:
            raise ConfigError("expected at least one file to merge, got none")
        if out.exists() and not overwrite:
            raise ConfigError(f"{out} already exists: give --overwrite or another --out")
        check_writable(out)
        if any(out.exists() and out.samefile(path) for path in paths):
            raise ConfigError(f"expected an --out that is not one of the files to merge, got {out}")
        run, _ = self.load(paths[0])
        first = next(self._lines(paths[0])).parse(dict)
        places: list[tuple[Any, int, int]] = []
        for number, path in enumerate(paths):
            read = self.blocks(run)
            for line in self._lines(path):
                if line.number == 1:
                    line.parse(partial(_check_header, first))
                else:
                    places.append((key(line.parse(read)), number, line.end - len(line.text)))
        places.sort()
        with ExitStack() as stack:
            streams = [stack.enter_context(path.open("rb")) for path in paths]

            def text(place: tuple[Any, int, int]) -> bytes:
                streams[place[1]].seek(place[2])
                return streams[place[1]].readline()

            for one, other in pairwise(places):
                if one[0] == other[0]:
                    how = "with the same results" if text(one) == text(other) else "with other results"
                    twice = f"{name(one[0])} in {paths[one[1]]} and, {how}, in {paths[other[1]]}"
                    raise ConfigError(f"expected every block in one file, got {twice}")
            check(run, [place[0] for place in places])
            with replace_file(out) as new, new.open("wb") as file:
                file.write(streams[0].readline())
                file.writelines(map(text, places))


@contextmanager
def opened(
    path: Path | None,
    first: dict[str, Any],
    block: Callable[[dict[str, Any]], object] = _ignore,
    *,
    max_line: int = MAX_LINE,
    resume: bool = False,
    overwrite: bool = False,
) -> Iterator[Take]:
    """Open the results file of a run, and yield a function that writes a block, which returns when a kill cannot lose it.

    The file is new, or with `resume` an existing one, whose unfinished last line is cut off. It is closed at the end of the
    block.

    Args:
        path: Results file; `None` keeps nothing.
        first: Header of a new file. An existing file with another kind, schema or setting is refused.
        block: Called with each block of an existing file.
        max_line: Most bytes per line.
        resume: True to continue an existing file.
        overwrite: True to discard an existing file.

    Raises:
        ConfigError: The file exists and is neither to be resumed nor overwritten, belongs to another run, or is being written
            by another process.
        NotationError: A line is wrong; the error gives its number.
        OSError: The file cannot be opened or written; the error names it.
    """
    if path is None:
        yield _ignore
        return
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
            end = _read(stream, path, first, block, max_line) if resume else 0
            with name_errors(path):
                stream.truncate(end)

            def write(data: dict[str, Any]) -> None:
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


def _read(stream: BinaryIO, path: Path, first: dict[str, Any], block: Callable[[dict[str, Any]], object], max_line: int) -> int:
    """Read an existing file, and return the offset at which its last whole line ends."""
    end = 0
    stream.seek(0)
    for line in whole_lines(stream, path, max_line):
        line.parse(block if end else partial(_check_header, first))
        end = line.end
    if not end:
        _check_partial(stream, path, encoded(first))
    return end


@contextmanager
def _closing(stream: BinaryIO, path: Path) -> Iterator[None]:
    """Close a file at the end of the block. The last write may fail here, so the error names the file."""
    try:
        yield
    finally:
        with name_errors(path):
            stream.close()


def _check_partial(stream: BinaryIO, path: Path, start: bytes) -> None:
    """Refuse a file without a whole line, unless this run wrote it: truncating it would lose its contents.

    Args:
        stream: File, readable.
        path: Its name, for the message.
        start: Header line of this run.

    Raises:
        ConfigError: The file is not empty, and this run would not have written it.
    """
    stream.seek(0)
    if not start.startswith(stream.read(len(start) + 1)):
        raise ConfigError(f"{path}: not results of this run: expected a file that it wrote, an empty one or another --out")


def encoded(data: dict[str, Any]) -> bytes:
    """Return the line of some data, as UTF-8 JSON with a newline."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"


class Line(NamedTuple):
    """A whole line of a file."""

    path: Path
    number: int
    text: bytes
    end: int
    """Offset of the line's end, in bytes."""

    def parse(self, read: Callable[[dict[str, Any]], T]) -> T:
        """Return the result of `read` for the line's object; errors get the file's name and the line's number."""
        try:
            return read(parse_object(text_of(self.text.rstrip())))
        except (NotationError, ConfigError) as error:
            if self.number == 1 and isinstance(error, ConfigError):
                raise ConfigError(f"{self.path}: {error}") from None
            raise NotationError(f"{self.path} line {self.number}: {error}") from None


def whole_lines(stream: BinaryIO, path: Path, max_line: int) -> Iterator[Line]:
    """Yield the whole lines of a file; a last line without newline is left out.

    Args:
        stream: The file, at its start.
        path: Its name, for errors.
        max_line: Most bytes per line.

    Raises:
        NotationError: A line is longer.
    """
    number = end = 0
    while (text := stream.readline(max_line)).endswith(b"\n"):
        number, end = number + 1, end + len(text)
        yield Line(path, number, text, end)
    if len(text) == max_line:
        raise NotationError(f"{path} line {number + 1}: more than {max_line} bytes")


MAX_NUMBER: Final = 1 << 62
"""Largest whole number that is accepted in a sum."""
MAX_SHOWN: Final = 200
"""Most characters of a value in an error."""


class Total:
    """Sums over the first items of a run, or of a part of it.

    Args:
        sizes: Length of each list of sums, by its name.
        dtype: int64 or float64, of the sums.
        largest: Names of lists that keep the largest value instead of the sum.

    >>> total = Total({"won": 1})
    >>> total.add(3, np.array([2]))
    >>> total.number, total.sums.tolist()
    (3, [2])
    """

    def __init__(self, sizes: Mapping[str, int], dtype: npt.DTypeLike = np.int64, largest: tuple[str, ...] = ()) -> None:
        self._sizes, self._largest = dict(sizes), largest
        self.number = 0
        self.sums: Sums = np.zeros(sum(self._sizes.values()), dtype)
        """All sums, concatenated in the order of the names."""
        self._write: Take | None = None

    def add(self, number: int, sums: Sums) -> None:
        """Add the sums of the next items. If the run has a file, a kill cannot lose them once this returns.

        Args:
            number: Number of items.
            sums: Their sums, concatenated in the order of the names.
        """
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
        """Return views of the sums by name."""
        ends = np.cumsum(list(self._sizes.values()))[:-1]
        return dict(zip(self._sizes, np.split(sums, ends), strict=True))

    def _data(self, sums: Sums) -> dict[str, list[int | float]]:
        return {name: part[: max([1, *(np.flatnonzero(part) + 1)])].tolist() for name, part in self._parts(sums).items()}

    def take(self, data: dict[str, Any]) -> None:
        """Add the sums of a line.

        Raises:
            NotationError: The line is not valid, or does not continue at the next item.
        """
        if data.get("first") != self.number:
            raise NotationError(f"expected first {self.number}, the number of items before, got {shown(data.get('first'))}")
        number = whole_at(data, "number", MAX_NUMBER, 1)
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
    """Keep in a file what is added to totals during the block; with `resume` add the contents of the file first.

    Args:
        path: Results file; `None` keeps nothing.
        header: `kind`, and the settings that decide the run, as JSON values.
        totals: Parts of the run by name, all without items.
        resume: True to continue an existing file.
        overwrite: True to discard an existing file.

    Raises:
        ConfigError: The file exists and is neither to be resumed nor overwritten, belongs to another run, or is being written
            by another process.
        NotationError: A line is wrong; the error gives its number.
    """

    def block(data: dict[str, Any]) -> None:
        part: Any = data.get("part") if len(totals) > 1 else next(iter(totals))
        if not isinstance(part, str) or part not in totals:
            raise NotationError(f"part: expected one of {', '.join(totals)}, got {shown(part)}")
        totals[part].take(data)

    def write(line: Take, part: str, data: dict[str, Any]) -> None:
        line(({"part": part} if len(totals) > 1 else {}) | data)

    with opened(path, {"schema": SCHEMA} | header, block, resume=resume, overwrite=overwrite) as line:
        for name, total in totals.items():
            total._write = partial(write, line, name)
        try:
            yield
        finally:
            for total in totals.values():
                total._write = None


def check_kind(data: dict[str, Any], kind: str, schema: int | None) -> None:
    """Refuse the header of a file of another kind.

    Args:
        data: The header.
        kind: Expected kind.
        schema: Expected schema; `None` if files of this kind have none.

    Raises:
        NotationError: The file has another kind or schema.
    """
    if (data.get("kind"), data.get("schema")) != (kind, schema):
        wanted = kind if schema is None else f"{kind}, schema {schema}"
        raise NotationError(f"expected kind {wanted}, got {shown(data.get('kind'))}, {shown(data.get('schema'))}")


def _check_header(here: dict[str, Any], there: dict[str, Any]) -> None:
    """Refuse a header that differs from this run's.

    Args:
        here: Header of this run.
        there: Header of the file that is to be continued.

    Raises:
        ConfigError: The settings differ.
        NotationError: The file has another kind or schema.
    """
    if "kind" in here:
        check_kind(there, here["kind"], here.get("schema"))
    check_same(parse_object(encoded(here).decode()), there)


def check_same(here: Any, there: Any, place: str = "", what: str = "") -> None:
    """Refuse another run, and name the first difference.

    Args:
        here: Settings of this run, as JSON values.
        there: Settings of the run that is to be continued.
        place: Its file or folder, with a colon and a blank, if the caller does not name it.
        what: Name of the settings.

    Raises:
        ConfigError: The settings differ.
    """
    if isinstance(there, dict) and isinstance(here, dict):
        for name in dict.fromkeys([*here, *there]):
            check_same(here.get(name), there.get(name), place, f"{what} {name}".lstrip())
    elif there != here:
        found, wanted = (one_line(str(value), MAX_SHOWN) for value in (there, here))
        raise ConfigError(f"{place}made with {what} {found}, but this run has {wanted}")
