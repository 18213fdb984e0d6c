"""Exit statuses, and the line that reports an error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Final, TextIO

from big2_env.base.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError, system_text, visible

STATUS: Final = {"done": 0, "differs": 1, "bad input": 2, "input ends early": 3, "interrupted": 130, "reader gone": 141}
"""Exit statuses by meaning; the last two follow the shell's for SIGINT and SIGPIPE."""


def answer(act: Callable[[], int | None]) -> int:
    """Run a command and return its exit status; an error is printed as one line on stderr.

    Args:
        act: Command to run. Its result is the exit status, `None` for 0.
    """
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
        print("big2:", visible(" ".join(line.split())), file=sys.stderr, flush=True)
    except OSError:
        _let_go(sys.stderr)


def no_stderr() -> TextIO:
    """Open a null stream as stderr of this process and its children, if stderr is closed.

    Otherwise the next file to be opened would get its descriptor, and with it the output of the system's libraries.
    """
    stream = open(os.devnull, "w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115 - for the whole process
    os.set_inheritable(stream.fileno(), True)
    return stream


def _let_go(stream: TextIO) -> None:
    """Redirect a broken stream to the null device, because the interpreter flushes it once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def standard_input() -> TextIO:
    """Return standard input.

    Raises:
        ConfigError: It is closed.
    """
    if sys.stdin is None:
        raise ConfigError("standard input is closed: expected a terminal, a file or a pipe")
    return sys.stdin


def complaint(error: Exception) -> str | None:
    """Return the line for an error caused by the input or the machine; `None` for a bug of this package."""
    if isinstance(error, NotationError | ConfigError | IllegalPlayError | AmbiguousPlayError):
        return str(error)
    if isinstance(error, OSError) and error.errno is not None:
        return system_text(error)
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} (0x{error.object[error.start]:02x}): the text is not UTF-8"
    if isinstance(error, ImportError) and "pip install" in str(error):
        return str(error)  # an optional library is missing, and the message names the extra
    return None
