"""Games in any form and from anywhere: JSON as it is, a file, `FILE:12` for the position after 12 of its moves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Final

from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import BIG2
from big2_env.errors import ConfigError, NotationError
from big2_env.notation import log, log_reader, positions, records, spec_input
from big2_env.notation.lines import ByteStream, Lines, TextSource
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Transcript, game_at


class Form(StrEnum):
    """What a game can be written as."""

    LOG = "log"
    RECORD = "record"
    INPUT = "input"
    POSITION = "position"


_SCHEMA: Final = re.compile(r'"schema"\s*:')
"""What a record has and a position has not."""


def load(
    source: TextSource, ruleset: RuleSet = BIG2, names: Sequence[str] | None = None, num_players: int | None = None
) -> tuple[Form, Iterator[GameRecord]]:
    """The form, and the games one after another: one of an input, any number of logs, records or positions.

    A record or position that does not end on its first line is the only one.

    Args:
        source: where the lines come from.
        ruleset: the rules of a log or an input; a record or position names its own, which may be these.
        names: the players of a log by seat, where whoever opens does not sit in seat 0.
        num_players: how many players an input has, by default as many as the ruleset says.

    Raises:
        NotationError: while the games are read, what is none or goes against the rules; with the line number.
        ConfigError: a ruleset whose games have no such form.
    """
    lines = Lines.of(source, records.MAX_LINE)
    first = lines.peek() or ""
    if first.startswith("{"):
        if not first.endswith("}"):
            lines = _joined(lines)
            first = lines.peek() or ""
        load = records.load if _SCHEMA.search(first) else positions.load
        return Form.RECORD if load is records.load else Form.POSITION, load(lines, {ruleset.name: ruleset})
    if first.startswith((log.TRICK, log.NOTE)):
        return Form.LOG, _logged(lines, ruleset, names)
    return Form.INPUT, _play(lines, ruleset, num_players)


def _joined(lines: Lines) -> Lines:
    """All lines that are left as one with the number of the first, for JSON that goes over several.

    Raises:
        NotationError: too many characters.
    """
    parts, size, number = [], 0, lines.number
    for line in lines:
        parts.append(line)
        size += len(line) + 1
        if size > records.MAX_LINE:
            raise lines.error(f"more than {records.MAX_LINE} characters of JSON")
    joined = Lines([" ".join(parts)], records.MAX_LINE)
    joined.number = number
    return joined


def _logged(lines: Lines, ruleset: RuleSet, names: Sequence[str] | None) -> Iterator[GameRecord]:
    """The games of logs, which do not name their rules.

    Raises:
        NotationError: with the rules that a log was read by.
    """
    try:
        for game in log_reader.load(lines, ruleset, names):
            yield GameRecord(game.transcript)
    except NotationError as error:
        raise NotationError(f"{error} (read by the rules of {ruleset.name}; --game names others)") from None


def _play(lines: Lines, ruleset: RuleSet, num_players: int | None) -> Iterator[GameRecord]:
    """The game of an input.

    Raises:
        NotationError: text after the game's end: another game there would be lost.
    """
    transcript = spec_input.read_start(lines, ruleset, num_players)
    actions = spec_input.read_actions(lines, spec_input.words_of(ruleset))
    while not transcript.game.is_over and (action := next(actions, None)) is not None:
        transcript.act(action)
    yield GameRecord(transcript)
    if transcript.game.is_over and lines.next_filled() is not None:
        raise lines.error("expected nothing after the end of the game: an input is one game")


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
        ruleset: the rules of a log or an input, see `load`.
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
    games = list(islice(load(lines, ruleset, num_players=num_players)[1], 2))
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
        form, games = load(lines, ruleset, names)
        yield form, map(Moment(ply, back).cut, games)
