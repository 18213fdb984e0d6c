"""Game records: one game a line, as JSON (JSONL).

| key | value |
| --- | --- |
| `schema` | 1; a reader refuses a number that it does not know |
| `ruleset` | the ruleset's name |
| `scoring` | the settlement's name, where it has one; else it is the ruleset's own |
| `players` | the names, by seat |
| `deck` or `hands` | the deck from bottom to top; or each seat's cards, and under `pile` the draw pile, its top card last |
| `moves` | `"<pattern> <cards>"`, `"pass"`, or `{"refused": [indices]}`: none for a pass, `null` where they are not known |
| `winner`, `reason`, `cards_left`, `payoffs` | the outcome, by seat; all `null` while the game goes on |

Keys that a reader does not know are kept and written again. Whoever loads a record plays it again by the rules: a move that is
not legal, a refusal of what is legal, or an outcome that the moves do not give is a `NotationError` with the line number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, TextIO

from big2_env.cards import Card, as_mask, parse_cards
from big2_env.climbing.game import Game, Outcome
from big2_env.climbing.position import first_position
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.climbing.settlement import SCORINGS
from big2_env.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError, quoted
from big2_env.notation.lines import Lines, TextSource
from big2_env.notation.transcript import Passed, Played, Refused, Transcript

SCHEMA: Final = 1
MAX_LINE: Final = 1 << 20
"""Most characters that a record may have."""
MAX_MOVES: Final = 10_000
"""Most moves, refused ones included, that a record may have."""

_OUTCOME: Final = ("winner", "reason", "cards_left", "payoffs")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_KEYS: Final = ("schema", "ruleset", "scoring", "players", "deck", "hands", "pile", "moves", *_OUTCOME)


@dataclass(frozen=True)
class GameRecord:
    """A game with its players, and whatever else is worth keeping about it."""

    transcript: Transcript
    """The game, its names and its refused attempts."""
    deck: tuple[Card, ...] | None = None
    """The deck from bottom to top, where it is known."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further keys with JSON values: a seed, the agents, a date."""

    def __post_init__(self) -> None:
        taken = sorted(set(self.extra) & set(_KEYS))
        if taken:
            raise ConfigError(f"extra key {', '.join(taken)}: the record has that key itself; allowed is any other")

    @property
    def game(self) -> Game:
        """The game."""
        return self.transcript.game


def dumps(record: GameRecord) -> str:
    """The record as one line of JSON, without the newline.

    Raises:
        ConfigError: a game of two decks, whose equal cards the notation does not tell apart; a game that does not begin with a
            deal; or extra values that are no JSON.
    """
    game = record.game
    ruleset, start = game.ruleset, game.start
    if ruleset.deck.copies > 1:
        raise ConfigError(f"a record of {ruleset.name}: its equal cards cannot be told apart; allowed are games of one deck")
    if start != first_position(ruleset, start.hands, start.pile):
        raise ConfigError("a game that began in the middle: allowed is one that began with a deal")
    scoring = next((name for name, value in SCORINGS.items() if value == ruleset.scoring), None)
    data: dict[str, Any] = {"schema": SCHEMA, "ruleset": ruleset.name}
    if scoring is not None:
        data["scoring"] = scoring
    data["players"] = list(record.transcript.names)
    if record.deck is not None:
        data["deck"] = " ".join(map(str, record.deck))
    else:
        data["hands"] = [ruleset.text(hand) for hand in start.hands]
        if start.pile:
            data["pile"] = " ".join(map(str, start.pile))
    data["moves"] = list(_moves(record.transcript))
    data |= _outcome(game.outcome)
    data |= record.extra
    try:
        line = json.dumps(data, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"extra keys {', '.join(map(str, record.extra))}: {error}") from None
    # Half a surrogate pair, which JSON can escape, is no text that a file can hold.
    return line if line.isascii() or not _SURROGATE.search(line) else json.dumps(data, allow_nan=False)


def dump(records: Iterable[GameRecord], file: TextIO) -> int:
    """How many records were written to a text file, one a line, each flushed when it is whole."""
    number = 0
    for number, record in enumerate(records, start=1):  # noqa: B007
        file.write(dumps(record) + "\n")
        file.flush()
    return number


def load(source: TextSource, rulesets: Mapping[str, RuleSet] | None = None) -> Iterator[GameRecord]:
    """The records of a text, an open file or lines, one after another; blank lines are skipped.

    Args:
        source: where the lines come from.
        rulesets: rules by name, looked at before those of the package; for house rules.

    Raises:
        NotationError: a line that is no record, or whose game the rules contradict; with the line number.
    """
    lines = Lines.of(source, MAX_LINE)
    for line in iter(lines.next_filled, None):
        try:
            yield loads(line, rulesets)
        except (NotationError, ConfigError) as error:
            raise lines.error(str(error)) from None


