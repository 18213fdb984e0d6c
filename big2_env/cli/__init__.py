"""The command `big2`: one file per verb, imported when the verb is called.

A verb is a function `command` in a module of this folder, or a function that an installed package registers under the
entry-point group `big2_env.commands`. Its parameters are typer's. Its docstring is the help, in which paragraphs with indented
lines, such as examples, keep their lines. `big2 --help` reads docstrings from the sources and imports no verb. A verb may
return its exit status (`STATUS`). `answer` is the only place that turns exceptions into exit statuses.

A verb with verbs of its own, such as `big2 uno simulate`, has a `Family` as its `command`. Other packages register a member of
a family under a name with a dot, such as `uno.strength`.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper

from big2_env.cli._status import STATUS, answer, complaint, no_stderr, say_error, standard_input
from big2_env.cli._verbs import Family, Verb, available_verbs, family_verbs, load_verb

__all__ = [
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
    """Run the command line, and exit with its status.

    Args:
        args: Arguments; by default the process's own.
    """
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
    sys.exit(answer(lambda: _run(given)))


def _run(args: list[str]) -> int | None:
    """Import and run the verb of a command line, and return its exit status.

    `big2 run [FILE] [--full-width]` runs without typer: judges call it many times, and loading typer takes longer than a game.
    """
    files = [arg for arg in args[1:] if arg != "--full-width"]
    if args[:1] == ["run"] and len(files) <= 1 and not any(file.startswith("-") and file != "-" for file in files):
        from big2_env.cli._text_game import run_file
        from big2_env.climbing.rulesets import BIG2

        return run_file(files[0] if files else None, BIG2, full_width=len(files) < len(args) - 1)
    from big2_env.cli._group import app

    status: int | None = app(args, prog_name="big2")
    return status
