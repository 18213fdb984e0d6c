"""Calls in processes of their own, so that a crash of the interpreter is a result like any other."""

import faulthandler
import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, NoReturn

from index_checks import NOTE, flush

LIMIT: Final = 60
"""Seconds after which a call counts as one that hangs."""
OUTSIDE: Final = -2
"""In place of a signal: compiled code had an index outside its array, under `NUMBA_BOUNDSCHECK=1`."""


def signal_of(call: Callable[[], object]) -> int:
    """The signal that ends a forked process which makes a call, `OUTSIDE`, or 0. What the call raises does not matter."""
    sys.stdout.flush()
    sys.stderr.flush()
    flush()
    with tempfile.TemporaryFile("w+") as written:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of libraries, which the child does not use
            child = os.fork()
        if child == 0:
            _make(call, written.fileno())
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            return os.WTERMSIG(status)
        written.seek(0)
        return OUTSIDE if NOTE in written.read() else 0


def _make(call: Callable[[], object], written: int) -> NoReturn:
    """Make a call in a forked process, and end it."""
    code = 0
    try:
        faulthandler.disable()
        signal.alarm(LIMIT)
        os.dup2(written, 1)
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 2)
            warnings.simplefilter("ignore")  # as users have it: pytest makes errors of them
            call()
    except BaseException:
        code = 1
    finally:
        flush()
        os._exit(code)


def fatal(calls: Sequence[tuple[str, Callable[[], object]]], together: int = 40) -> dict[str, int]:
    """What `signal_of` gives for calls, by name, where it is not 0. Calls share a process; if it dies, each gets its own."""
    found: dict[str, int] = {}
    for first in range(0, len(calls), together):
        group = calls[first : first + together]

        def all_of(group: Sequence[tuple[str, Callable[[], object]]] = group) -> None:
            for _, call in group:
                with suppress(BaseException):
                    call()

        if signal_of(all_of):
            found |= {name: number for name, call in group if (number := signal_of(call))} or {group[0][0]: -1}
    return found
