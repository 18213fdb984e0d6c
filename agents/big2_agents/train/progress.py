"""Progress of a training run on the terminal: a bar with its stage, a line for each evaluation, Ctrl-C."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, Protocol

from rich.console import Console
from rich.progress import TaskProgressColumn, TimeElapsedColumn

from big2_agents.train.curve import Point, read_curve, sparkline, wins_in
from big2_env.base.language import Words
from big2_env.runs.progress import bar

LOADING: Final = "loading"
"""Stage before a run begins its first."""
LEARNING: Final = "learning"
"""`loop.Stage.LEARNING`; that module needs torch."""
WIDE: Final = 100
"""Columns of a terminal from which the bar shows the learning curve."""
NEWEST: Final = 12
"""Evaluations that the bar shows."""
SHOWN: Final = "greedy"
"""Opponent whose curve the bar shows."""


class Run(Protocol):
    """Run in progress."""

    @property
    def iteration(self) -> int:
        """Iterations so far."""

    @property
    def minutes(self) -> float:
        """Minutes so far."""

    @property
    def completed(self) -> float:
        """Completed fraction of the budget."""


@contextmanager
def interrupts() -> Iterator[list[int]]:
    """Provide a list that receives the first Ctrl-C; the second one interrupts the process."""
    seen: list[int] = []

    def note(number: int, _: Any) -> None:
        seen.append(number)
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)


def interruption(run: Run, tr: Words) -> KeyboardInterrupt:
    """Print how to continue an interrupted run, and return the exception to raise.

    Args:
        run: The run.
        tr: The texts of the user's language.
    """
    print(f"big2: {tr('train.stopped', minutes=f'{run.minutes:.1f}', part=f'{run.completed:.0%}')}", file=sys.stderr)
    return KeyboardInterrupt()


class ProgressBar:
    """Progress bar of a run and a line for each evaluation, on standard error.

    The bar is hidden if standard error is not a terminal.

    Args:
        tr: The texts of the user's language.
        folder: Folder with the run's `curve.csv`.
    """

    def __init__(self, tr: Words, folder: Path) -> None:
        self._tr, self._folder = tr, folder
        self._stage, self._at, self._curve = LOADING, "", ""
        self._stack = ExitStack()
        self.console = Console(stderr=True, soft_wrap=True)
        self.progress = bar(TaskProgressColumn(), TimeElapsedColumn(), console=self.console)
        self.task = self.progress.add_task(tr(f"train.{LOADING}"), total=1.0)

    def __enter__(self) -> ProgressBar:
        from big2_env.kernels.dialect.kernel import compiling_noted  # numba takes half a second to load

        self._stack.enter_context(compiling_noted(self._note_compiling))
        self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.progress.stop()
        self._stack.close()

    def begin(self, stage: str) -> None:
        """Show a new stage; after the first evaluation of a new run, print its win rates."""
        self._stage = stage
        if stage == LEARNING and len(points := read_curve(self._folder)) == 1:
            self._print(points[0])
        self._describe(stage)

    def report(self, run: Run, found: dict[str, float]) -> None:
        """Update the bar, and print the win rates of an evaluation.

        Args:
            run: The run.
            found: Measurements of an evaluation; empty if there was none.
        """
        self._at = self._text(run.minutes, run.iteration)
        if found:
            self._print(Point(run.minutes, run.iteration, wins_in(found)))
        self.progress.update(self.task, completed=run.completed)
        self._describe(self._stage)

    def print_curve(self) -> None:
        """Print the learning curve of each opponent as a sparkline."""
        points = read_curve(self._folder)
        if len(points) > 1:
            wins = {name: [point.wins[name] for point in points if name in point.wins] for name in points[-1].wins}
            curves = self._tr("rules.list").join(
                f"{name} {sparkline(values)} " + self._tr("train.from_to", first=f"{values[0]:.1%}", last=f"{values[-1]:.1%}")
                for name, values in wins.items()
            )
            self.console.print(self._tr("train.curve", curves=curves), highlight=False)

    def note_precision(self, bfloat16: bool) -> None:
        """Print the precision of the layers that the processor decided."""
        chosen, other = ("bfloat16", "float32") if bfloat16 else ("float32", "bfloat16")
        key = "train.has_instructions" if bfloat16 else "train.lacks_instructions"
        self.console.print(self._tr(key, chosen=chosen, other=other), highlight=False)

    def _text(self, minutes: float, iteration: int) -> str:
        return self._tr("train.at", minutes=f"{minutes:.1f}", iteration=iteration)

    def _print(self, point: Point) -> None:
        """Print the win rates of an evaluation, and renew the curve in the bar."""
        wins = self._tr("rules.list").join(f"{name} {value:.1%}" for name, value in point.wins.items())
        at = self._text(point.minutes, point.iteration)
        self.console.print(self._tr("train.evaluated", at=at, wins=wins), highlight=False)
        if self.console.width >= WIDE:
            values = [each.wins[SHOWN] for each in read_curve(self._folder)[-NEWEST:] if SHOWN in each.wins]
            self._curve = f"{SHOWN} {sparkline(values)} {values[-1]:.0%}" if len(values) > 1 else ""

    def _describe(self, stage: str) -> None:
        parts = [self._tr(f"train.{stage}"), self._at, self._curve]
        self.progress.update(self.task, description=self._tr("rules.list").join(filter(None, parts)))

    def _note_compiling(self, is_compiling: bool) -> None:
        """Show that code is being compiled, or the current stage."""
        self._describe("compiling" if is_compiling else self._stage)
