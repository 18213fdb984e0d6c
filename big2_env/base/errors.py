"""Exceptions of the package. All except `RemoteError` are subclasses of `ValueError`.

A message contains the value given, the values allowed and, if there is one, the location.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from unicodedata import category

from big2_env.base.enums import Named


class NotationError(ValueError):
    """Text that is not valid notation, such as an unknown card or a line that is not an action."""


class ConfigError(ValueError):
    """Ruleset, position or option that is invalid or unsupported."""


class Refusal(Named):
    """Reason why a move is illegal."""

    GAME_OVER = "game over"
    NOT_IN_HAND = "not in hand"
    NO_PATTERN = "no pattern"
    MISSES_OPENING_CARD = "misses the opening card"
    NOT_HIGHEST = "not the highest single"
    NOT_LAST = "legal only as the last play"
    DOES_NOT_COVER = "does not cover"
    MUST_PLAY = "must play"
    MUST_COVER = "must cover"
    AUCTION_GOES_ON = "the auction goes on"
    NO_AUCTION = "no auction"
    NOT_YOUR_TURN = "not your turn"


class IllegalPlayError(ValueError):
    """Play or pass that the rules do not allow in this position."""

    def __init__(self, message: str, refusal: Refusal) -> None:
        super().__init__(message)
        self.refusal = refusal

    def __reduce__(self) -> tuple[type[IllegalPlayError], tuple[str, Refusal]]:
        return type(self), (str(self), self.refusal)


class AmbiguousPlayError(ValueError):
    """Cards with several readings, of which one must be named."""


class RemoteError(Exception):
    """Failure of code in another process. The message names the kind of error."""


def quoted(text: str, limit: int = 60) -> str:
    """Return the `repr` of an untrusted text for a message, shortened if needed.

    >>> quoted("C[1]"), len(quoted("x" * 1000))
    ("'C[1]'", 63)
    """
    return repr(text) if len(text) <= limit else repr(text[: limit - 2]) + "..."


def failure_text(error: BaseException) -> str:
    """Return the failure of external code in one line: the kind of error and the beginning of its message.

    >>> failure_text(ValueError("no  network"))
    'ValueError: no network'
    """
    try:
        text = str(error)
    except BaseException as other:
        text = f"without a text ({type(other).__name__})"
    return one_line(text if isinstance(error, RemoteError) else f"{type(error).__name__}: {text}")


def repr_text(thing: object) -> str:
    """Return the `repr` of an external object in one line, or its class name if `repr` fails or shows only an address.

    >>> repr_text("a b"), repr_text(object())
    ("'a b'", 'object')
    """
    try:
        text = repr(thing)
    except BaseException:
        return type(thing).__name__
    return type(thing).__name__ if " object at 0x" in text else one_line(text)


def visible(text: str) -> str:
    r"""Return an untrusted text as a terminal may show it: escapes replace control characters and changes of direction.

    Args:
        text: The text. Its blanks and line feeds stay.

    >>> print(visible("\x1b[2J owned\u202e"))
    \x1b[2J owned\u202e
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one == "\n" or category(one) == "Zs" else repr(one)[1:-1] for one in text)


def one_line(text: str, limit: int = 300) -> str:
    """Return an untrusted text without line breaks and control characters, shortened if needed."""
    line = visible(" ".join(text[: 2 * limit].split()))
    return line if len(line) <= limit else line[: limit - 3] + "..."


def reason_text(error: Exception) -> str:
    """Return why a file cannot be read, in one line, for a message that names the file.

    >>> reason_text(OSError(2, "No such file or directory", "a.npz")), reason_text(ValueError("expected one  array"))
    ('No such file or directory', 'expected one array')
    >>> reason_text(MemoryError())
    'MemoryError'
    """
    return one_line((isinstance(error, OSError) and error.strerror) or str(error)) or type(error).__name__


def system_text(error: OSError) -> str:
    """Return an operating system error in one line: the file, if there is one, and the reason.

    >>> system_text(OSError(28, "No space left on device", "a.txt")), system_text(OSError(28, "No space left on device"))
    ('a.txt: No space left on device', 'input or output: No space left on device')
    """
    where = "input or output" if error.filename is None else error.filename
    return f"{where}: {error.strerror or error}"


@contextmanager
def needing(text: str) -> Iterator[None]:
    """Name the extra to install if imports in the block fail.

    Args:
        text: Purpose, library and the command that installs it.

    Raises:
        ImportError: An import failed. The message is the text, with the reason.

    >>> with needing("pictures need a brush: pip install brush"):
    ...     import no_brush
    Traceback (most recent call last):
    ImportError: pictures need a brush: pip install brush (No module named 'no_brush')
    """
    try:
        yield
    except ImportError as error:
        raise ImportError(f"{text} ({error})") from None


@lru_cache(maxsize=256)
def warn_once(text: str) -> None:
    """Issue a `UserWarning`, the first time in a process that a text is given."""
    warnings.warn(text, stacklevel=4)
