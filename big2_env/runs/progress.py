"""Progress on standard error: bars on a terminal, a line now and then in logs and notebooks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

from big2_env.base.compile_note import NOTE

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn


def bar(*columns: ProgressColumn, console: Console | None = None) -> Progress:
    """Return a progress bar with a description, a bar and further columns.

    Args:
        columns: Columns to the right of the bar.
        console: Console to draw on; standard error by default. The bar is hidden if standard error is not a terminal.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = console or Console(stderr=True)
    shown = TextColumn("{task.description}"), BarColumn(), *columns
    return Progress(*shown, console=console, disable=not sys.stderr.isatty(), transient=True)


_said: Final[set[str]] = set()
"""Messages already printed by this process."""
LOG_SECONDS: Final = 30.0
"""Seconds between two lines in a log."""


WAIT_TEXT: Final = "thinking"
"""Message for a move that takes long."""


@contextmanager
def waiting(text: str = WAIT_TEXT, after: float = 1.0) -> Iterator[None]:
    """Print a message once if a block takes long, then a dot per second.

    Nothing is printed if standard error is not a terminal, or if this process has printed the message before.

    Args:
        text: Message.
        after: Seconds before it appears.

    >>> with waiting():
    ...     pass
    """
    if not sys.stderr.isatty() or text in _said:
        yield
        return
    with _meanwhile(lambda over: _say(text, after, over)):
        yield


@contextmanager
def _meanwhile(work: Callable[[Event], None]) -> Iterator[None]:
    """Run a function in a thread during a block; the event that it is given is set when the block ends."""
    over = Event()
    thread = Thread(target=work, args=(over,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _say(text: str, after: float, over: Event) -> None:
    if over.wait(after) or text in _said:
        return
    _said.add(text)
    NOTE.has_open_line = True
    print(text, end=" ", file=sys.stderr, flush=True)
    while not over.wait(1.0):
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr, flush=True)
    NOTE.has_open_line = False


@contextmanager
def counting(what: str, total: int, done: int = 0) -> Iterator[Callable[[int], None]]:
    """Show the progress over a known number of items, and yield a function that advances it.

    On a terminal this is a bar; otherwise a line every 30 seconds, such as `games: 3 of 10`.

    Args:
        what: Description of the items.
        total: Number of items.
        done: Items that are finished at the start.

    >>> with counting("games", 10) as advance:
    ...     advance(3)
    """
    from rich.progress import MofNCompleteColumn, TimeRemainingColumn

    with bar(MofNCompleteColumn(), TimeRemainingColumn()) as shown:
        task = shown.add_task(what, total=total, completed=done)

        def advance(number: int = 1) -> None:
            shown.advance(task, number)

        with _logging(lambda: f"{what}: {shown.tasks[task].completed:,.0f} of {total:,}"):
            yield advance


@contextmanager
def _logging(line: Callable[[], str]) -> Iterator[None]:
    """Print a line every `LOG_SECONDS` during a block, unless standard error is a terminal."""
    if sys.stderr.isatty():
        yield
        return
    with _meanwhile(lambda over: _log(line, over)):
        yield


def _log(line: Callable[[], str], over: Event) -> None:
    with suppress(OSError, ValueError):  # standard error is closed
        while not over.wait(LOG_SECONDS):
            print(line(), file=sys.stderr, flush=True)
