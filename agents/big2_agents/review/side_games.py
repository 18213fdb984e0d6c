"""Records of UNO, Klondike and fishing for `big2 show`: looked through as climbing games are, and judged by nobody."""

from __future__ import annotations

from importlib import import_module
from itertools import islice
from pathlib import Path

from big2_env.errors import ConfigError, NotationError
from big2_env.json_values import parse_object
from big2_env.language import Language, words
from big2_env.show.replay_page import Replay

GAMES = ("uno", "klondike", "fishing")
"""The games that have records of their own."""


def side_replay(file: Path, number: int, lang: Language) -> Replay | None:
    """A game of a file with records of UNO, Klondike or fishing, to be looked through; `None` for every other file.

    Args:
        file: the file.
        number: which of its games, from 1.
        lang: the language.

    Raises:
        OSError: the file cannot be read.
        NotationError: a line that is no record, or whose game the rules contradict.
        ConfigError: there are not so many games.
    """
    name = _game_of(file)
    if name is None:
        return None
    records, replays = (import_module(f"big2_env.games.{name}.{part}") for part in ("records", "replays"))
    with file.open(encoding="utf-8") as lines:
        found = list(islice(records.load(lines), number))
    if len(found) < number:
        raise ConfigError(f"expected --game-number from 1 to {len(found)}, got {number}")
    record, tr = found[-1], words(lang)
    if name != "uno":
        replay: Replay = replays.game_replay(record.game() if name == "fishing" else record.game, lang=lang)
        return replay
    seat, agents = record.extra.get("seat"), record.extra.get("agents")
    names = None
    if type(seat) is int and isinstance(agents, list) and len(agents) + 1 == record.game.rules.players > seat >= 0:
        others = [tr("side_play.computer", number=(each - seat) % (len(agents) + 1)) for each in range(len(agents) + 1)]
        names = [tr("table.you") if each == seat else other for each, other in enumerate(others)]
    replay = replays.game_replay(record.game, names=names, lang=lang)
    return replay


def _game_of(file: Path) -> str | None:
    """The side game whose record a file begins with."""
    try:
        with file.open(encoding="utf-8") as lines:
            first = next((line for line in lines if line.strip()), "")
        name = parse_object(first).get("game")
    except (NotationError, UnicodeDecodeError):
        return None
    return name if name in GAMES else None
