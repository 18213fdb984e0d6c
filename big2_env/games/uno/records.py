"""Records of UNO games: one game a line, as JSON (JSONL).

| key | value |
| --- | --- |
| `schema` | 1; a reader refuses a number that it does not know |
| `game` | `"uno"` |
| `rules` | the players, and what differs from the recommended rules |
| `deck` | the 108 cards from bottom to top |
| `stream` | state of the random stream that played cards are shuffled by |
| `acts` | the acts in order, as `act_text` writes them |
| `winners`, `reason`, `scores` | the outcome; all `null` while the game goes on |

Keys that a reader does not know are kept and written again. Whoever loads a record plays it again by the rules: an act that is not
legal, or an outcome that the acts do not give, is a `NotationError` with the line number.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

from big2_env.errors import ConfigError, IllegalPlayError, NotationError
from big2_env.games.uno.actions import act_text, parse_act
from big2_env.games.uno.cards import cards_text, parse_cards
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.rules import UnoRules, uno_rules
from big2_env.json_values import shown, text_at, texts_at
from big2_env.notation.lines import TextSource
from big2_env.notation.record_lines import check_extra, check_value, dump_lines, line_of, load_lines, object_of

SCHEMA: Final = 1
MAX_LINE: Final = 1 << 20
"""Most characters that a record may have."""
MAX_ACTS: Final = 30_000
"""Most acts that a record may have."""
_OUTCOME: Final = ("winners", "reason", "scores")
KEYS: Final = ("schema", "game", "rules", "deck", "stream", "acts", *_OUTCOME)
"""The keys that a record has itself."""


@dataclass(frozen=True)
class UnoRecord:
    """A game, and whatever else is worth keeping about it.

    Raises:
        ConfigError: an extra key that the record has itself.
    """

    game: UnoGame
    """The game as far as it went."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further keys with JSON values: a seed, the players, a date."""

    def __post_init__(self) -> None:
        check_extra(self.extra, KEYS)


def dumps(record: UnoRecord) -> str:
    """The record as one line of JSON, without the newline.

    Raises:
        ConfigError: extra values that are no JSON, or too long a record.
    """
    game = record.game
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "game": "uno",
        "rules": game.rules.changed(),
        "deck": cards_text(game.deck),
        "stream": game.stream,
        "acts": [act_text(move.act) for move in game.history],
    }
    return line_of(data | _outcome(game), record.extra, MAX_LINE)


def dump(records: Iterable[UnoRecord], file: TextIO) -> int:
    """How many records were written to a text file, one a line, each flushed when it is whole."""
    return dump_lines(records, dumps, file)


def load(source: TextSource) -> Iterator[UnoRecord]:
    """The records of a text, an open file or lines, one after another; blank lines are skipped.

    Raises:
        NotationError: a line that is no record, or whose game the rules contradict; with the line number.
    """
    return load_lines(source, loads, MAX_LINE)


def loads(line: str) -> UnoRecord:
    """The record of one line of JSON, played again by the rules.

    Raises:
        NotationError: as `load`, without the line number.
    """
    data = object_of(line, "uno", SCHEMA, MAX_LINE)
    stream = data.get("stream")
    if type(stream) is not int or not 0 <= stream < 2**64:
        raise NotationError(f"expected a stream of 0 to 2**64 - 1, got {shown(stream)}")
    game = UnoGame(_rules(data.get("rules")), parse_cards(text_at(data, "deck")), stream)
    acts = texts_at(data, "acts")
    if len(acts) > MAX_ACTS:
        raise NotationError(f"too many acts: {len(acts):,} (limit {MAX_ACTS:,})")
    for number, text in enumerate(acts):
        try:
            game.play(parse_act(text))
        except (NotationError, IllegalPlayError) as error:
            raise NotationError(f"act {number}: {error}") from None
    for key, value in _outcome(game).items():
        check_value(data, key, value, "the acts")
    return UnoRecord(game, {key: value for key, value in data.items() if key not in KEYS})


def _rules(value: Any) -> UnoRules:
    if not isinstance(value, dict):
        raise NotationError(f"rules: expected an object, got {shown(value)}")
    try:
        return uno_rules(**value)
    except (ConfigError, TypeError) as error:
        raise NotationError(f"rules: {error}") from None


def _outcome(game: UnoGame) -> dict[str, Any]:
    outcome = game.outcome
    if outcome is None:
        return dict.fromkeys(_OUTCOME)
    return {"winners": list(outcome.winners), "reason": outcome.reason.value, "scores": list(outcome.scores)}
