"""Options that several verbs share."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, get_type_hints

import typer
from rich.console import Console
from rich.table import Table

from big2_env.base.compile_note import NOTE
from big2_env.base.errors import ConfigError, quoted
from big2_env.base.language import Words, language, words
from big2_env.cli._status import say_error
from big2_env.notation.lines import ByteStream
from big2_env.runs.atomic_files import check_writable, write_text
from big2_env.runs.executors import Executor, Local, Ray
from big2_env.runs.progress import counting

if TYPE_CHECKING:
    from big2_env.drawing.replay_page import Replay

TAGS: Final = "en|zh-Hant|zh-Hans"
"""Values of `--lang`."""
Lang = Annotated[
    str | None,
    typer.Option("--lang", metavar=TAGS, help="Language of the output.", show_default="BIG2_LANG, else the locale"),
]
"""Language of texts for people. Logs, records and JSON are the same in every language."""

RULES_HELP: Final = "Ruleset: a name from big2 games, invented:SEED, a .json or .toml file, or MODULE:NAME."
"""Help of every option that names a ruleset."""
RulesetName = Annotated[str, typer.Option("--ruleset", "--game", help=RULES_HELP)]
"""Name or file of a ruleset."""

DEFAULT_HINTS: Final = "learned, else heuristic"
"""Default of the option that names the agent behind hints."""


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command for Typer in which each parameter that is a dataclass becomes an option per field, in their order.

    A field has its option as annotation, or the option's arguments as metadata.
    """
    types = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in types.items() if is_dataclass(kind)}
    options: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        if name not in groups:
            options.append(parameter.replace(annotation=types[name], kind=Parameter.KEYWORD_ONLY))
            continue
        hints = get_type_hints(groups[name], include_extras=True)
        for field in fields(groups[name]):
            kind, settings = hints[field.name], dict(field.metadata)
            if settings:
                kind = Annotated[kind, typer.Option(*settings.pop("param_decls"), **settings)]
            options.append(Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=kind))

    @wraps(command)
    def call(**values: Any) -> None:
        for name, kind in groups.items():
            values[name] = kind(**{field.name: values.pop(field.name, field.default) for field in fields(kind)})
        command(**values)

    set_options(call, options)
    return call


def set_options(command: Callable[..., None], options: Sequence[Parameter]) -> None:
    """Let Typer see these parameters of a command, in their order."""
    vars(command).update(__signature__=Signature(options))
    command.__annotations__ = {option.name: option.annotation for option in options}


def words_of(lang: str | None) -> Words:
    """Return the texts of a language, in which compilation is noted too.

    Args:
        lang: Value of `--lang`, `None` for the user's language.

    Raises:
        ConfigError: The option or `BIG2_LANG` names no language.
    """
    tr = words(language(lang))
    NOTE.title = tr("train.compiling")
    NOTE.say = lambda place: say_error(tr("runs.compiling", place=place))
    return tr


AgentSeed = Annotated[
    int,
    typer.Option("--agent-seed", min=0, max=2**63 - 1, help="Salt of the agents' random numbers; deals are unaffected."),
]
"""Salt of the seeds that agents receive: `big2_env.agents.seeds`, `KlondikeView.seed`, `UnoView.seed`."""
SOURCE_HELP: Final = "JSON position, or game file; FILE:N is the game after N moves."
"""Help of options and arguments that name a game."""
Back = Annotated[int, typer.Option("--back", min=0, help="Moves to take back from the end, or from FILE:N.")]
"""Moves to take back from a given game."""


def stdin_bytes() -> ByteStream:
    """Return standard input as bytes; an empty stream if it is closed."""
    return sys.stdin.buffer if sys.stdin else BytesIO()


HERE: Final = "local"
"""Address of a Ray that is started on this machine."""
_ADDRESS: Final = re.compile(r"auto|local|ray://.+|(localhost|[\w-]+(\.[\w-]+)+|\[[0-9a-fA-F:]+\]):\d+")
"""Words after `--ray` that are taken as its address. Any other host name needs an equals sign."""


