"""Text from outside: UTF-8, or UTF-16 with a byte order mark. Other bytes are refused with the encoding they may be in."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import Final

from big2_env.errors import NotationError, quoted

_MARKED: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_NO_TEXT: Final = re.compile("[\0\udc80-\udcff]")
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
    if (found := _NO_TEXT.search(line)) is None:
        return None
    if found[0] == "\0":
        return "expected text in UTF-8, got zero bytes, as in UTF-16 without a byte order mark"
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


def read_text(path: Path, limit: int) -> str:
    """Return the text of a file.

    Args:
        path: The file.
        limit: Maximum number of bytes.

    Raises:
        OSError: The file cannot be read.
        NotationError: The file is too long or is not text in UTF-8. The message does not name it.
    """
    with path.open("rb") as stream:
        content = stream.read(limit + 1)  # the size that a file reports does not bound a pipe
    if len(content) > limit:
        raise NotationError(f"expected at most {limit:,} bytes, got more")
    text = decoder_for(content).decode(content, final=True)
    for number, line in enumerate(text.split("\n"), start=1):
        if (problem := fault(line)) is not None:
            raise NotationError(f"line {number}: {problem}")
    return text.removeprefix("\ufeff")
