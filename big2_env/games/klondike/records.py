"""Records of Klondike games: one game a line, as JSON (JSONL).

| key | value |
| --- | --- |
| `schema`, `game` | 1, "klondike"; a reader refuses others |
| `deck` | the 52 cards: pile 1 gets the first, the dealer area the last 24 |
| `position` | in place of `deck`: where the game began (`position_json`) |
| `acts` | what was done and not taken back, as `act_text` writes it |
| `won`, `score` | where that led |

Whoever loads a record plays it again by the rules: an act that is not legal, or an outcome that the acts do not give, is a
`NotationError` with the line number. Other keys (a seed, a player, a date) are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

from big2_env.errors import IllegalPlayError, NotationError
from big2_env.games.klondike.actions import act_text, parse_act
from big2_env.games.klondike.cards import cards_text, parse_cards
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.klondike.position_json import position_data, position_of
from big2_env.json_values import text_at, texts_at
from big2_env.notation.lines import TextSource
from big2_env.notation.record_lines import check_extra, check_value, dump_lines, line_of, load_lines, object_of

SCHEMA: Final = 1
MAX_LINE: Final = 1 << 20
"""Most characters of a record."""
MAX_ACTS: Final = 100_000
"""Most acts of a record."""
KEYS: Final = ("schema", "game", "deck", "position", "acts", "won", "score")
"""The keys that a record has itself."""


@dataclass(frozen=True)
class KlondikeRecord:
    """A game as far as it went, and whatever else is worth keeping about it.

    Raises:
        ConfigError: an extra key that the record has itself.
    """

    game: KlondikeGame
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_extra(self.extra, KEYS)


def dumps(record: KlondikeRecord) -> str:
    """The record as one line of JSON, without the newline.

    Raises:
        ConfigError: extra values that are no JSON, or too long a record.
    """
    game = record.game
    data: dict[str, Any] = {"schema": SCHEMA, "game": "klondike"}
    data |= {"position": position_data(game.start)} if game.deck is None else {"deck": cards_text(game.deck)}
    data["acts"] = [act_text(move.act) for move in game.history]
    data |= {"won": game.is_won, "score": game.score}
    return line_of(data, record.extra, MAX_LINE)


def dump(records: Iterable[KlondikeRecord], file: TextIO) -> int:
    """How many records were written to a text file, one a line, each flushed when it is whole."""
    return dump_lines(records, dumps, file)


def loads(line: str) -> KlondikeRecord:
    """The record of one line of JSON, played again by the rules.

    Raises:
        NotationError: the line is no record, or the rules contradict it.
        ConfigError: a deck or a position that cannot be.
    """
    data = object_of(line, "klondike", SCHEMA, MAX_LINE)
    if "position" not in data:
        game = KlondikeGame(parse_cards(text_at(data, "deck", 1000)))
    elif "deck" not in data:
        game = KlondikeGame(position_of(data["position"]))
    else:
        raise NotationError("expected deck or position, got both")
    acts = texts_at(data, "acts")
    if len(acts) > MAX_ACTS:
        raise NotationError(f"too many acts: {len(acts):,} (limit {MAX_ACTS:,})")
    for number, text in enumerate(acts, start=1):
        try:
            game.play(parse_act(text))
        except (NotationError, IllegalPlayError) as error:
            raise NotationError(f"act {number}: {error}") from None
    for key, value in (("won", game.is_won), ("score", game.score)):
        check_value(data, key, value, "the acts")
    return KlondikeRecord(game, {key: value for key, value in data.items() if key not in KEYS})


def load(source: TextSource) -> Iterator[KlondikeRecord]:
    """The records of a text, an open file or lines; blank lines are skipped.

    Raises:
        NotationError: a line that is no record, or that the rules contradict; with the line number.
    """
    return load_lines(source, loads, MAX_LINE)