def with_ray_address(args: list[str]) -> list[str]:
    """Return command-line arguments with `--ray` and its address joined into one word.

    Args:
        args: Arguments. The word after `--ray` is its address only if it looks like one.

    >>> with_ray_address(["arena", "--ray", "greedy"]), with_ray_address(["--ray", "10.0.0.7:6379"])
    (['arena', '--ray=local', 'greedy'], ['--ray=10.0.0.7:6379'])
    """
    found: list[str] = []
    for before, arg in zip(["", *args], args, strict=False):
        if before == "--ray" and _ADDRESS.fullmatch(arg):
            found[-1] = f"--ray={arg}"
        else:
            found.append(f"--ray={HERE}" if arg == "--ray" else arg)
    return found


def _check_ray(address: str | None) -> str | None:
    """Check that Ray is installed if `--ray` is given, before any work starts."""
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
        help="Ray cluster (auto, HOST:PORT, ray://HOST:PORT); without address a local Ray.",
    ),
]
"""Place of long work, for `executor_of`."""


def executor_of(ray: str | None, jobs: int) -> Executor:
    """Return the executor for `--ray` and `--jobs`: this machine without `--ray`.

    Args:
        ray: Value of `--ray`.
        jobs: Items computed at a time; 0 for one per core.
    """
    return Local(jobs) if ray is None else Ray(None if ray == HERE else ray, jobs)


Workers = Annotated[
    int,
    typer.Option("--workers", min=0, help="Worker processes; 0 for this process only, with --ray all cores."),
]
"""Number of rollout workers, for `workers_of`."""


def workers_of(ray: str | None, workers: int) -> Executor | None:
    """Return the executor for `--ray` and `--workers`, `None` if the calling process does all the work.

    Args:
        ray: Value of `--ray`.
        workers: Number of rollout workers.
    """
    return executor_of(ray, workers) if ray is not None or workers else None


MoveLimit = Annotated[
    float | None, typer.Option("--limit", min=0.001, help="Most seconds per decision; a slower agent stops the run.")
]
"""Most seconds that an agent may take per decision (`big2_env.agents.time_limit`)."""
Isolate = Annotated[bool, typer.Option("--isolate", help="Separate process for each agent, which receives only views.")]
"""True to run agents in processes of their own (`big2_env.agents.isolated`)."""


Invented = Annotated[
    int | None, typer.Option("--invented", metavar="SEED", min=0, help="Seed of an invented ruleset (invented:SEED).")
]
"""Seed of the invented ruleset to play instead of a named one."""


def or_invented(ruleset: str, seed: int | None) -> str:
    """Return the name of the ruleset that two options specify.

    Args:
        ruleset: Name of a ruleset; `big2` if none is given.
        seed: Seed of an invented ruleset; None for `ruleset`.

    Raises:
        ConfigError: Both are given.
    """
    if seed is None:
        return ruleset
    if ruleset != "big2":
        raise ConfigError(f"expected --invented or a ruleset, got both: {seed} and {quoted(ruleset)}")
    return f"invented:{seed}"


Out = Annotated[Path | None, typer.Option(help="Result file (JSON lines) that --resume can continue.")]


@dataclass(frozen=True)
class KeptOptions:
    """Options for the results of an earlier run."""

    resume: Annotated[bool, typer.Option("--resume", help="Continue the run in the --out file.")] = False
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Discard an existing --out file.")] = False

    @property
    def kept(self) -> dict[str, bool]:
        """Arguments `resume` and `overwrite` of functions that write results."""
        return {"resume": self.resume, "overwrite": self.overwrite}

    def check(self, out: Path | None) -> None:
        """Refuse contradictory options for the results in `out`.

        Raises:
            ConfigError: `--resume` and `--overwrite` are both given, or either one without `--out`.
        """
        if self.resume and self.overwrite:
            raise ConfigError("expected one of --resume and --overwrite, got both")
        if (self.resume or self.overwrite) and out is None:
            raise ConfigError(f"--{'resume' if self.resume else 'overwrite'}: expected --out with the file of the earlier run")


