"""The command `big2`: one file per verb, imported when the verb is asked for.

A verb is a module of this folder with a function `command`, or such a function of any installed package announced under the
entry-point group `big2_env.commands`. Its parameters are typer's, its docstring is the help; paragraphs with indented lines
(examples) keep their lines. What a verb raises becomes an exit status here and nowhere else: see `STATUS`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from importlib import import_module
from inspect import cleandoc
from io import TextIOWrapper
from pkgutil import iter_modules
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from big2_env.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError

ENTRY_POINT_GROUP: Final = "big2_env.commands"

STATUS: Final = {"done": 0, "bad input": 2, "input ends early": 3, "interrupted": 130, "reader gone": 141}
"""What the exit statuses mean; the last two are what a shell gives for SIGINT and SIGPIPE."""


def _built_in() -> list[str]:
    return [info.name for info in iter_modules(__path__) if not info.name.startswith("_")]


def _announced() -> dict[str, Any]:
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP)}


def load_verb(verb: str) -> Callable[..., None] | None:
    """The function of a verb, `None` where there is no such verb. Built-in verbs look at no entry points."""
    if verb in _built_in():
        function: Callable[..., None] = import_module(f"{__name__}.{verb}").command
        return function
    entry = _announced().get(verb)
    if entry is None:
        return None
    try:
        found: Callable[..., None] = entry.load()
    except (ImportError, AttributeError) as error:
        return _broken(f"verb {verb!r} of the entry point {entry.value!r} cannot be loaded: {error}")
    return found


def _broken(message: str) -> Callable[[], None]:
    """A verb that says why it cannot be had, so that the list of verbs is still there for those that can."""

    def command() -> None:
        raise ConfigError(message)

    command.__doc__ = f"({message})"
    return command


def _help(docstring: str | None) -> str:
    """A docstring as typer's help: paragraphs with indented lines keep their lines, brackets are no markup."""
    paragraphs = re.split(r"\n\s*\n", cleandoc(docstring or ""))
    # \b at the start of a line asks typer to leave it as it is, and is not printed.
    kept = (re.sub("(?m)^", "\b", text) if "\n " in text else " ".join(text.split()) for text in paragraphs)
    return "\n\n".join(kept).replace("[", "\\[")


def complaint(error: Exception) -> str | None:
    """The one line for an error that is the input's or the machine's fault, `None` for one that is ours."""
    if isinstance(error, NotationError | ConfigError | IllegalPlayError | AmbiguousPlayError):
        return str(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} (0x{error.object[error.start]:02x}): the text is not UTF-8"
    if isinstance(error, ImportError) and "pip install" in str(error):
        return str(error)  # an optional library is missing, and the message names the extra
    return None


class VerbGroup(TyperGroup):
    """The verbs as a lazy group, with the one place that turns errors into exit statuses."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all verbs, sorted."""
        return sorted({*_built_in(), *_announced()})

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """The command of one verb; only its module is imported."""
        function = load_verb(cmd_name)
        if function is None:
            if not ctx.resilient_parsing and not cmd_name.startswith("-"):
                ctx.fail(f"no verb {cmd_name!r}: allowed are {', '.join(self.list_commands(ctx))}")
            return None
        single = typer.Typer(add_completion=False, rich_markup_mode="rich")
        single.command(cmd_name, help=_help(function.__doc__))(function)
        built: Any = get_command(single)
        return built  # type: ignore[no-any-return]

    def invoke(self, ctx: Any) -> Any:
        """What the verb returns; its errors become one line on stderr and an exit status."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except KeyboardInterrupt:
            raise typer.Exit(STATUS["interrupted"]) from None
        except BrokenPipeError:
            # The interpreter flushes stdout once more on its way out; that must not fail a second time.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(STATUS["reader gone"]) from None
        except Exception as error:
            line = complaint(error)
            if line is None:
                raise
            print("big2:", " ".join(line.split()), file=sys.stderr)
            raise typer.Exit(STATUS["bad input"]) from None


app = typer.Typer(
    name="big2",
    cls=VerbGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from big2_env import __version__

        print(f"big2_env {__version__}")
        raise typer.Exit


_HELP: Final = """
Big Two (大老二): games from text, between agents, and against you.

Examples:
    big2 run game.in          print the log of a game given as text
    big2 match heuristic greedy greedy random --seed 7
                              let four agents play a game
    big2 play                 play against agents

Each verb has its own examples: big2 VERB --help
"""


@app.callback(help=_help(_HELP))
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """The options of `big2` itself."""


def main(args: list[str] | None = None) -> None:
    """Run the command line (by default the process's own arguments) and leave with its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", newline="\n")  # logs are the same bytes whatever the locale
    app(args, prog_name="big2")
