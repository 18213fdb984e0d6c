"""Records of side games: one game per line, as JSON (JSONL).

| key | value |
| --- | --- |
| `schema`, `game` | 1, and the name of the game; a reader refuses others |
| keys of the game | the start: rules, deal, random streams |
| `acts` | the moves in order, as text; absent in a game that plays itself |
| keys of the game | the result; `null` while the game goes on |

A game's page lists its own keys. Other keys (a seed, the players, a date) are kept and written again. Readers play a record
again by the rules: a move that is not legal, or a result that the moves do not give, is a `NotationError` with the line number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TextIO, TypeVar

from big2_env.errors import ConfigError, IllegalPlayError, NotationError
from big2_env.json_values import parse_object, shown, texts_at
from big2_env.notation.lines import Lines, TextSource, write_lines
from big2_env.side_game import SideGame

Game = TypeVar("Game", bound=SideGame)

SCHEMA: Final = 1


@dataclass(frozen=True)
class SideRecord(Generic[Game]):
    """A game, and whatever else is worth keeping about it.

    Raises:
        ConfigError: an extra key that the record has itself.
    """

    game: Game
    """The game as far as it went."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further keys with JSON values: a seed, the players, a date."""

    def __post_init__(self) -> None:
        if taken := sorted(set(self.extra) & own_keys(self.game)):
            raise ConfigError(f"extra key {', '.join(taken)} is a key of the record itself; expected another name")


def own_keys(game: SideGame) -> set[str]:
    """Return the keys that a record of a game has itself."""
    moves = ["acts"] if game.has_choices else []
    return {"schema", "game", *game.start_keys, *moves, *game.result_data()}


def dumps(record: SideRecord[Any]) -> str:
    """Return the record as one line of JSON, without the newline.

    Raises:
        ConfigError: extra values that JSON cannot hold, or too long a record.
    """
    game: SideGame = record.game
    moves = {"acts": [game.move_text(made.move) for made in game.history]} if game.has_choices else {}
    data = {"schema": SCHEMA, "game": game.name, **game.start_data(), **moves, **game.result_data(), **record.extra}
    try:
        line = json.dumps(data, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"extra keys {', '.join(map(str, record.extra))}: {error}") from None
    if len(line) > game.max_record:
        raise ConfigError(f"the record is too long: {len(line):,} characters (limit {game.max_record:,})")
    return line


def dump(records: Iterable[SideRecord[Any]], file: TextIO) -> int:
    """Write records to a text file, one per line, each flushed when it is whole; return how many there were."""
    return write_lines(map(dumps, records), file)


def load(source: TextSource, kind: type[Game]) -> Iterator[SideRecord[Game]]:
    """Yield the records of a text, an open file or lines; blank lines are skipped.

    Args:
        source: The lines.
        kind: The class of the games.

    Raises:
        NotationError: a line that is not a record, or whose game the rules contradict; with the number of the line.
    """
    lines = Lines.of(source, kind.max_record)
    for line in iter(lines.next_filled, None):
        try:
            yield loads(line, kind)
        except (NotationError, ConfigError) as error:
            raise lines.error(str(error)) from None


def loads(line: str, kind: type[Game]) -> SideRecord[Game]:
    """Return the record of one line of JSON, played again by the rules.

    Raises:
        NotationError: the line is not a record, or the rules contradict it.
        ConfigError: a start that no game can have.
    """
    if len(line) > kind.max_record:
        raise NotationError(f"the record is too long: {len(line):,} characters (limit {kind.max_record:,})")
    data = parse_object(line)
    if data.get("game") != kind.name or data.get("schema") != SCHEMA or isinstance(data["schema"], bool):
        raise NotationError(
            f"expected game {kind.name}, schema {SCHEMA}, got {shown(data.get('game'))}, {shown(data.get('schema'))}"
        )
    game = kind.from_start(data)
    moves = texts_at(data, "acts") if kind.has_choices else []
    if len(moves) > kind.max_moves:
        raise NotationError(f"too many acts: {len(moves):,} (limit {kind.max_moves:,})")
    for number, text in enumerate(moves, start=1):
        try:
            game.play(kind.parse_move(text))
        except (NotationError, IllegalPlayError) as error:
            raise NotationError(f"act {number}: {error}") from None
    for key, value in game.result_data().items():
        if json.dumps(data.get(key)) != json.dumps(value):  # true is not 1, nor 1.0, in a list either
            source = "the acts" if kind.has_choices else "the rules"
            raise NotationError(f"{key} {shown(data.get(key))}: {source} give {shown(value)}")
    keys = own_keys(game)
    return SideRecord(game, {key: value for key, value in data.items() if key not in keys})