@dataclass(frozen=True)
class RunOptions(KeptOptions):
    """Options of work on several cores or machines, which can be continued."""

    jobs: Annotated[int, typer.Option(min=0, max=1024, help="Number of processes, 0 for one per core.")] = 0
    ray: OnRay = None

    @property
    def executor(self) -> Executor:
        """Executor for `--ray` and `--jobs`."""
        return executor_of(self.ray, self.jobs)


def check_found(what: str, found: int, asked: int, out: Path | None) -> None:
    """Refuse a result file that contains more than was requested.

    Args:
        what: Name of the option, such as `games` or `deals`.
        found: Number in the file.
        asked: Number requested.
        out: Result file, for the message.

    Raises:
        ConfigError: The file contains more.
    """
    if found > asked:
        raise ConfigError(f"--{what}: {out} has {found} {what}, expected at least as many, got {asked}")


def say_stopped(what: str, found: int, asked: int, out: Path | None, tr: Words) -> None:
    """Print to standard error how far an interrupted run came, and whether it can be resumed.

    Args:
        what: Unit of the numbers: `games`, `deals`, `decisions` or `files`.
        found: Number that is finished.
        asked: Number requested.
        out: Result file; `None` for none.
        tr: Texts of the user's language.
    """
    key = "runs.stopped_unkept" if out is None else "runs.stopped"
    print(f"big2: {tr(key, found=found, asked=asked, what=tr(f'runs.{what}'))}", file=sys.stderr)


@contextmanager
def counted(
    what: str, found: int, asked: int, out: Path | None, tr: Words, *, title: str | None = None
) -> Iterator[Callable[[int], None]]:
    """Show the progress of a run, and yield a function that advances it. Ctrl-C says how far it came, as `say_stopped` does.

    Args:
        what: Unit of the numbers: `games`, `deals`, `decisions`, `puzzles` or `files`.
        found: Number in the result file.
        asked: Number requested.
        out: Result file; `None` for none.
        tr: Texts of the user's language.
        title: Description of the items; by default, their unit.

    Raises:
        ConfigError: The file contains more.
    """
    check_found(what, found, asked, out)

    def add(number: int) -> None:
        nonlocal found
        found += number
        advance(number)

    try:
        with counting(title or tr(f"runs.{what}"), asked, found) as advance:
            yield add
    except KeyboardInterrupt:
        say_stopped(what, found, asked, out, tr)
        raise


def check_output(path: Path | None) -> Path | None:
    """Check that a file can be written, before the work whose result it gets; a device or a pipe is not checked."""
    if path is not None and (path.is_dir() or path.is_file() or not path.exists()):
        check_writable(path)
    return path


Html = Annotated[
    Path | None,
    typer.Option("--html", callback=check_output, help="HTML page to step through the games, readable offline."),
]


def write_page(path: Path, replays: Sequence[Replay]) -> None:
    """Write games as one HTML page.

    Raises:
        ConfigError: No games are given, or more moves than one page may contain.
        OSError: The file cannot be written.
    """
    from big2_env.drawing.replay_page import replay_page

    write_text(path, replay_page(replays))


def print_table(table: Table, console: Console | None = None) -> None:
    """Print a table, at its full width to a file or a pipe. On a terminal its cells are folded."""
    console = console or Console()
    if not console.is_terminal:
        console.soft_wrap = True
        console.width = max(console.width, console.measure(table, options=console.options.update(width=1000)).maximum)
    console.print(table)


def shows_signs() -> bool:
    """Return whether standard output is a terminal that can show ♣♦♥♠."""
    encoding = getattr(sys.stdout, "encoding", "") or ""
    return sys.stdout.isatty() and encoding.lower().startswith("utf")


def is_at_terminal() -> bool:
    """Return whether a person types and reads here. The card table is drawn on standard error, so that counts too."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
