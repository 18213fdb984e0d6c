"""Side game records in files of any games, and their replays for `big2 show`, without judgement."""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.json_values import parse_object
from big2_env.base.language import Language
from big2_env.base.side_games import SideGameEntry, side_entry
from big2_env.drawing.replay_page import Replay
from big2_env.drawing.replays import side_replay
from big2_env.notation.lines import Lines
from big2_env.notation.side_records import SideRecord, load
from big2_env.tables.session.side_session import saved_seats

MAX_RECORD: Final = 1 << 24
"""Maximum number of characters of a record of any side game."""


def record_replay(lines: Lines, number: int, lang: Language) -> Replay | None:
    """Return the replay of a game among records of a side game; `None` for all other lines; see `side_record`."""
    if (record := side_record(lines, number)) is None:
        return None
    return side_replay(record.game, names=saved_seats(record.game, record.extra, lang), lang=lang)


def side_record(lines: Lines, number: int) -> SideRecord[Any] | None:
    """Return a game among records of a side game; `None` for all other lines, of which none is read then.

    Args:
        lines: The lines, of up to `MAX_RECORD` characters.
        number: Number of the game in them, from 1.

    Raises:
        NotationError: A line is not a record, or its game breaks the rules.
        ConfigError: There are fewer games.
    """
    if (entry := _game_of(lines.peek() or "")) is None:
        return None
    found: list[SideRecord[Any]] = list(islice(load(lines, entry.kind()), number))
    if len(found) < number:
        raise ConfigError(f"expected --game-number from 1 to {len(found)}, got {number}")
    return found[-1]


def _game_of(line: str) -> SideGameEntry | None:
    """Return the side game whose record a line is."""
    try:
        name = parse_object(line).get("game")
    except NotationError:
        return None
    return side_entry(name)
