"""Records of fishing games: one game a line, as JSON (JSONL).

| key | value |
| --- | --- |
| `schema`, `game` | 1, "fishing"; a reader refuses others |
| `rules` | as `results.rules_data` gives them |
| `hands` | the deal, `"2 10 J ... | W 3 ..."`: seat 0's hand first, front cards first |
| `max_plays` | the game was given up at its first capture after so many plays, if it got there |
| `end`, `plays`, `loser`, `period` | the outcome; `null` where there is none |
| `captures` | how many cards each capture took, in order; `null` where the game did not end |

There are no choices in this game, so the deal is the whole of it. Whoever loads a record plays it again: an outcome or captures
that the rules do not give are a `NotationError` with the line number. Other keys (a seed, a date) are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

from big2_env.errors import ConfigError, NotationError
from big2_env.games.fishing.cards import cards_text
from big2_env.games.fishing.ends import decide
from big2_env.games.fishing.game import MAX_PLAYS, FishingEnd, FishingGame, FishingOutcome
from big2_env.games.fishing.results import rules_data, rules_of
from big2_env.games.fishing.rules import FishingRules
from big2_env.json_values import shown, text_at
from big2_env.notation.lines import TextSource
from big2_env.notation.record_lines import check_extra, check_value, dump_lines, line_of, load_lines, object_of

SCHEMA: Final = 1
MAX_LINE: Final = 1 << 24
"""Most characters of a record."""
_OUTCOME: Final = ("end", "plays", "loser", "period")
KEYS: Final = ("schema", "game", "rules", "hands", "max_plays", *_OUTCOME, "captures")
"""The keys that a record has itself."""


@dataclass(frozen=True)
class FishingRecord:
    """A game from its deal to its outcome, and whatever else is worth keeping about it."""

    rules: FishingRules
    hands: tuple[tuple[int, ...], tuple[int, ...]]
    outcome: FishingOutcome
    captures: tuple[int, ...] | None
    """How many cards each capture took; `None` where the game did not end."""
    max_plays: int = MAX_PLAYS
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, game: FishingGame, max_plays: int = MAX_PLAYS, extra: Mapping[str, Any] | None = None) -> FishingRecord:
        """The record of a game, which is played from its deal to its end; the game itself stays as it is.

        Raises:
            ConfigError: `max_plays` out of range, or an extra key that the record has itself.
        """
        extra = dict(extra or {})
        check_extra(extra, KEYS)
        if not 1 <= max_plays <= MAX_PLAYS:
            raise ConfigError(f"expected max_plays of 1 to {MAX_PLAYS:,}, got {max_plays}")
        outcome = decide(game.rules, game.start, max_plays=max_plays)
        captures = None
        if outcome.end is FishingEnd.EMPTY_HAND:
            again = FishingGame(game.rules, game.start)
            captures = tuple(len(play.captured) for play in again.play_all() if play.captured)
        return cls(game.rules, game.start, outcome, captures, max_plays, extra)

    def game(self) -> FishingGame:
        """The game at its start."""
        return FishingGame(self.rules, self.hands)


def dumps(record: FishingRecord) -> str:
    """The record as one line of JSON, without the newline.

    Raises:
        ConfigError: extra values that are no JSON, or too long a record.
    """
    data: dict[str, Any] = {"schema": SCHEMA, "game": "fishing", "rules": rules_data(record.rules)}
    data["hands"] = " | ".join(map(cards_text, record.hands))
    data["max_plays"] = record.max_plays
    data |= _outcome(record.outcome)
    data["captures"] = None if record.captures is None else list(record.captures)
    return line_of(data, record.extra, MAX_LINE)


def dump(records: Iterable[FishingRecord], file: TextIO) -> int:
    """How many records were written to a text file, one a line, each flushed when it is whole."""
    return dump_lines(records, dumps, file)


def loads(line: str) -> FishingRecord:
    """The record of one line of JSON, played again by the rules.

    Raises:
        NotationError: the line is no record, or the rules contradict it.
        ConfigError: rules or hands that cannot be.
    """
    data = object_of(line, "fishing", SCHEMA, MAX_LINE)
    max_plays = data.get("max_plays")
    if type(max_plays) is not int:
        raise NotationError(f"expected max_plays of 1 to {MAX_PLAYS:,}, got {shown(max_plays)}")
    rules = rules_of(data.get("rules"))
    game = FishingGame.of_hands(text_at(data, "hands", 1000), rules)
    if game.rules != rules:
        raise NotationError(f"expected hands of the rules' deck {rules.deck}, got hands of {game.rules.deck}")
    found = FishingRecord.of(game, max_plays, {key: value for key, value in data.items() if key not in KEYS})
    captures = None if found.captures is None else list(found.captures)
    for key, value in (_outcome(found.outcome) | {"captures": captures}).items():
        check_value(data, key, value, "the rules")
    return found


def load(source: TextSource) -> Iterator[FishingRecord]:
    """The records of a text, an open file or lines; blank lines are skipped.

    Raises:
        NotationError: a line that is no record, or that the rules contradict; with the line number.
    """
    return load_lines(source, loads, MAX_LINE)


def _outcome(outcome: FishingOutcome) -> dict[str, Any]:
    return {"end": outcome.end.value, "plays": outcome.plays, "loser": outcome.loser, "period": outcome.period}
