"""The command `big2`: one file per verb, imported when the verb is asked for.

A verb is a module of this folder with a function `command`, or such a function of any installed package announced under the
entry-point group `big2_env.commands`. Its parameters are typer's, its docstring is the help; paragraphs with indented lines
(examples) keep their lines. It may return its exit status (`STATUS`); what it raises becomes one in `answer` and nowhere else.

A verb may have verbs of its own, as in `big2 uno simulate`: then `command` is a `Family`. Other packages announce a member of a
family with a dot, `uno.strength`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from io import TextIOWrapper
from pkgutil import iter_modules
from typing import Final, TextIO, TypeAlias

from big2_env.announced import COMMANDS, announced
from big2_env.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError

STATUS: Final = {"done": 0, "bad input": 2, "input ends early": 3, "interrupted": 130, "reader gone": 141}
"""What the exit statuses mean; the last two are what a shell gives for SIGINT and SIGPIPE."""


Verb: TypeAlias = Callable[..., int | None]
"""What does a verb: typer parameters in, the exit status out."""


class Family:
    """Verbs under one name. `doc` is the help of the name itself, with examples."""

    def __init__(self, doc: str, **verbs: Verb) -> None:
        self.__doc__ = doc
        self.verbs = verbs
        """The functions by the second word."""


def main(args: list[str] | None = None) -> None:
    """Run the command line (by default the process's own arguments) and leave with its exit status."""
    given = sys.argv[1:] if args is None else args
    if sys.stdout is None:  # closed by whoever started it
        print("big2: standard output is closed: allowed is a terminal, a file or a pipe", file=sys.stderr)
        sys.exit(STATUS["bad input"])
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Logs are the same bytes whatever the locale; file names of any bytes can be told on stderr.
            stream.reconfigure(encoding="utf-8", errors=stream.errors, newline="\n")
    plain = _plain_run(given)
    if plain is not None:
        sys.exit(answer(plain))
    from big2_env.cli._group import app

    sys.exit(answer(lambda: app(given, prog_name="big2")))


def _plain_run(args: list[str]) -> Callable[[], int] | None:
    """What `big2 run [FILE] [--full-width]` does, `None` for anything else.

    A judge runs this many times over, and typer takes longer to load than a game to play.
    """
    if args[:1] != ["run"]:
        return None
    files = [arg for arg in args[1:] if arg != "--full-width"]
    if len(files) > 1 or any(file.startswith("-") and file != "-" for file in files):
        return None
    from big2_env.cli._text_game import run_file
    from big2_env.climbing.rulesets import BIG2

    return lambda: run_file(files[0] if files else None, BIG2, full_width=len(files) < len(args) - 1)


def answer(act: Callable[[], int | None]) -> int:
    """The exit status of an act: what it returns (0 for `None`), or what its error means, with one line on stderr."""
    try:
        try:
            status = act()
        except SystemExit as end:
            if isinstance(end.__context__, BrokenPipeError):  # so rich and typer leave where nobody reads any more
                raise end.__context__ from None
            if not isinstance(end.code, int | None):
                raise
            status = end.code
        sys.stdout.flush()
        return status or STATUS["done"]
    except KeyboardInterrupt:
        return STATUS["interrupted"]
    except BrokenPipeError:
        _let_stdout_go()
        return STATUS["reader gone"]
    except Exception as error:
        line = complaint(error)
        if line is None:
            raise
        try:
            sys.stdout.flush()
        except OSError:
            _let_stdout_go()
        print("big2:", " ".join(line.split()), file=sys.stderr)
        return STATUS["bad input"]


def _let_stdout_go() -> None:
    """The interpreter flushes stdout once more on its way out; that must not fail a second time."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def standard_input() -> TextIO:
    """Where a person types.

    Raises:
        ConfigError: it is closed.
    """
    if sys.stdin is None:
        raise ConfigError("standard input is closed: allowed is a terminal, a file or a pipe")
    return sys.stdin


def complaint(error: Exception) -> str | None:
    """The one line for an error that is the input's or the machine's fault, `None` for one that is ours."""
    if isinstance(error, NotationError | ConfigError | IllegalPlayError | AmbiguousPlayError):
        return str(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, OSError) and error.errno is not None:
        return f"input or output: {error.strerror}"  # a full disk, most often
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} (0x{error.object[error.start]:02x}): the text is not UTF-8"
    if isinstance(error, ImportError) and "pip install" in str(error):
        return str(error)  # an optional library is missing, and the message names the extra
    return None


def available_verbs() -> list[str]:
    """The names of all verbs, sorted; a family is one of them."""
    return sorted({*_built_in(), *(name for name in announced(COMMANDS) if "." not in name)})


def load_verb(verb: str) -> Verb | Family | None:
    """The function or family of a verb, `None` where there is no such verb. Built-in verbs look at no entry points."""
    if verb in _built_in():
        found: Verb | Family = import_module(f"{__name__}.{verb}").command
        return found
    return _load_announced(verb)


def family_verbs(name: str, family: Family) -> dict[str, Verb]:
    """All verbs of a family by their second word, sorted: its own, and those that installed packages announce."""
    members = dict(family.verbs)
    for full in announced(COMMANDS):
        first, dot, second = full.partition(".")
        if dot and first == name and (verb := _load_announced(full)) is not None:
            members.setdefault(second, verb)
    return dict(sorted(members.items()))


def _load_announced(verb: str) -> Verb | None:
    entry = announced(COMMANDS).get(verb)
    if entry is None:
        return None
    try:
        found: Verb = entry.load()
    except ConfigError as error:
        return _broken(str(error))
    return found


def _built_in() -> list[str]:
    return [info.name for info in iter_modules(__path__) if not info.name.startswith("_")]


def _broken(message: str) -> Verb:
    """A verb that says why it cannot be had, so that the list of verbs is still there for those that can."""

    def command() -> None:
        raise ConfigError(message)

    command.__doc__ = f"({message})"
    return command
