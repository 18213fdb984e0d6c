"""Calls in processes of their own, so that a crash of the interpreter is a result like any other."""

import faulthandler
import os
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress

LIMIT = 60
"""Seconds after which a call counts as one that hangs."""


def signal_of(call: Callable[[], object]) -> int:
    """The signal that ends a forked process which makes a call, 0 for none. What the call raises does not matter."""
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of libraries, which the child does not use
        child = os.fork()
    if child == 0:
        code = 0
        try:
            faulthandler.disable()
            signal.alarm(LIMIT)
            with open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), 2)
                warnings.simplefilter("ignore")  # as users have it: pytest makes errors of them
                call()
        except BaseException:
            code = 1
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def fatal(calls: Sequence[tuple[str, Callable[[], object]]], together: int = 40) -> dict[str, int]:
    """The signals of the calls that end a process, by name. Calls share a process; those of one that dies get one each."""
    found = {}
    for first in range(0, len(calls), together):
        group = calls[first : first + together]

        def all_of(group: Sequence[tuple[str, Callable[[], object]]] = group) -> None:
            for _, call in group:
                with suppress(BaseException):
                    call()

        if signal_of(all_of):
            found |= {name: number for name, call in group if (number := signal_of(call))} or {group[0][0]: -1}
    return found
