"""Files of long runs: JSON lines, a header and then one line for each finished block, that a killed run can go on with.

Each line is written whole and at once, so a kill leaves at most one half line, which is cut off when the run is resumed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias, TypeVar

from big2_env.errors import ConfigError, NotationError
from big2_env.json_values import parse_object
from big2_env.runs.replacing import check_place, lock, named

T = TypeVar("T")
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
            check_place(path)
        stream = path.open("a+b" if resume else "ab" if overwrite else "xb")
    except FileExistsError:
        raise ConfigError(f"{path} already exists: give --resume, --overwrite or another --out") from None
    has_begun = False
    try:
        with _closing(stream, path):
            if not lock(stream):
                raise ConfigError(f"{path} is being written by another process: only one may write at a time")
            end = _read(stream, path, first, header, block, max_line) if resume else 0
            with named(path):
                stream.truncate(end)

            def write(data: dict[str, Any]) -> None:
                """Write a line; once this returns, a kill cannot lose it."""
                with named(path):
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
        with named(path):
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
