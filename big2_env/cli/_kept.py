"""Options of long runs that keep what they find in a file, and what they say when they are stopped."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from big2_env.errors import ConfigError
from big2_env.language import Words

Out = Annotated[Path | None, typer.Option(help="Where results go, a line for each piece of the work; none by default.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the file of an earlier run.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Throw away the file of an earlier run.")]


def check_kept(out: Path | None, resume: bool, overwrite: bool) -> None:
    """Refuse options that contradict each other.

    Raises:
        ConfigError: both `--resume` and `--overwrite`, or one of them without `--out`.
    """
    if resume and overwrite:
        raise ConfigError("expected one of --resume and --overwrite, got both")
    if (resume or overwrite) and out is None:
        raise ConfigError(f"--{'resume' if resume else 'overwrite'}: expected --out with the file of the earlier run")


def check_found(what: str, found: int, asked: int, out: Path | None) -> None:
    """Refuse to go on with a file that has more than is asked for.

    Raises:
        ConfigError: it has.
    """
    if found > asked:
        raise ConfigError(f"--{what}: {out} has {found} {what}, expected at least as many, got {asked}")


def say_stopped(what: str, found: int, asked: int, out: Path | None, tr: Words) -> None:
    """Say on standard error how far a run came that was stopped, and whether it can go on.

    Args:
        what: What is counted: `games`, `deals` or `files`.
        found: How many there are.
        asked: How many were asked for.
        out: Where they are kept; `None` for nowhere.
        tr: The texts of the user's language.
    """
    key = "runs.stopped_unkept" if out is None else "runs.stopped"
    print(f"big2: {tr(key, found=found, asked=asked, what=tr(f'runs.{what}'))}", file=sys.stderr)
