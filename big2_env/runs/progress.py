"""Progress bars on standard error, shown where it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Timer

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn


def bar(*columns: ProgressColumn, console: Console | None = None) -> Progress:
    """A progress bar with a description, a bar and further columns; hidden where standard error is no terminal."""
    console = console or Console(stderr=True)
    shown = TextColumn("{task.description}"), BarColumn(), *columns
    return Progress(*shown, console=console, disable=not sys.stderr.isatty(), transient=True)


@cache
def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@contextmanager
def waiting(
    text: str = "compiling on first use, which takes up to a minute; the next start will be quick", after: float = 1.0
) -> Iterator[None]:
    """Say on standard error, once, what takes longer than some seconds; where it is no terminal nothing is said.

    >>> with waiting():
    ...     pass
    """
    timer = Timer(after, _say, [text])
    timer.daemon = True
    if sys.stderr.isatty():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def counting(what: str, total: int, done: int = 0) -> Iterator[Callable[[int], None]]:
    """Show how much of a known number is done; yields what is called with each further number.

    >>> with counting("games", 10) as advance:
    ...     advance(3)
    """
    with bar(MofNCompleteColumn(), TimeRemainingColumn()) as shown:
        task = shown.add_task(what, total=total, completed=done)

        def advance(number: int = 1) -> None:
            shown.advance(task, number)

        yield advance
