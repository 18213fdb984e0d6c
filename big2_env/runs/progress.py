"""Progress bars on standard error, shown where it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn


def bar(*columns: ProgressColumn, console: Console | None = None) -> Progress:
    """A progress bar with a description, a bar and further columns; hidden where standard error is no terminal."""
    console = console or Console(stderr=True)
    shown = TextColumn("{task.description}"), BarColumn(), *columns
    return Progress(*shown, console=console, disable=not sys.stderr.isatty(), transient=True)


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
