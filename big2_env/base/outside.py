"""Bytes from outside: files of others, endpoints, agents in other processes.

| what must hold | function |
| --- | --- |
| the size is known before anything is parsed | `whole`, `read_text`, `archive`, `big2_env.notation.lines.Lines` |
| an exchange ends in any phase | `Deadline` |
| a key is neither kept nor shown | `whole` |
| text is UTF-8, or UTF-16 with a byte order mark; else the error guesses the encoding | `decoder_for`, `fault`, `text_of` |
| JSON is an object without doubtful values, and TOML a table | `big2_env.base.json_values.parse_object`, `parse_toml` |
| a file is the one that was listed | `file_digest` |
| what is printed moves no cursor | `big2_env.base.errors.visible`, `one_line`, `quoted` |

`tests/house/test_outside.py` lists the other places that read bytes, with the reason for each.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from threading import Timer
from typing import IO, Final, Self
from zipfile import ZipFile

from big2_env.base.errors import NotationError, quoted

_MARKED: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_NO_TEXT: Final = re.compile("[\udc80-\udcff]")
"""Bytes that no text has, as the decoders return them."""
_ENCODINGS: Final = {"Big5": "cp950", "GBK": "gbk"}
"""Other encodings of Chinese text, with the codec of each."""


def decoder_for(start: bytes) -> codecs.IncrementalDecoder:
    """Return a decoder for a text. It keeps the byte order mark, and bytes that are not text in UTF-8 become surrogates.

    Args:
        start: First two bytes of the text or more, or all of it. A byte order mark of UTF-16 selects UTF-16.
    """
    codec = _MARKED.get(start[:2])
    return codecs.getincrementaldecoder(codec or "utf-8")("replace" if codec else "surrogateescape")


def fault(line: str) -> str | None:
    """Return the problem of a decoded line with bytes that no text has; None if there are none.

    Args:
        line: The line, as a decoder of `decoder_for` returns it.
    """
    if "\0" in line:
        return "expected text in UTF-8, got zero bytes, as in UTF-16 without a byte order mark"
    if (found := _NO_TEXT.search(line)) is None:
        return None
    start = found.start()
    while start and line[start - 1] > "\x7f":  # two bytes of another encoding may happen to be UTF-8
        start -= 1
    content, read = line[start:].encode("utf-8", "surrogateescape"), []
    for name, codec in _ENCODINGS.items():
        try:
            read.append(f"{quoted(content.decode(codec).rstrip(), 20)} in {name}")
        except UnicodeDecodeError:
            continue
    got = (
        f"bytes that read as {' or '.join(read)}" if read else f"the byte 0x{found[0].encode('utf-8', 'surrogateescape').hex()}"
    )
    return f"expected text in UTF-8, got {got}"


def text_of(content: bytes) -> str:
    """Return the text in some bytes, without a byte order mark.

    Raises:
        NotationError: They are not text in UTF-8.
    """
    text = decoder_for(content).decode(content, final=True)
    if (problem := fault(text)) is not None:
        raise NotationError(problem)
    return text.removeprefix("\ufeff")


def whole(pieces: Iterable[bytes], limit: int, secret: bytes = b"") -> bytes:
    """Return bytes in one piece.

    Args:
        pieces: The bytes as they arrive.
        limit: Maximum number of bytes.
        secret: Bytes that `[key]` replaces; none if empty.

    Raises:
        NotationError: There are more; the rest is not read.

    >>> whole([b"the key: s", b"k-1"], 20, b"sk-1")
    b'the key: [key]'
    """
    content = bytearray()
    for piece in pieces:
        content += piece
        if len(content) > limit:
            raise NotationError(f"expected at most {limit:,} bytes, got more")
    return bytes(content.replace(secret, b"[key]") if secret else content)


class Deadline(Timer):
    """Deadline of an exchange with another side. As a context manager it covers the block.

    Args:
        seconds: Seconds until then.
        cut: Function that ends the exchange; it is called in another thread.
    """

    def __init__(self, seconds: float, cut: Callable[[], object]) -> None:
        super().__init__(seconds, self._pass)
        self.daemon = True
        self.is_over = False
        """True once the deadline has passed."""
        self._cut = cut

    def _pass(self) -> None:
        self.is_over = True
        self._cut()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()


def read_text(path: Path, limit: int) -> str:
    """Return the text of a file.

    Raises:
        OSError: The file cannot be read.
        NotationError: The file is too long or is not text in UTF-8. The message does not name it.
    """
    with path.open("rb") as stream:
        content = whole([stream.read(limit + 1)], limit)  # the size that a file reports does not bound a pipe
    for number, line in enumerate(decoder_for(content).decode(content, final=True).split("\n"), start=1):
        if (problem := fault(line)) is not None:
            raise NotationError(f"line {number}: {problem}")
    return text_of(content)


def file_digest(path: Path, kind: str = "sha256") -> str:
    """Return the hexadecimal digest of a file.

    Raises:
        OSError: The file cannot be read.
    """
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, kind).hexdigest()


def archive(source: str | PathLike[str] | IO[bytes], limit: int) -> ZipFile:
    """Open a zip archive after checking the size that its members unpack to; a broken one raises many kinds of errors.

    Args:
        source: Path, or an open file.
        limit: Maximum number of bytes.

    Raises:
        NotationError: They are larger.
    """
    file = ZipFile(source)
    if (size := sum(member.file_size for member in file.infolist())) > limit:
        file.close()
        raise NotationError(f"expected members of up to {limit:,} bytes, got {size:,}")
    return file
