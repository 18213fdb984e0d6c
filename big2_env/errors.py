"""The errors of the package: few, and every one but `RemoteError` a `ValueError`.

A message says what was given, what is allowed and, where there is one, the place.
"""

from __future__ import annotations

from big2_env.named import Named


class NotationError(ValueError):
    """A text that is not notation: a token that names no card, a line that is no action."""


class ConfigError(ValueError):
    """A ruleset, position or option that cannot be served as given."""


class Refusal(Named):
    """Why an act is not legal here."""

    GAME_OVER = "game over"
    NOT_IN_HAND = "not in hand"
    NO_PATTERN = "no pattern"
    MISSES_OPENING_CARD = "misses the opening card"
    DOES_NOT_COVER = "does not cover"
    MUST_PLAY = "must play"
    MUST_COVER = "must cover"
    AUCTION_GOES_ON = "the auction goes on"
    NO_AUCTION = "no auction"
    NOT_YOUR_TURN = "not your turn"


class IllegalPlayError(ValueError):
    """A play or pass that the rules refuse in this position.

    `refusal` is the reason as a value; the message is the reason for people.
    """

    def __init__(self, message: str, refusal: Refusal) -> None:
        super().__init__(message)
        self.refusal = refusal

    def __reduce__(self) -> tuple[type[IllegalPlayError], tuple[str, Refusal]]:
        return type(self), (str(self), self.refusal)


class AmbiguousPlayError(ValueError):
    """A card group with several readings, where one has to be named."""


class RemoteError(Exception):
    """What code in another process failed with; the message names the kind of error."""


def quoted(text: str, limit: int = 60) -> str:
    """A text from outside for a message: its `repr`, cut where it is long.

    >>> quoted("C[1]"), len(quoted("x" * 1000))
    ("'C[1]'", 63)
    """
    return repr(text) if len(text) <= limit else repr(text[: limit - 2]) + "..."


def failure_text(error: BaseException) -> str:
    """What code from outside failed with, in one line: the kind of error, and the beginning of what it says.

    >>> failure_text(ValueError("no  network"))
    'ValueError: no network'
    """
    try:
        text = str(error)
    except BaseException as other:
        text = f"without a text ({type(other).__name__})"
    return one_line(text if isinstance(error, RemoteError) else f"{type(error).__name__}: {text}")


def repr_text(thing: object) -> str:
    """The `repr` of a thing from outside, in one line; where it fails or is only an address, the name of its class.

    >>> repr_text("a b"), repr_text(object())
    ("'a b'", 'object')
    """
    try:
        text = repr(thing)
    except BaseException:
        return type(thing).__name__
    return type(thing).__name__ if " object at 0x" in text else one_line(text)


def one_line(text: str, limit: int = 300) -> str:
    """A text from outside for a message, without line breaks, cut where it is long."""
    line = " ".join(text[: 2 * limit].split())
    return line if len(line) <= limit else line[: limit - 3] + "..."


def system_text(error: OSError) -> str:
    """Return an error of the system as one line: the file, if it names one, and the reason.

    >>> system_text(OSError(28, "No space left on device", "a.txt")), system_text(OSError(28, "No space left on device"))
    ('a.txt: No space left on device', 'input or output: No space left on device')
    """
    where = "input or output" if error.filename is None else error.filename
    return f"{where}: {error.strerror or error}"
