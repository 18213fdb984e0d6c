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

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

from big2_env.errors import ConfigError, IllegalPlayError, NotationError
from big2_env.notation.json_values import parse_object, shown, text_at, texts_at
from big2_env.notation.lines import Lines, TextSource
from big2_env.uno.acts import act_text, parse_act
from big2_env.uno.cards import cards_text, parse_cards
from big2_env.uno.game import UnoGame
from big2_env.uno.rules import UnoRules, uno_rules

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
        if taken := sorted(set(self.extra) & set(KEYS)):
            raise ConfigError(f"extra key {', '.join(taken)}: the record has that key itself; allowed is any other")


def dumps(record: UnoRecord) -> str:
    """The record as one line of JSON, without the newline.

    Raises:
        ConfigError: extra values that are no JSON.
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
    data |= _outcome(game)
    data |= record.extra
    try:
        return json.dumps(data, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"extra keys {', '.join(map(str, record.extra))}: {error}") from None


def dump(records: Iterable[UnoRecord], file: TextIO) -> int:
    """How many records were written to a text file, one a line, each flushed when it is whole."""
    number = 0
    for number, record in enumerate(records, start=1):  # noqa: B007
        file.write(dumps(record) + "\n")
        file.flush()
    return number


def load(source: TextSource) -> Iterator[UnoRecord]:
    """The records of a text, an open file or lines, one after another; blank lines are skipped.

    Raises:
        NotationError: a line that is no record, or whose game the rules contradict; with the line number.
    """
    lines = Lines.of(source, MAX_LINE)
    for line in iter(lines.next_filled, None):
        try:
            yield loads(line)
        except NotationError as error:
            raise lines.error(str(error)) from None


def loads(line: str) -> UnoRecord:
    """The record of one line of JSON, played again by the rules.

    Raises:
        NotationError: as `load`, without the line number.
    """
    if len(line) > MAX_LINE:
        raise NotationError(f"a record of {len(line)} characters: allowed are {MAX_LINE}")
    data = parse_object(line)
    if data.get("schema") != SCHEMA or isinstance(data["schema"], bool):
        raise NotationError(f"schema {shown(data.get('schema'))}: allowed is {SCHEMA}")
    if data.get("game") != "uno":
        raise NotationError(f"game {shown(data.get('game'))}: allowed is uno")
    stream = data.get("stream")
    if type(stream) is not int or not 0 <= stream < 2**64:
        raise NotationError(f"stream {shown(stream)}: allowed are 0 to 2**64 - 1")
    game = UnoGame(_rules(data.get("rules")), parse_cards(text_at(data, "deck")), stream)
    acts = texts_at(data, "acts")
    if len(acts) > MAX_ACTS:
        raise NotationError(f"{len(acts)} acts: allowed are {MAX_ACTS}")
    for number, text in enumerate(acts):
        try:
            game.play(parse_act(text))
        except (NotationError, IllegalPlayError) as error:
            raise NotationError(f"act {number}: {error}") from None
    found = _outcome(game)
    for key in _OUTCOME:
        given = data.get(key)
        if given != found[key] or (isinstance(given, list) and any(type(one) is not int for one in given)):
            raise NotationError(f"{key} {shown(given)}: the acts give {json.dumps(found[key])}")
    return UnoRecord(game, {key: value for key, value in data.items() if key not in KEYS})


def _rules(value: Any) -> UnoRules:
    if not isinstance(value, dict):
        raise NotationError(f"rules {shown(value)}: allowed is an object")
    try:
        return uno_rules(**value)
    except (ConfigError, TypeError) as error:
        raise NotationError(f"rules: {error}") from None


def _outcome(game: UnoGame) -> dict[str, Any]:
    outcome = game.outcome
    if outcome is None:
        return dict.fromkeys(_OUTCOME)
    return {"winners": list(outcome.winners), "reason": outcome.reason.value, "scores": list(outcome.scores)}
