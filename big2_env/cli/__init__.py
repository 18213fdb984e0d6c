"""The command `big2`: one file per verb, imported when the verb is asked for.

A verb is a module of this folder with a function `command`, or such a function of any installed package announced under the
entry-point group `big2_env.commands`. Its parameters are typer's, its docstring is the help; paragraphs with indented lines
(examples) keep their lines. It may return its exit status (`STATUS`); what it raises becomes one in `answer` and nowhere else.

A verb may have verbs of its own, as in `big2 uno simulate`: then `command` is a `Family`. Other packages announce a member of a
family with a dot, `uno.strength`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from io import TextIOWrapper

from big2_env.cli._status import STATUS, answer, complaint, no_stderr, say_error, standard_input
from big2_env.cli._verbs import RULES_HELP, Family, Verb, available_verbs, family_verbs, load_verb

__all__ = [
    "RULES_HELP",
    "STATUS",
    "Family",
    "Verb",
    "answer",
    "available_verbs",
    "complaint",
    "family_verbs",
    "load_verb",
    "main",
    "standard_input",
]


def main(args: list[str] | None = None) -> None:
    """Run the command line (by default the process's own arguments) and leave with its exit status."""
    given = sys.argv[1:] if args is None else args
    if sys.stderr is None:  # else what is printed there comes out on stdout
        sys.stderr = no_stderr()
    if sys.stdout is None:  # closed by whoever started it
        say_error("standard output is closed: expected a terminal, a file or a pipe")
        sys.exit(STATUS["bad input"])
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Logs are the same bytes whatever the locale, and file names are the bytes that were given.
            errors = "surrogateescape" if stream.errors == "strict" else stream.errors
            stream.reconfigure(encoding="utf-8", errors=errors, newline="\n")
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
