"""`big2 train`: players trained from nothing, in a folder that a later call goes on from."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from big2_env.climbing.rulesets import ruleset as ruleset_named

if TYPE_CHECKING:
    from big2_agents.train.strong import Learner


class Method(StrEnum):
    """Ways to train."""

    STRONG = "strong"


def command(
    method: Annotated[Method, typer.Argument(help="strong: PPO over candidate plays, the method of the shipped players.")],
    ruleset: Annotated[str, typer.Option(help="The games' rules.")] = "big2",
    minutes: Annotated[float, typer.Option(min=0.0, help="Training time, over all calls that share the folder.")] = 60.0,
    out: Annotated[Path | None, typer.Option(help="The run's folder; runs/METHOD-RULESET by default.")] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed of the weights and the games.")] = 1,
    games: Annotated[int, typer.Option(min=4, max=1 << 16, help="Games an iteration.")] = 1024,
    width: Annotated[int, typer.Option(min=4, max=4096, help="Width of the widest layers.")] = 512,
    learning_rate: Annotated[float, typer.Option(min=0.0, help="At the start; it falls to a tenth.")] = 4e-4,
    evaluate_every: Annotated[float, typer.Option(min=0.0, help="Minutes between evaluations, each with a checkpoint.")] = 5.0,
    evaluation_deals: Annotated[int, typer.Option(min=1, max=1 << 16, help="Deals of an evaluation.")] = 1000,
    bfloat16: Annotated[bool, typer.Option(help="Compute the layers in bfloat16, fast on processors that have it.")] = True,
) -> None:
    """Train a player by self-play, from nothing.

    The folder gets checkpoint.pt, progress.csv (a line for each iteration), curve.csv (a line for each evaluation: alone
    against three random, greedy and heuristic players) and, in the end, the weights RULESET.npz and RULESET_critic.npz. The
    same command goes on from the checkpoint where a run was killed or is given more minutes. Ctrl-C finishes the iteration
    and saves; pressed twice it stops at once.

    The weights play as learned:DIR/RULESET.npz, without torch.

    Examples:
        big2 train strong --ruleset big2 --minutes 60 --out runs/big2
        big2 train strong --ruleset hong_kong --minutes 120 --out runs/hong_kong --seed 2
    """
    try:
        import torch  # noqa: F401 (the line that fails is the one that says what to install)
    except ImportError as error:
        raise ImportError(f"big2 train needs torch: pip install 'big2_env[sb3]' ({error})") from None
    from big2_agents.train.export import export, to_critic, to_network
    from big2_agents.train.strong import Args, train

    name = ruleset_named(ruleset).name
    folder = out or Path("runs") / f"{method.value}-{name}"
    args = Args(
        ruleset=name,
        minutes=minutes,
        out=folder,
        seed=seed,
        games=games,
        width=width,
        learning_rate=learning_rate,
        evaluate_every=evaluate_every,
        evaluation_deals=evaluation_deals,
        bfloat16=bfloat16,
    )
    with _interrupts() as interrupts, _Shown(minutes) as shown:
        learner = train(args, shown.report, lambda: bool(interrupts))
    if interrupts:
        print(f"big2: stopped after {learner.minutes:.1f} of {minutes:g} minutes; the same command goes on", file=sys.stderr)
        raise KeyboardInterrupt
    export(to_network(learner.policy), folder / f"{name}.npz")
    export(to_critic(learner.critic, learner.scale), folder / f"{name}_critic.npz")
    print(f"{folder / f'{name}.npz'}: {learner.minutes:.1f} minutes, {learner.choices:,} choices")


@contextmanager
def _interrupts() -> Iterator[list[int]]:
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


class _Shown:
    """What a person sees of a run: a bar of the minutes done, a line for each evaluation, on standard error."""

    def __init__(self, minutes: float) -> None:
        self.console = Console(stderr=True, soft_wrap=True)
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        self.progress = Progress(*columns, console=self.console, disable=not sys.stderr.isatty(), transient=True)
        self.task = self.progress.add_task("minutes", total=minutes)

    def __enter__(self) -> _Shown:
        self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.progress.stop()

    def report(self, learner: Learner, found: dict[str, float]) -> None:
        """Show where the run stands, and what an evaluation found."""
        text = f"{learner.minutes:.1f} minutes, iteration {learner.iteration}"
        self.progress.update(self.task, completed=learner.minutes, description=text)
        if found:
            wins = ", ".join(
                f"{key.removeprefix('wins_')} {value:.1%}" for key, value in found.items() if key.startswith("wins_")
            )
            self.console.print(f"{text}: wins alone against three {wins}", highlight=False)
