"""Game records in JSON, one game per line (JSON Lines).

| key | value |
| --- | --- |
| `schema` | 1; readers reject other numbers |
| `ruleset`, `scoring`, `rules` | the rules: names, a digest, and changes to the preset (`climbing.saved_rules`) |
| `players` | name of each seat |
| `deck` or `hands` | the deck from bottom to top; or each seat's cards, with the draw pile under `pile`, top card last |
| `leader` | seat that leads with any play because it won the deal before; absent if the lowest card decides |
| `redeals` | decks to deal if no seat wants the deal in an auction, the next one first |
| `moves` | `"<pattern> <cards>"`, `"pass"`, an auction decision (`"call"`, `"bid_2"`), or a refused attempt |
| `winner`, `reason`, `cards_left`, `payoffs` | the outcome, by seat; all `null` while the game is in progress |
| `forfeit` | if the seat to move gave the game up: `{"seat": 2, "reason": "...", "payoffs": [...]}` |

A refused attempt is `{"refused": [indices]}`, with an empty list for a pass, an auction decision as text, or `null` if unknown.

If a pattern reads the same cards in several ways, `<pattern>#2` is the second. Unknown keys are kept and written again. Loading
a record replays it under the rules. An illegal move, a refusal of a legal move, or an outcome that does not follow from the
moves is a `NotationError` with the line number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TextIO

from big2_env.base.cards import Card
from big2_env.base.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError, quoted
from big2_env.base.json_values import MAX_PAYOFF, parse_object, shown, text_at, texts_at
from big2_env.climbing import saved_rules
from big2_env.climbing.events import Passed, Played, Said
from big2_env.climbing.forfeit import Forfeit, forfeit
from big2_env.climbing.game import Game, Outcome
from big2_env.climbing.hands import reading_mark, readings
from big2_env.climbing.parts import MAX_NAME
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.position import Position, first_position, led_by
from big2_env.climbing.ruleset import NextLead, RuleSet
from big2_env.climbing.saved_rules import SavedRules, identity
from big2_env.notation.copies import cards_text, mask_of, parse_cards, parse_deck
from big2_env.notation.lines import Lines, TextSource, write_lines
from big2_env.notation.spec_input import words_of
from big2_env.notation.transcript import RefusedMove, Transcript

SCHEMA: Final = 1
MAX_LINE: Final = 1 << 20
"""Maximum number of characters in a record."""
MAX_MOVES: Final = 10_000
"""Maximum number of moves in a record, including refused ones."""

_OUTCOME: Final = ("winner", "reason", "cards_left", "payoffs")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_START: Final = ("players", "deck", "redeals", "hands", "pile", "leader")
KEYS: Final = ("schema", *saved_rules.KEYS, *_START, "moves", *_OUTCOME, "forfeit")
"""Keys that the format itself uses."""


@dataclass(frozen=True)
class GameRecord:
    """A game with its players and further data about it.

    Args:
        transcript: The game, its names and refused attempts.
        deck: The deck from bottom to top, if known.
        extra: Further keys with JSON values, such as a seed, the agents or a date.
        forfeit: Result of a game that the seat to move gave up; None for other games.

    Raises:
        ConfigError: An extra key belongs to the format, the deck does not deal the hands, or a finished game was given up.
    """

    transcript: Transcript
    deck: tuple[Card, ...] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    forfeit: Forfeit | None = None

    def __post_init__(self) -> None:
        taken = sorted(set(self.extra) & set(KEYS))
        if taken:
            raise ConfigError(f"extra key {', '.join(taken)} is a key of the record itself; expected another name")
        game = self.game
        if self.forfeit is not None and game.is_over:
            raise ConfigError("expected a game in progress for a forfeit, got one that is over")
        if self.deck is not None:
            start = Game.from_deck(game.ruleset, self.deck, game.num_players, game.start.redeals).start
            if led_by(start, _leader_of(game, start)) != game.start:
                raise ConfigError("a deck that does not deal the hands the game began with")

    @property
    def game(self) -> Game:
        """The game."""
        return self.transcript.game


def dumps(record: GameRecord) -> str:
    """Return a record as one line of JSON, without the newline.

    Raises:
        ConfigError: The game did not begin with a deal, a game with an auction has no deck, there are too many moves, or extra
            values are not JSON.
    """
    game = record.game
    ruleset, start = game.ruleset, game.start
    if ruleset.auction is not None and record.deck is None:
        raise ConfigError(f"a record of {ruleset.name} needs the deck that was dealt")
    leader = _leader_of(game, usual := first_position(ruleset, start.hands, start.pile)) if ruleset.auction is None else None
    if record.deck is None and start != led_by(usual, leader):
        raise ConfigError("expected a game that began with a deal, got one that began in the middle")
    data: dict[str, Any] = {"schema": SCHEMA, **identity(ruleset)}
    data["players"] = list(record.transcript.names)
    if record.deck is not None:
        data["deck"] = cards_text(record.deck)
        if start.redeals:
            data["redeals"] = [cards_text(deck) for deck in start.redeals]
    else:
        data["hands"] = [cards_text(ruleset.order.sort(hand)) for hand in start.hands]
        if start.pile:
            data["pile"] = cards_text(start.pile)
    if leader is not None:
        data["leader"] = leader
    data["moves"] = moves = list(_moves(record.transcript))
    if len(moves) > MAX_MOVES:
        raise ConfigError(f"too many moves, refused ones included: {len(moves):,} (limit {MAX_MOVES:,})")
    data |= _outcome(game.outcome)
    if record.forfeit is not None:
        data["forfeit"] = _forfeit_data(record.forfeit)
    data |= record.extra
    try:
        line = json.dumps(data, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"extra keys {', '.join(map(str, record.extra))}: {error}") from None
    # Half a surrogate pair, which JSON can escape, is no text that a file can hold.
    return line if line.isascii() or not _SURROGATE.search(line) else json.dumps(data, allow_nan=False)


def dump(records: Iterable[GameRecord], file: TextIO) -> int:
    """Write records to a text file, one per line, flushing after each, and return how many there were."""
    return write_lines(map(dumps, records), file)


def load(source: TextSource, rulesets: Mapping[str, RuleSet] | None = None) -> Iterator[GameRecord]:
    """Return an iterator over the records of a text, an open file or lines. Blank lines are skipped.

    Args:
        source: Source of the lines.
        rulesets: Rules by name that take precedence over the installed ones, for house rules with classes of your own.

    Raises:
        NotationError: A line is not a record, or contradicts the rules; raised during iteration, with its number.
    """
    return Lines.of(source, MAX_LINE).parsed(partial(_load_one, rules=SavedRules(rulesets)))


def loads(line: str, rulesets: Mapping[str, RuleSet] | None = None) -> GameRecord:
    """Return the record of one line of JSON, after replaying it under the rules.

    Args:
        line: The record.
        rulesets: Rules by name that take precedence over the installed ones.

    Raises:
        NotationError: The line is not a record, or contradicts the rules.
        ConfigError: The ruleset is unknown, has changed since the game was recorded, or does not allow such a game.
    """
    return _load_one(line, SavedRules(rulesets))


def _load_one(line: str, rules: SavedRules) -> GameRecord:
    data = parse_object(line, MAX_LINE, "record")
    if data.get("schema") != SCHEMA or isinstance(data["schema"], bool):
        raise NotationError(f"expected schema {SCHEMA}, got {shown(data.get('schema'))}")
    if "ruleset" not in data and isinstance(data.get("game"), str):
        raise NotationError(f"expected a record of a climbing game, got one of {quoted(data['game'])}, which big2 show reads")
    ruleset = rules.of(data)
    names = texts_at(data, "players")
    deck, leader = None, data.get("leader")
    if leader is not None and (
        ruleset.next_lead is NextLead.LOWEST or type(leader) is not int or leader not in range(len(names))
    ):
        raise NotationError(f"leader: expected a seat, in a game in which winners lead the next deal, got {shown(leader)}")
    if "deck" in data and "hands" in data:
        raise NotationError("expected either deck or hands, got both")
    if "deck" in data:
        deck = tuple(parse_deck(ruleset.deck, text_at(data, "deck")))
        redeals = [parse_deck(ruleset.deck, text) for text in texts_at(data, "redeals")] if "redeals" in data else []
        game = Game.from_deck(ruleset, deck, len(names), redeals, leader)
    else:
        if ruleset.auction is not None:
            raise NotationError(f"a record of {ruleset.name} needs its deck, got hands")
        hands = tuple(map(mask_of, texts_at(data, "hands")))
        if not all(hands) or not hands:
            raise NotationError("expected at least one card in each hand, got an empty one")
        pile = tuple(parse_cards(text_at(data, "pile"))) if "pile" in data else ()
        game = Game.from_position(ruleset, led_by(first_position(ruleset, hands, pile), leader))
    transcript = Transcript(game, names)
    _replay(transcript, data)
    found = _outcome(game.outcome)
    for key in _OUTCOME:
        if not _same(data.get(key), found[key]):
            raise NotationError(f"{key} {shown(data.get(key))}: the moves give {json.dumps(found[key])}")
    extra = {key: value for key, value in data.items() if key not in KEYS}
    return GameRecord(transcript, deck, extra, _forfeit_of(game, data["forfeit"]) if "forfeit" in data else None)


def _leader_of(game: Game, usual: Position) -> int | None:
    """Return the seat that may lead with any play, None if the game begins as usual."""
    return None if game.start == usual or game.ruleset.next_lead is NextLead.LOWEST else game.start.turn


def _moves(transcript: Transcript) -> Iterator[str | dict[str, list[int] | str | None]]:
    ruleset = transcript.game.ruleset
    for event in transcript.events:
        match event:
            case Played():
                yield play_text(ruleset, event.play)
            case Passed():
                yield PASS.pattern
            case Said():
                yield event.move.pattern
            case RefusedMove():
                yield {"refused": event.slots if event.slots is None or isinstance(event.slots, str) else list(event.slots)}
            case _:
                pass


def play_text(ruleset: RuleSet, play: Play) -> str:
    """Return a play as a record writes it, `"<pattern> <cards>"`."""
    return f"{play.pattern}{reading_mark(ruleset, play)} {cards_text(ruleset.order.sort(play.mask))}"


def play_of(ruleset: RuleSet, text: str) -> Play:
    """Return the play of a text from a record.

    Args:
        ruleset: Rules of the game.
        text: `"<pattern> <cards>"`, or an auction decision.

    Raises:
        NotationError: The text does not have this form.
        ConfigError: The ruleset has no such pattern.
        IllegalPlayError: The cards do not form this pattern.
    """
    if ruleset.auction is not None and (said := [move for move in ruleset.auction.vocabulary if move.pattern == text]):
        return said[0]
    head, _, cards = text.partition(" ")
    name, hash_sign, number = head.partition("#")
    mask = mask_of(cards)
    if not mask or len(name) > MAX_NAME or (hash_sign and not re.fullmatch("[1-9][0-9]?", number)):
        raise NotationError(f"expected pass, or a pattern with its cards, got {quoted(text)}")
    found = readings(ruleset, mask, (ruleset.pattern(name).name,))
    if not found:
        return ruleset.play(mask, name)
    if int(number or 1) > len(found):
        raise NotationError(f"{quoted(text)}: the pattern reads these cards in {len(found)} way{'s' * (len(found) > 1)}")
    return found[int(number or 1) - 1]


def _outcome(outcome: Outcome | None) -> dict[str, Any]:
    if outcome is None:
        return dict.fromkeys(_OUTCOME)
    return {
        "winner": outcome.winner,
        "reason": outcome.reason.value,
        "cards_left": list(outcome.cards_left),
        "payoffs": list(outcome.payoffs),
    }


def _forfeit_data(result: Forfeit) -> dict[str, Any]:
    return {"seat": result.seat, "reason": result.reason, "payoffs": list(result.payoffs)}


def _forfeit_of(game: Game, data: Any) -> Forfeit:
    """Return the forfeit in a record, after computing it again.

    Raises:
        NotationError: The data are malformed, or contradict the rules.
    """
    if not isinstance(data, dict) or not isinstance(reason := data.get("reason"), str):
        raise NotationError(f"forfeit: expected an object with seat, reason and payoffs, got {shown(data)}")
    if game.is_over:
        raise NotationError("forfeit: expected a game in progress, but the moves finish it")
    found = forfeit(game.ruleset, game.position, reason)
    if not _same(data, wanted := _forfeit_data(found)):
        raise NotationError(f"forfeit {shown(data)}: the moves give {json.dumps(wanted, ensure_ascii=False)}")
    return found


def _same(given: Any, found: Any) -> bool:
    """Return True if two values of an outcome agree, numbers up to rounding."""
    if isinstance(found, dict):
        return isinstance(given, dict) and given.keys() == found.keys() and all(_same(given[key], found[key]) for key in found)
    if isinstance(found, list):
        return isinstance(given, list) and len(given) == len(found) and all(map(_same, given, found))
    if isinstance(found, int | float) and isinstance(given, int | float) and not isinstance(given, bool):
        return abs(given) < MAX_PAYOFF and abs(given - found) <= 1e-9 * max(1.0, abs(found))
    return type(given) is type(found) and bool(given == found)


def _replay(transcript: Transcript, data: dict[str, Any]) -> None:
    """Make the moves of a record."""
    game = transcript.game
    moves = data.get("moves")
    if not isinstance(moves, list) or len(moves) > MAX_MOVES:
        raise NotationError(f"moves: expected a list of at most {MAX_MOVES:,}")
    forced = [play for _, play in game.history]  # what the engine played itself when the game began
    for number, move in enumerate(moves):
        try:
            if isinstance(move, dict):
                _refuse(transcript, move)
                continue
            if not isinstance(move, str):
                raise NotationError(f"expected a text, or an object with the key refused, got {shown(move)}")
            play = PASS if move == PASS.pattern else play_of(game.ruleset, move)
            if number >= len(forced):
                game.play(play)
            elif play != forced[number]:
                raise NotationError(f"{quoted(move)}: by the rules the game begins with {forced[number]}")
        except (NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError) as error:
            raise NotationError(f"move {number}: {error}") from None


def _refuse(transcript: Transcript, move: dict[str, Any]) -> None:
    slots = move.get("refused")
    is_list = isinstance(slots, list) and all(type(slot) is int and slot >= 0 for slot in slots)
    is_word = isinstance(slots, str) and slots in words_of(transcript.game.ruleset)
    if set(move) != {"refused"} or not (is_list or is_word or slots is None):
        raise NotationError(
            f"expected the key refused with a list of indices, a word of an auction, or null, got {shown(move)}"
        )
    if slots is None:
        transcript.refuse(None)
    elif transcript.act(slots) is not None:
        raise NotationError(f"{shown(move)} is recorded as refused, and is legal")
