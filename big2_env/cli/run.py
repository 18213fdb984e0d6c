"""`big2 run`: a game given as text, answered action by action."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from io import StringIO
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from big2_env.base.errors import ConfigError, visible
from big2_env.base.language import Words
from big2_env.base.outside import read_text
from big2_env.cli._options import Lang, RulesetName, stdin_bytes, words_of
from big2_env.cli._status import STATUS, complaint, say_error
from big2_env.cli._text_game import play, run_file
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.notation.log_check import Difference, difference, is_full_width
from big2_env.notation.sources import STDIN

MAX_LOG: Final = 1 << 26
"""Most bytes of an expected log."""


class Pair(NamedTuple):
    """A game and its expected log."""

    given: str
    """File of the game, or `-` for standard input."""
    expected: Path
    """File of the log."""


def pairs_of(check: Path, file: str | None) -> list[Pair]:
    """Return the games to check, each with its expected log.

    Args:
        check: Folder with pairs `NAME.in` and `NAME.out`, or the expected log of one game.
        file: Game; by default the file `NAME.in` next to the log `NAME.out`, or standard input if there is none.

    Raises:
        ConfigError: A folder is given together with a game, or contains no games.
    """
    if not check.is_dir():
        beside = check.with_suffix(".in")
        return [Pair(file or (str(beside) if beside != check and beside.is_file() else STDIN), check)]
    if file is not None:
        raise ConfigError(f"--check {check}: expected a folder alone or a file with a game, got a folder with {file}")
    stems = sorted({path.with_suffix("") for end in ("in", "out") for path in check.glob(f"*.{end}")})
    if not stems:
        raise ConfigError(f"--check {check}: expected pairs of files, NAME.in and NAME.out, got none")
    return [Pair(f"{stem}.in", Path(f"{stem}.out")) for stem in stems]


def check_logs(pairs: Iterable[Pair], ruleset: RuleSet, num_players: int | None, full_width: bool, tr: Words) -> int:
    """Compare the logs of games with expected ones, print the results, and return the exit status.

    Args:
        pairs: Games with their expected logs.
        ruleset: Rules of the games.
        num_players: Number of players; the ruleset's own by default.
        full_width: True to write the full-width comma. A log that has it is compared with it in any case.
        tr: Texts of the language.
    """
    found = []
    for pair in pairs:
        file = str(pair.expected)
        try:
            expected = read_text(pair.expected, MAX_LOG)
            file = pair.given
            difference = _compared(file, expected, ruleset, num_players, full_width)
        except Exception as error:
            line = complaint(error)
            if line is None:
                raise
            say_error(f"{file}: {line.removeprefix(f'{file}: ')}")
            found.append("bad input")
            continue
        found.append("done" if difference is None else "differs")
        print(visible(tr("check.passed", file=pair.given) if difference is None else _text(pair, difference, tr)))
    if len(found) > 1:
        print(tr("check.total", passed=found.count("done"), games=len(found)))
    return next(STATUS[one] for one in ("bad input", "differs", "done") if one in found)


def _compared(given: str, expected: str, ruleset: RuleSet, num_players: int | None, full_width: bool) -> Difference | None:
    """Return the first difference of a game's log; `None` if there is none."""
    wide = full_width or is_full_width(expected)
    out, err = StringIO(), StringIO()
    with nullcontext(stdin_bytes()) if given == STDIN else Path(given).open("rb") as source:
        play(source, out, err, ruleset, num_players, wide)
    for remark in err.getvalue().splitlines():
        say_error(f"{given}: {remark.removeprefix('big2: ')}")
    return difference(expected, out.getvalue())


def _text(pair: Pair, difference: Difference, tr: Words) -> str:
    """Return a difference in words."""
    where = tr("check.turn", number=difference.turn, name=difference.name) if difference.turn else tr("check.no_turn")
    shown = [tr("check.ended") if line is None else line for line in (difference.expected, difference.got)]
    return "\n".join(
        (
            tr("check.failed", file=pair.given, line=difference.line, turn=where),
            tr("check.expected", text=shown[0]),
            tr("check.got", text=shown[1]),
        )
    )


def command(
    file: Annotated[Path | None, typer.Argument(help="Game as text; - is standard input.")] = None,
    full_width: Annotated[bool, typer.Option("--full-width", help="Use the full-width comma in log messages.")] = False,
    ruleset: RulesetName = "big2",
    players: Annotated[int | None, typer.Option(help="Number of players, if the ruleset allows several.")] = None,
    check: Annotated[
        Path | None,
        typer.Option(metavar="LOG|FOLDER", help="Expected log, or folder of NAME.in and NAME.out pairs."),
    ] = None,
    lang: Lang = None,
) -> int:
    """Play a game given as text and print its log.

    The text is a deck (cards from bottom to top), one name per line, then one action per line: card indices in the sorted hand,
    or -1 for a pass. Each action is answered immediately, so a program can drive a game through pipes.

    Exit status: 0 if the game has ended, 2 if a line is not valid, 3 if the actions end before the game does.

    With --check, compare the log with an expected one and print the first line that differs. The game of NAME.out is NAME.in
    next to it, unless one is given. Exit status: 0 if all logs are as expected, 1 if one differs, 2 if one cannot be read.
    Either comma is accepted.

    Examples:
        big2 run game.in > game.out
        big2 run --full-width < game.in
        big2 run --check game.out
        big2 run --check tests/
    """
    rules, given = ruleset_named(ruleset), None if file is None else str(file)
    if check is not None:
        return check_logs(pairs_of(check, given), rules, players, full_width, words_of(lang))
    return run_file(given, rules, players, full_width)
