"""Numbered lines of untrusted text: decoded, stripped, limited in length, and read as they arrive."""

from __future__ import annotations

import select
from codecs import IncrementalDecoder
from collections.abc import Callable, Iterable, Iterator
from io import BufferedIOBase, RawIOBase, StringIO, TextIOBase
from typing import Any, BinaryIO, Final, TextIO, TypeAlias, TypeVar

from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.outside import decoder_for, fault

T = TypeVar("T")

MAX_LINE: Final = 1 << 16
"""Maximum number of characters in a line of the text format."""

ByteStream: TypeAlias = "BinaryIO | BufferedIOBase | RawIOBase"
"""An open binary file."""
TextSource: TypeAlias = "str | Iterable[str] | ByteStream"
"""A source of lines: a text, an open file (text or binary), an iterable of lines, or `Lines`, which continue where they are."""


class ByteLines(Iterator[str]):
    """Iterator over the lines of a byte stream, each as soon as it arrives, decoded by `big2_env.base.outside.decoder_for`.

    Longer lines are split, so memory use is bounded.

    Args:
        stream: An open binary file.
        limit: Number of characters above which a line is split.
    """

    def __init__(self, stream: ByteStream, limit: int = MAX_LINE) -> None:
        self._whole = stream  # held because it closes the raw stream when it goes
        self._stream = getattr(stream, "raw", stream)  # one read of the raw stream returns what is there, and waits for no more
        self._limit = limit
        self._buffer = ""
        self._decoder: IncrementalDecoder | None = None

    def __next__(self) -> str:
        end = searched = 0
        while not end:
            end = self._buffer.find("\n", searched) + 1
            searched = len(self._buffer)
            if not end and (searched > self._limit or not self._read()):
                end = len(self._buffer)
                if not end:
                    raise StopIteration
        line, self._buffer = self._buffer[:end], self._buffer[end:]
        return line

    def blank_lines_before_more(self, seconds: float) -> int | None:
        """Return the number of blank lines before the next text.

        Returns:
            None if the stream ends, or pauses for that long, before any text arrives.
        """
        blank_lines = 0
        while not self._buffer.strip():
            blank_lines += self._buffer.count("\n")
            self._buffer = ""
            if not self._is_ready(seconds) or not self._read():
                return None
        return blank_lines + self._buffer[: -len(self._buffer.lstrip())].count("\n")

    def _read(self) -> bool:
        """Read more text into the buffer and return False at the end of the stream."""
        chunk = self._chunk()
        if self._decoder is None:
            while len(chunk) < 2 and (more := self._chunk()):  # two bytes show the encoding
                chunk += more
            self._decoder = decoder_for(chunk)
        self._buffer += self._decoder.decode(chunk, final=not chunk)
        return bool(chunk)

    def _chunk(self) -> bytes:
        """Return the next bytes of the stream, none at its end."""
        while (chunk := self._stream.read(1 << 16)) is None:  # a stream that does not block, with nothing there yet
            self._is_ready(1.0)
        return bytes(chunk)

    def _is_ready(self, seconds: float) -> bool:
        """Return True if a read would return within that time."""
        try:
            return bool(select.select([self._stream], [], [], seconds)[0])
        except (OSError, ValueError):  # no file descriptor (or not one that can be waited for): reading it does not wait either
            return True


class Lines(Iterator[str]):
    """Iterator over the stripped lines of a source, with line numbers.

    A byte order mark at the start and CRLF are accepted. Bytes are UTF-8, or UTF-16 with a byte order mark.

    Args:
        source: Source of the lines.
        limit: Maximum number of characters in a line.

    Attributes:
        number: Number of the last line read, from 1.
        is_whole: True if the last line read ended with a newline, as far as the source shows that.

    Raises:
        NotationError: A line is longer than `limit`, or has bytes that are not text in UTF-8; raised when it is read.
    """

    def __init__(self, source: TextSource, limit: int = MAX_LINE) -> None:
        if isinstance(source, str):
            source = StringIO(source)
        self._limit = limit
        self._is_stream = isinstance(source, TextIOBase | BufferedIOBase | RawIOBase)
        lines: Any
        if isinstance(source, TextIOBase):
            lines = iter(lambda: source.readline(limit + 1), "")
        elif isinstance(source, BufferedIOBase | RawIOBase):
            lines = ByteLines(source, limit)
        else:
            lines = iter(source)
        self._lines: Iterator[str] = lines
        self.number = 0
        self._held: str | None = None
        self.is_whole = True

    @classmethod
    def of(cls, source: TextSource, limit: int = MAX_LINE) -> Lines:
        """Return the lines of a source. `Lines` are returned unchanged.

        Args:
            source: Source of the lines.
            limit: Maximum number of characters in a line.
        """
        return source if isinstance(source, Lines) else cls(source, limit)

    def __next__(self) -> str:
        self.number += 1
        if self._held is not None:
            held, self._held = self._held, None
            return held
        try:
            line = next(self._lines)
        except StopIteration:
            self.number -= 1
            raise
        if len(line) > self._limit:
            raise self.error(f"more than {self._limit} characters")
        if isinstance(self._lines, ByteLines) and (problem := fault(line)) is not None:
            raise self.error(problem)
        self.is_whole = line.endswith("\n") or not self._is_stream
        return (line.removeprefix("\ufeff") if self.number == 1 else line).strip()

    def next_filled(self) -> str | None:
        """Return the next line that is not blank, or None at the end."""
        return next((line for line in self if line), None)

    def parsed(self, read: Callable[[str], T]) -> Iterator[T]:
        """Yield the result of `read` for each line that is not blank.

        Raises:
            NotationError: A line cannot be read, or `read` refuses it; the message gives its number.
        """
        for line in iter(self.next_filled, None):
            try:
                yield read(line)
            except (NotationError, ConfigError) as error:
                raise self.error(str(error)) from None

    def peek(self) -> str | None:
        """Return the next line that is not blank without consuming it, or None at the end."""
        self._held = self.next_filled()
        if self._held is not None:
            self.number -= 1
        return self._held

    def error(self, message: str, number: int | None = None) -> NotationError:
        """Return an error that refers to a line.

        Args:
            message: Description of the problem.
            number: Number of the line; None for the last line read.
        """
        return NotationError(f"line {self.number if number is None else number}: {message}")


def write_lines(lines: Iterable[str], file: TextIO) -> int:
    """Write lines to a text file, flushing after each, and return how many there were."""
    number = 0
    for number, line in enumerate(lines, start=1):  # noqa: B007
        file.write(line + "\n")
        file.flush()
    return number
