"""Options that several verbs share."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console
from rich.table import Table

from big2_env.errors import ConfigError
from big2_env.language import Words, language, words
from big2_env.notation.lines import ByteStream
from big2_env.runs.atomic_files import replace_file
from big2_env.runs.executors import Executor, Local, Ray

if TYPE_CHECKING:
    from big2_env.show.replay_page import Replay

TAGS: Final = "en|zh-Hant|zh-Hans"
"""What `--lang` may be."""
Lang = Annotated[
    str | None,
    typer.Option("--lang", metavar=TAGS, help="Language; by default BIG2_LANG, else the locale."),
]
"""The language of what a person reads. Logs, records and JSON are the same in every language."""


def words_of(lang: str | None) -> Words:
    """The texts in the language that an option names, else in the user's.

    Raises:
        ConfigError: an option or a `BIG2_LANG` that names no language.
    """
    return words(language(lang))


AgentSeed = Annotated[
    int,
    typer.Option("--agent-seed", min=0, max=2**63 - 1, help="Salt of the players' random numbers; the deals stay the same."),
]
"""The salt of the seeds that agents and players get: `big2_env.agent_seeds`, `KlondikeView.seed`, `UnoView.seed`."""
SOURCE_HELP: Final = "A position (JSON), or a file with a position, record, log or input; FILE:N is the game after N moves."
"""The help of what names a game."""
Back = Annotated[int, typer.Option("--back", min=0, help="Take back this many moves, counted from the end (or from FILE:N).")]
"""How many moves are taken back of a game that is named."""


def stdin_bytes() -> ByteStream:
    """Standard input as bytes; nothing where it is closed."""
    return sys.stdin.buffer if sys.stdin else BytesIO()


HERE: Final = "local"
"""The address that stands for a Ray of this machine's own."""
_ADDRESS: Final = re.compile(r"auto|local|ray://.+|(localhost|[\w-]+(\.[\w-]+)+|\[[0-9a-fA-F:]+\]):\d+")
"""What the word after `--ray` must be to be taken for an address. Any other host name is given with an equals sign."""


def with_ray_address(args: list[str]) -> list[str]:
    """The arguments of a command line, `--ray` with its address in one word: the word after it where that is an address.

    >>> with_ray_address(["arena", "--ray", "greedy"]), with_ray_address(["--ray", "10.0.0.7:6379"])
    (['arena', '--ray=local', 'greedy'], ['--ray=10.0.0.7:6379'])
    """
    return list(_with_ray_address(args))


def _with_ray_address(args: list[str]) -> Iterator[str]:
    rest = iter(args)
    for arg in rest:
        if arg != "--ray":
            yield arg
            continue
        following = next(rest, None)
        if following is not None and _ADDRESS.fullmatch(following):
            yield f"--ray={following}"
            continue
        yield f"--ray={HERE}"
        if following is not None:
            yield from _with_ray_address([following, *rest])


def _check_ray(address: str | None) -> str | None:
    """Refuse `--ray` where Ray is not installed, before anything is done."""
    if address is not None:
        from big2_env.runs.cluster import check_installed

        check_installed()
    return address


OnRay = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="[ADDRESS]",
        callback=_check_ray,
        help="Work on the Ray cluster at auto, HOST:PORT or ray://HOST:PORT; without an address on a Ray started here.",
    ),
]
"""Where long work is done; `executor_of` takes it."""


def executor_of(ray: str | None, jobs: int) -> Executor:
    """The executor that `--ray` and `--jobs` ask for: this machine without `--ray`."""
    return Local(jobs) if ray is None else Ray(None if ray == HERE else ray, jobs)


Workers = Annotated[
    int,
    typer.Option(
        "--workers", min=0, help="Processes that play the games; 0 plays them in this one, with --ray one on each core."
    ),
]
"""How many rollout workers there are; `workers_of` takes it."""


def workers_of(ray: str | None, workers: int) -> Executor | None:
    """The executor that `--ray` and `--workers` ask for, `None` for this process alone."""
    return executor_of(ray, workers) if ray is not None or workers else None


ActLimit = Annotated[
    float | None, typer.Option("--limit", min=0.001, help="Most seconds for an act; who takes longer stops the run.")
]
"""Most seconds that an agent may take for an act (`big2_env.time_limit`)."""
Isolate = Annotated[
    bool, typer.Option("--isolate", help="Run each agent in a process of its own, which receives views as data.")
]
"""Whether agents share no memory with the game (`big2_env.isolated`)."""


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


Html = Annotated[Path | None, typer.Option("--html", help="Write a page to look through the games: one file, no network.")]


def write_page(path: Path, replays: Sequence[Replay]) -> None:
    """Write games as one page.

    Raises:
        ConfigError: no game, or more moves than one page may hold.
        OSError: the file cannot be written.
    """
    from big2_env.show.replay_page import replay_page

    page = replay_page(replays)
    with replace_file(path) as new:
        new.write_text(page, encoding="utf-8")


def let_be_wide(console: Console, table: Table) -> None:
    """Let a table be as wide as its cells where no screen ends: in a file or a pipe. On a terminal its cells are folded."""
    if not console.is_terminal:
        console.soft_wrap = True
        console.width = max(console.width, console.measure(table, options=console.options.update(width=1000)).maximum)
