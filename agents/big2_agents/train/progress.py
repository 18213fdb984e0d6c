"""Progress of a training run on the terminal: a bar, a line for each evaluation, Ctrl-C."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from rich.console import Console
from rich.progress import TaskProgressColumn, TimeElapsedColumn

from big2_env.language import Words
from big2_env.runs.progress import bar


class Run(Protocol):
    """A run under way."""

    @property
    def iteration(self) -> int:
        """Iterations so far."""

    @property
    def minutes(self) -> float:
        """Minutes so far."""


@contextmanager
def interrupts() -> Iterator[list[int]]:
    """Provide a list that the first Ctrl-C is added to; the second one acts as usual."""
    seen: list[int] = []

    def note(number: int, _: Any) -> None:
        seen.append(number)
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)


def interruption(run: Run, minutes: float, tr: Words) -> KeyboardInterrupt:
    """Print how an interrupted run is continued, and return the exception to raise."""
    print(f"big2: {tr('train.stopped', done=f'{run.minutes:.1f}', asked=f'{minutes:g}')}", file=sys.stderr)
    return KeyboardInterrupt()


class ProgressBar:
    """A bar of the minutes done and a line for each evaluation, on standard error."""

    def __init__(self, minutes: float, tr: Words) -> None:
        self._tr = tr
        self.console = Console(stderr=True, soft_wrap=True)
        self.progress = bar(TaskProgressColumn(), TimeElapsedColumn(), console=self.console)
        self.task = self.progress.add_task(tr("runs.minutes"), total=minutes)

    def __enter__(self) -> ProgressBar:
        self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.progress.stop()

    def report(self, run: Run, found: dict[str, float]) -> None:
        """Show where the run stands, and the win rates of an evaluation."""
        text = self._tr("train.at", minutes=f"{run.minutes:.1f}", iteration=run.iteration)
        self.progress.update(self.task, completed=run.minutes, description=text)
        if found:
            wins = self._tr("rules.list").join(
                f"{key.removeprefix('wins_')} {value:.1%}" for key, value in found.items() if key.startswith("wins_")
            )
            self.console.print(self._tr("train.evaluated", at=text, wins=wins), highlight=False)