def loads(line: str, rulesets: Mapping[str, RuleSet] | None = None) -> GameRecord:
    """The record of one line of JSON, played again by the rules.

    Raises:
        NotationError: as `load`, without the line number.
        ConfigError: the ruleset is not known, or does not allow such a game.
    """
    if len(line) > MAX_LINE:
        raise NotationError(f"a record of {len(line)} characters: allowed are {MAX_LINE}")
    data = _json(line)
    if data.get("schema") != SCHEMA or isinstance(data["schema"], bool):
        raise NotationError(f"schema {_shown(data.get('schema'))}: allowed is {SCHEMA}")
    name = _text(data, "ruleset")
    ruleset = (rulesets or {}).get(name) or ruleset_named(name)
    if data.get("scoring") is not None:
        ruleset = ruleset.with_scoring(_text(data, "scoring"))
    names = _texts(data, "players")
    deck = None
    if "deck" in data and "hands" in data:
        raise NotationError("both deck and hands: allowed is one of them")
    if "deck" in data:
        deck = tuple(ruleset.deck.parse(_text(data, "deck")))
        game = Game.from_deck(ruleset, deck, len(names))
    else:
        hands = tuple(map(as_mask, _texts(data, "hands")))
        if not all(hands) or not hands:
            raise NotationError("hands without cards: allowed is at least one card in each")
        pile = tuple(parse_cards(_text(data, "pile"))) if "pile" in data else ()
        game = Game.from_position(ruleset, first_position(ruleset, hands, pile))
    transcript = Transcript(game, names)
    _replay(transcript, data)
    found = _outcome(game.outcome)
    for key in _OUTCOME:
        if not _same(data.get(key), found[key]):
            raise NotationError(f"{key} {_shown(data.get(key))}: the moves give {json.dumps(found[key])}")
    return GameRecord(transcript, deck, {key: value for key, value in data.items() if key not in _KEYS})


def _moves(transcript: Transcript) -> Iterator[str | dict[str, list[int] | None]]:
    ruleset = transcript.game.ruleset
    for event in transcript.events:
        match event:
            case Played():
                yield f"{event.play.pattern} {ruleset.text(event.play.mask)}"
            case Passed():
                yield "pass"
            case Refused():
                yield {"refused": None if event.slots is None else list(event.slots)}
            case _:
                pass


def _outcome(outcome: Outcome | None) -> dict[str, Any]:
    if outcome is None:
        return dict.fromkeys(_OUTCOME)
    return {
        "winner": outcome.winner,
        "reason": outcome.reason.value,
        "cards_left": list(outcome.cards_left),
        "payoffs": list(outcome.payoffs),
    }


def _same(given: Any, found: Any) -> bool:
    """Whether two values of an outcome agree, numbers up to rounding."""
    if isinstance(found, list):
        return isinstance(given, list) and len(given) == len(found) and all(map(_same, given, found))
    if isinstance(found, int | float) and isinstance(given, int | float) and not isinstance(given, bool):
        return abs(given) < 1e12 and abs(given - found) <= 1e-9 * max(1.0, abs(found))
    return type(given) is type(found) and bool(given == found)


def _replay(transcript: Transcript, data: dict[str, Any]) -> None:
    """Make the moves of a record."""
    game = transcript.game
    moves = data.get("moves")
    if not isinstance(moves, list) or len(moves) > MAX_MOVES:
        raise NotationError(f"moves: allowed is a list of at most {MAX_MOVES}")
    forced = [play for _, play in game.history]  # what the engine played itself when the game began
    for number, move in enumerate(moves):
        try:
            if isinstance(move, dict):
                _refuse(transcript, move)
                continue
            if not isinstance(move, str):
                raise NotationError(f"{_shown(move)}: allowed is a text, or an object with the key refused")
            pattern, _, cards = move.partition(" ")
            if number < len(forced):
                if str(forced[number]) != move:
                    raise NotationError(f"{quoted(move)}: by the rules the game begins with {forced[number]}")
            elif pattern == "pass" and not cards:
                game.pass_()
            elif not cards:
                raise NotationError(f"{quoted(move)}: allowed is pass, or a pattern with its cards")
            else:
                game.play(game.ruleset.play(as_mask(cards), game.ruleset.pattern(pattern).name))
        except (NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError) as error:
            raise NotationError(f"move {number}: {error}") from None


def _refuse(transcript: Transcript, move: dict[str, Any]) -> None:
    slots = move.get("refused")
    is_list = isinstance(slots, list) and all(type(slot) is int and slot >= 0 for slot in slots)
    if set(move) != {"refused"} or not (is_list or slots is None):
        raise NotationError(f"{_shown(move)}: allowed is the key refused with a list of indices, or null")
    if slots is None:
        transcript.refuse(None)
    elif transcript.act(slots) is not None:
        raise NotationError(f"{_shown(move)} is recorded as refused, and is legal")


def _json(line: str) -> dict[str, Any]:
    """The JSON object of a line; anything that JSON proper has not, and a key given twice, is refused."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            raise NotationError(f"the key {quoted(next(key for key in keys if keys.count(key) > 1))} is given twice")
        return found

    def no_number(text: str) -> NoReturn:
        raise NotationError(f"{text} is no JSON number")

    try:
        data = json.loads(line, object_pairs_hook=once, parse_constant=no_number)
    except NotationError:
        raise
    except (ValueError, RecursionError) as error:
        raise NotationError(f"no JSON: {quoted(str(error), 100)}") from None
    if not isinstance(data, dict):
        raise NotationError(f"{quoted(line)}: allowed is a JSON object")
    return data


def _shown(value: Any) -> str:
    """A JSON value for a message."""
    try:
        return quoted(json.dumps(value, ensure_ascii=False))
    except (ValueError, RecursionError):
        return f"of type {type(value).__name__}"


def _text(data: dict[str, Any], key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise NotationError(f"{key} {_shown(value)}: allowed is a text")
    return value


def _texts(data: dict[str, Any], key: str) -> list[str]:
    value = data.get(key)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise NotationError(f"{key} {_shown(value)}: allowed is a list of texts")
    return value
