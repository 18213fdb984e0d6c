"""What a person sees of a training run and does to it: progress, a line for each evaluation, Ctrl-C."""

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
    """A run that goes on."""

    @property
    def iteration(self) -> int:
        """The iterations so far."""

    @property
    def minutes(self) -> float:
        """The minutes so far."""


@contextmanager
def interrupts() -> Iterator[list[int]]:
    """A list that fills with the first Ctrl-C; the second one does what it always does."""
    seen: list[int] = []

    def note(number: int, _: Any) -> None:
        seen.append(number)
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)


def stopped(run: Run, minutes: float, tr: Words) -> KeyboardInterrupt:
    """What to raise when a run was stopped by Ctrl-C; standard error is told how it goes on."""
    print(f"big2: {tr('train.stopped', done=f'{run.minutes:.1f}', asked=f'{minutes:g}')}", file=sys.stderr)
    return KeyboardInterrupt()


class Shown:
    """A bar of the minutes done, a line for each evaluation, on standard error."""

    def __init__(self, minutes: float, tr: Words) -> None:
        self._say = tr
        self.console = Console(stderr=True, soft_wrap=True)
        self.progress = bar(TaskProgressColumn(), TimeElapsedColumn(), console=self.console)
        self.task = self.progress.add_task(tr("runs.minutes"), total=minutes)

    def __enter__(self) -> Shown:
        self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.progress.stop()

    def report(self, run: Run, found: dict[str, float]) -> None:
        """Show where the run stands, and what an evaluation found."""
        text = self._say("train.at", minutes=f"{run.minutes:.1f}", iteration=run.iteration)
        self.progress.update(self.task, completed=run.minutes, description=text)
        if found:
            wins = self._say("rules.list").join(
                f"{key.removeprefix('wins_')} {value:.1%}" for key, value in found.items() if key.startswith("wins_")
            )
            self.console.print(self._say("train.evaluated", at=text, wins=wins), highlight=False)
