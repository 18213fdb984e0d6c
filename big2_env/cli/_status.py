"""What the command line answers: exit statuses, and one line for each error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Final, TextIO

from big2_env.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError, system_text

STATUS: Final = {"done": 0, "differs": 1, "bad input": 2, "input ends early": 3, "interrupted": 130, "reader gone": 141}
"""What the exit statuses mean; the last two are what a shell gives for SIGINT and SIGPIPE."""


def answer(act: Callable[[], int | None]) -> int:
    """The exit status of an act: what it returns (0 for `None`), or what its error means, with one line on stderr."""
    try:
        try:
            status = act()
        except SystemExit as end:
            if isinstance(end.__context__, BrokenPipeError):  # so rich and typer leave where nobody reads any more
                raise end.__context__ from None
            if not isinstance(end.code, int | None):
                raise
            status = end.code
        sys.stdout.flush()
        return status or STATUS["done"]
    except KeyboardInterrupt:
        return STATUS["interrupted"]
    except BrokenPipeError:
        _let_go(sys.stdout)
        return STATUS["reader gone"]
    except Exception as error:
        line = complaint(error)
        if line is None:
            raise
        try:
            sys.stdout.flush()
        except OSError:
            _let_go(sys.stdout)
        say_error(line)
        return STATUS["bad input"]


def say_error(line: str) -> None:
    """Print an error as one line on stderr, if stderr can be written."""
    try:
        print("big2:", " ".join(line.split()), file=sys.stderr, flush=True)
    except OSError:
        _let_go(sys.stderr)


def no_stderr() -> TextIO:
    """Open a stderr that nobody reads, for this process and those that it starts, in place of one that is closed.

    Otherwise the next file that is opened would get its number, and with it what the system's own libraries print.
    """
    stream = open(os.devnull, "w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115 - for the whole process
    os.set_inheritable(stream.fileno(), True)
    return stream


def _let_go(stream: TextIO) -> None:
    """The interpreter flushes its streams once more on its way out; that must not fail a second time."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def standard_input() -> TextIO:
    """Where a person types.

    Raises:
        ConfigError: it is closed.
    """
    if sys.stdin is None:
        raise ConfigError("standard input is closed: expected a terminal, a file or a pipe")
    return sys.stdin


def complaint(error: Exception) -> str | None:
    """The one line for an error that is the input's or the machine's fault, `None` for one that is ours."""
    if isinstance(error, NotationError | ConfigError | IllegalPlayError | AmbiguousPlayError):
        return str(error)
    if isinstance(error, OSError) and error.errno is not None:
        return system_text(error)
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} (0x{error.object[error.start]:02x}): the text is not UTF-8"
    if isinstance(error, ImportError) and "pip install" in str(error):
        return str(error)  # an optional library is missing, and the message names the extra
    return None
