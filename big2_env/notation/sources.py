"""Games in any form, from any source: text, a file, or `FILE:12` for the position after 12 moves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Final

from big2_env.base.errors import ConfigError, NotationError
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import BIG2
from big2_env.notation import log, log_reader, positions, records, spec_input
from big2_env.notation.lines import ByteStream, Lines, TextSource
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Transcript, game_at


class Form(StrEnum):
    """Text form of a game."""

    LOG = "log"
    RECORD = "record"
    INPUT = "input"
    POSITION = "position"


_SCHEMA: Final = re.compile(r'"schema"\s*:')
"""Key that a record has and a position does not."""


def load(
    source: TextSource, ruleset: RuleSet = BIG2, names: Sequence[str] | None = None, num_players: int | None = None
) -> tuple[Form, Iterator[GameRecord]]:
    """Return the form of a source, and an iterator over its games.

    An input holds one game; logs, records and positions hold any number. A record or position of several lines must be the only
    one.

    Args:
        source: Source of the lines.
        ruleset: Rules of a log or an input. Records and positions name their own rules, which may be these.
        names: Player of each seat in a log; None if the player asked first sits in seat 0.
        num_players: Number of players of an input; None for the ruleset's default.

    Raises:
        NotationError: A game is invalid; raised during iteration, with the line number.
        ConfigError: The ruleset's games do not have this form.
    """
    lines = one_object(Lines.of(source, records.MAX_LINE))
    first = lines.peek() or ""
    if first.startswith("{"):
        load = records.load if _SCHEMA.search(first) else positions.load
        return Form.RECORD if load is records.load else Form.POSITION, load(lines, {ruleset.name: ruleset})
    if first.startswith((log.TRICK, log.NOTE)):
        return Form.LOG, _logged(lines, ruleset, names)
    return Form.INPUT, _play(lines, ruleset, num_players)


def one_object(lines: Lines) -> Lines:
    """Return lines with a JSON object of several lines as one line, and other lines as they are."""
    first = lines.peek() or ""
    return _joined(lines) if first.startswith("{") and not first.endswith("}") else lines


def _joined(lines: Lines) -> Lines:
    """Return the remaining lines as one line with the number of the first, for JSON over several lines.

    Raises:
        NotationError: There are too many characters.
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
    """Yield the games of logs, which do not name their rules.

    Raises:
        NotationError: A log is invalid; the message names the rules it was read with.
    """
    try:
        for game in log_reader.load(lines, ruleset, names):
            yield GameRecord(game.transcript)
    except NotationError as error:
        raise NotationError(
            f"{error} (read by the rules of {ruleset.name}; --game names others, --names the players)"
        ) from None


def _play(lines: Lines, ruleset: RuleSet, num_players: int | None) -> Iterator[GameRecord]:
    """Yield the game of an input.

    Raises:
        NotationError: There is text after the end of the game, for example a second one.
    """
    transcript = spec_input.read_game(lines, ruleset, num_players)
    yield GameRecord(transcript, None if ruleset.auction is None else tuple(spec_input.deck_of(transcript.game)))
    if transcript.game.is_over and lines.next_filled() is not None:
        raise lines.error("expected nothing after the end of the game: an input is one game")


STDIN: Final = "-"
"""Name of standard input, for callers that provide it."""
_MOMENT: Final = re.compile(r"(.+):([0-9]{1,6})", re.DOTALL)


@dataclass(frozen=True)
class Moment:
    """A moment in a game.

    Args:
        ply: Number of moves made; None for the end of the game.
        back: Number of moves to take back from there.
    """

    ply: int | None = None
    back: int = 0

    def of(self, moves: int) -> int:
        """Return the number of moves made at this moment.

        Raises:
            ConfigError: The game does not have this moment.
        """
        if self.ply is not None and self.ply > moves:
            raise ConfigError(f"expected a move of 0 to {moves}, got {self.ply}")
        last = moves if self.ply is None else self.ply
        if not 0 <= self.back <= last:
            raise ConfigError(f"--back: expected at most the {last} moves of the game, got {self.back}")
        return last - self.back

    def cut(self, record: GameRecord) -> GameRecord:
        """Return the game up to this moment.

        Raises:
            ConfigError: The game does not have this moment.
        """
        ply = self.of(len(record.game.history))
        if ply == len(record.game.history):
            return record
        return replace(record, transcript=Transcript(game_at(record.game, ply), record.transcript.names))


def is_game(source: str) -> bool:
    """Return True if a text is the game itself, in JSON or in several lines, and not the name of a file.

    Args:
        source: A game or a file name.
    """
    return source.lstrip().startswith("{") or "\n" in source


def parted(source: str) -> tuple[str, int | None]:
    """Split `FILE:12` into a file name and a move number, which is None if absent.

    Args:
        source: A game or a file name. An existing file whose name has this form is not split.

    >>> parted("game.jsonl:12"), parted("game.jsonl")
    (('game.jsonl', 12), ('game.jsonl', None))
    """
    found = None if is_game(source) else _MOMENT.fullmatch(source)
    return (source, None) if found is None or Path(source).exists() else (found[1], int(found[2]))


@contextmanager
def opened(file: str, stdin: ByteStream | None = None, max_line: int = records.MAX_LINE) -> Iterator[Lines]:
    """Open the lines of a file, of a game as text, or of standard input.

    Args:
        file: A game, the path of a file, or `-`.
        stdin: Stream for `-`; None to treat `-` as a file name.
        max_line: Most characters of a line.

    Raises:
        OSError: The file cannot be read.
    """
    given = file if is_game(file) else stdin if file == STDIN else None
    with Path(file).open("rb") if given is None else nullcontext(given) as source:
        yield Lines(source, max_line)


def game_in(
    source: str, ruleset: RuleSet, *, back: int = 0, num_players: int | None = None, stdin: ByteStream | None = None
) -> GameRecord:
    """Return the only game of a source, up to a move.

    Args:
        source: A game as text (JSON, or several lines), or the path of a file with a game in any form, optionally with a move
            number (`FILE:12`). `-` reads `stdin`.
        ruleset: Rules of a log or an input; see `load`.
        back: Number of moves to take back.
        num_players: Number of players of an input.
        stdin: Stream for `-`.

    Raises:
        OSError: The file cannot be read.
        NotationError: The game is invalid.
        ConfigError: The source holds no game or several, or the game does not have that move.
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
    """Return the form of a source and all its games, each up to a move, as a context manager.

    Args:
        source: As for `game_in`.
        ruleset: Rules of logs or an input; see `load`.
        back: Number of moves to take back.
        names: Player of each seat in a log.
        stdin: Stream for `-`.

    Raises:
        OSError: The file cannot be read.
        NotationError: A game is invalid; raised during iteration.
        ConfigError: A game does not have that move; raised during iteration.
    """
    file, ply = parted(source)
    with opened(file, stdin) as lines:
        form, games = load(lines, ruleset, names)
        yield form, map(Moment(ply, back).cut, games)
