"""Records of side games in JSON, one game per line (JSON Lines).

| key | value |
| --- | --- |
| `schema`, `game` | 1, and the name of the game; readers reject others |
| keys of the game | the start: rules, deal, random streams |
| `acts` | the moves in order, as text; absent in a game without decisions |
| keys of the game | the result; `null` while the game is in progress |

Each game's page lists its own keys. Other keys (a seed, the players, a date) are kept and written again. Loading a record
replays it under the rules. An illegal move, or a result that does not follow from the moves, is a `NotationError` with the line
number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Generic, TextIO, TypeVar

from big2_env.base.errors import ConfigError, IllegalPlayError, NotationError
from big2_env.base.json_values import parse_object, shown, texts_at
from big2_env.base.side_game import SideGame
from big2_env.notation.lines import Lines, TextSource, write_lines

Game = TypeVar("Game", bound=SideGame)

SCHEMA: Final = 1


@dataclass(frozen=True)
class SideRecord(Generic[Game]):
    """A side game and further data about it.

    Args:
        game: The game as far as it was played.
        extra: Further keys with JSON values, such as a seed, the players or a date.

    Raises:
        ConfigError: An extra key belongs to the format.
    """

    game: Game
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if taken := sorted(set(self.extra) & own_keys(self.game)):
            raise ConfigError(f"extra key {', '.join(taken)} is a key of the record itself; expected another name")


def own_keys(game: SideGame) -> set[str]:
    """Return the keys that the record format of a game uses."""
    moves = ["acts"] if game.has_choices else []
    return {"schema", "game", *game.start_keys, *moves, *game.result_data()}


def dumps(record: SideRecord[Any]) -> str:
    """Return a record as one line of JSON, without the newline.

    Raises:
        ConfigError: Extra values are not JSON, or the record is too long.
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
    """Write records to a text file, one per line, flushing after each, and return how many there were."""
    return write_lines(map(dumps, records), file)


def load(source: TextSource, kind: type[Game]) -> Iterator[SideRecord[Game]]:
    """Return an iterator over the records of a text, an open file or lines. Blank lines are skipped.

    Raises:
        NotationError: A line is not a record, or contradicts the rules; raised during iteration, with its number.
    """
    return Lines.of(source, kind.max_record).parsed(partial(loads, kind=kind))


def loads(line: str, kind: type[Game]) -> SideRecord[Game]:
    """Return the record of one line of JSON, after replaying it under the rules.

    Raises:
        NotationError: The line is not a record, or contradicts the rules.
        ConfigError: No game can have this start.
    """
    data = parse_object(line, kind.max_record, "record")
    if data.get("game") != kind.name or data.get("schema") != SCHEMA or isinstance(data["schema"], bool):
        raise NotationError(
            f"expected game {kind.name}, schema {SCHEMA}, got {shown(data.get('game'))}, {shown(data.get('schema'))}"
        )
    game = kind.from_start(data)
    moves = texts_at(data, "acts") if kind.has_choices else []
    if len(moves) > kind.max_moves:
        raise NotationError(f"too many moves: {len(moves):,} (limit {kind.max_moves:,})")
    for number, text in enumerate(moves, start=1):
        try:
            game.play(kind.parse_move(text))
        except (NotationError, IllegalPlayError) as error:
            raise NotationError(f"move {number}: {error}") from None
    for key, value in game.result_data().items():
        if json.dumps(data.get(key)) != json.dumps(value):  # true is not 1, nor 1.0, in a list either
            source = "the moves" if kind.has_choices else "the rules"
            raise NotationError(f"{key} {shown(data.get(key))}: {source} give {shown(value)}")
    keys = own_keys(game)
    return SideRecord(game, {key: value for key, value in data.items() if key not in keys})
