"""Games in any text form; which one it is shows in the first line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import BIG2
from big2_env.errors import NotationError
from big2_env.notation import log, log_reader, positions, records, spec_input
from big2_env.notation.lines import Lines, TextSource
from big2_env.notation.records import GameRecord


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
