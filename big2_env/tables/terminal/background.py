"""Brightness of the terminal's background. A table begins light or dark to match it, as a page in a browser does."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from time import monotonic
from typing import Final

QUESTION: Final = b"\x1b]11;?\x1b\\\x1b[c"
"""Question for the background color, and one that every terminal answers, which ends the wait."""
SECONDS: Final = 0.3
"""Maximum time to wait for an answer."""
_COLOUR: Final = re.compile(rb"\]11;rgba?:([0-9a-fA-F]+)/([0-9a-fA-F]+)/([0-9a-fA-F]+)")
_END: Final = re.compile(rb"\x1b\[\?[0-9;]*c")


def is_light() -> bool:
    """Return True if the terminal has a light background; False for a dark or unknown one."""
    named = of_variable(os.environ)
    return of_answer(_answer()) if named is None else named


def of_variable(environ: Mapping[str, str]) -> bool | None:
    """Return whether `COLORFGBG` names a light background; `None` if it names none.

    >>> of_variable({"COLORFGBG": "0;15"}), of_variable({"COLORFGBG": "15;default;0"}), of_variable({})
    (True, False, None)
    """
    last = environ.get("COLORFGBG", "").rpartition(";")[2]
    return int(last) in (7, *range(9, 16)) if last.isascii() and last.isdecimal() and len(last) < 3 else None


def of_answer(answer: bytes) -> bool:
    """Return whether a terminal's answer names a light background.

    Args:
        answer: Bytes that the terminal sent.

    >>> of_answer(b"]11;rgb:ffff/fafa/f0f0"), of_answer(b"]11;rgb:1e/1e/1e"), of_answer(b"")
    (True, False, False)
    """
    found = _COLOUR.search(answer)
    if found is None:
        return False
    red, green, blue = (int(part, 16) / (16.0 ** len(part) - 1) for part in found.groups())
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5


def _answer() -> bytes:
    """Return the terminal's answer; empty without a terminal that answers."""
    try:
        import termios
        import tty
    except ImportError:  # Windows
        return b""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return b""
    try:
        before = termios.tcgetattr(terminal)
        try:
            tty.setcbreak(terminal, termios.TCSANOW)
            os.write(terminal, QUESTION)
            return _read(terminal)
        finally:
            termios.tcsetattr(terminal, termios.TCSANOW, before)
    except (OSError, termios.error):
        return b""
    finally:
        os.close(terminal)


def _read(terminal: int) -> bytes:
    """Return what arrives until the answer to the second question, for at most `SECONDS`."""
    from select import select

    answer, end = b"", monotonic() + SECONDS
    while not _END.search(answer) and (left := end - monotonic()) > 0:
        if not select([terminal], [], [], left)[0]:
            break
        answer += os.read(terminal, 1024)
    return answer
