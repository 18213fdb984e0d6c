"""Games by what names them, in any form: JSON as it stands, a file, `FILE:12` for what stood after 12 of its moves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final

from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.notation import any_form, records
from big2_env.notation.any_form import Form
from big2_env.notation.lines import ByteStream, Lines
from big2_env.notation.records import GameRecord
from big2_env.notation.replay import game_at
from big2_env.notation.transcript import Transcript

STDIN: Final = "-"
"""What names standard input, for those who give it."""
_MOMENT: Final = re.compile(r"(.+):([0-9]{1,6})", re.DOTALL)


@dataclass(frozen=True)
class Moment:
    """A moment of a game."""

    ply: int | None = None
    """After how many moves; `None` for the end."""
    back: int = 0
    """How many moves before that."""

    def of(self, moves: int) -> int:
        """After how many moves it is in a game with so many.

        Raises:
            ConfigError: there is no such moment.
        """
        if self.ply is not None and self.ply > moves:
            raise ConfigError(f"expected a move of 0 to {moves}, got {self.ply}")
        last = moves if self.ply is None else self.ply
        if not 0 <= self.back <= last:
            raise ConfigError(f"--back: expected at most the {last} moves of the game, got {self.back}")
        return last - self.back

    def cut(self, record: GameRecord) -> GameRecord:
        """The game up to this moment. Raises as `of`."""
        ply = self.of(len(record.game.history))
        if ply == len(record.game.history):
            return record
        return replace(record, transcript=Transcript(game_at(record.game, ply), record.transcript.names))


def is_json(source: str) -> bool:
    """True if a text is a record or position itself, and no name of a file."""
    return source.lstrip().startswith("{")


def parted(source: str) -> tuple[str, int | None]:
    """The file that a text names, and the number of the move after it, `FILE:12`; `None` where there is none.

    >>> parted("game.jsonl:12"), parted("game.jsonl")
    (('game.jsonl', 12), ('game.jsonl', None))
    """
    found = None if is_json(source) else _MOMENT.fullmatch(source)
    return (source, None) if found is None or Path(source).exists() else (found[1], int(found[2]))


@contextmanager
def opened(file: str, stdin: ByteStream | None = None) -> Iterator[Lines]:
    """The lines of a file, of JSON as it stands, or of standard input where it is given and named.

    Raises:
        OSError: the file cannot be read.
    """
    if is_json(file):
        yield Lines(file, records.MAX_LINE)
    elif file == STDIN and stdin is not None:
        yield Lines(stdin, records.MAX_LINE)
    else:
        with Path(file).open("rb") as stream:
            yield Lines(stream, records.MAX_LINE)


def game_in(
    source: str, ruleset: RuleSet, *, back: int = 0, num_players: int | None = None, stdin: ByteStream | None = None
) -> GameRecord:
    """The only game that a text names, up to the move asked for.

    Args:
        source: a record or a position as JSON; or the path of a file that holds one, a log or an input, perhaps with the
            number of a move, `FILE:12`; or `-`, where `stdin` is given.
        ruleset: the rules of a log or an input, see `any_form.load`.
        back: how many moves are taken back.
        num_players: how many players an input has.
        stdin: what `-` stands for.

    Raises:
        OSError: the file cannot be read.
        NotationError, ConfigError: it holds no game, or several; or the game never had that many moves.
    """
    file, ply = parted(source)
    with opened(file, stdin) as lines:
        return Moment(ply, back).cut(_only(lines, ruleset, num_players))


def _only(lines: Lines, ruleset: RuleSet, num_players: int | None) -> GameRecord:
    if lines.peek() is None:
        raise ConfigError("expected a game, got an empty text")
    games = list(islice(any_form.load(lines, ruleset, num_players=num_players)[1], 2))
    if len(games) != 1:
        raise ConfigError(f"expected one game, got {'several' if games else 'none'}")
    return games[0]


@contextmanager
def games_in(
    source: str,
    ruleset: RuleSet,
    *,
    back: int = 0,
    names: Sequence[str] | None = None,
    stdin: ByteStream | None = None,
) -> Iterator[tuple[Form, Iterator[GameRecord]]]:
    """The form of what a text names, and all its games, each up to the move asked for.

    Arguments and errors are those of `game_in`; `names` are the players of a log by seat.
    """
    file, ply = parted(source)
    with opened(file, stdin) as lines:
        form, games = any_form.load(lines, ruleset, names)
        yield form, map(Moment(ply, back).cut, games)
