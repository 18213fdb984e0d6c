"""Games that a command line names: a position or a game in any form, up to one of its moves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from big2_env.cards import Card
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.notation import any_form, positions
from big2_env.notation.replay import game_at
from big2_env.notation.seat_names import seat_names

SOURCE_HELP = "A position (JSON), or a record, log or input; :N after it goes back to the position after N moves."
"""The help of what names a game."""


@dataclass(frozen=True)
class Source:
    """A game that somebody named."""

    game: Game
    """The game, up to the move that was asked for."""
    names: tuple[str, ...]
    """Who plays it."""
    deck: tuple[Card, ...] | None = None
    """The deck from bottom to top, where it is known."""


def game_source(source: str, rules: RuleSet) -> Source:
    """The game that a text names: JSON, or a file and perhaps the number of a move, `FILE:12`.

    Args:
        source: what was given.
        rules: the rules of a log or an input; positions and records name their own.

    Raises:
        OSError: the file cannot be read.
        NotationError, ConfigError: there is no such game, or no such move of it.
    """
    text, ply = source, None
    if not source.lstrip().startswith("{"):
        found = re.fullmatch(r"(.+):([0-9]{1,6})", source)
        if found is not None and not Path(source).exists():
            source, ply = found[1], int(found[2])
        with Path(source).open("rb") as stream:
            content = stream.read(positions.MAX_TEXT + 1)
        if len(content) > positions.MAX_TEXT:
            raise ConfigError(f"{source}: expected at most {positions.MAX_TEXT} bytes")
        text = content.decode("utf-8-sig")
    read = _read(text, rules, {rules.name: rules})
    return read if ply is None else Source(game_at(read.game, ply), read.names, read.deck)


def _read(text: str, rules: RuleSet, rulesets: Mapping[str, RuleSet]) -> Source:
    if text.lstrip().startswith("{") and '"schema"' not in text:
        game = positions.loads(text, rulesets)
        return Source(game, seat_names(None, game.num_players))
    games = list(islice(any_form.load(text, rules)[1], 2))
    if len(games) != 1:
        raise ConfigError(f"expected one game, got {'several' if games else 'none'}")
    return Source(games[0].game, games[0].transcript.names, games[0].deck)
