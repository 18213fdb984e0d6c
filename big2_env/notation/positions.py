"""Positions in JSON, one object per position, with cards as text.

| key | value |
| --- | --- |
| `ruleset`, `scoring`, `rules` | the rules, as in records (`climbing.saved_rules`); the name is enough |
| `hands` | each seat's cards; the second copy of a card in two decks has a star, `S[3]*` |
| `turn` | seat to move |
| `top`, `top_seat` | top play as `"<pattern> <cards>"`, and its player; absent if the seat to move leads |
| `passed`, `finished` | seats that have passed; seats that are out |
| `obligation` | card that the first play must contain |
| `played` | cards that each seat has played; if given, all cards together must form the whole deck |
| `pile` | draw pile, top card last |
| `lead_over` | play that a lead must beat to keep others locked out |
| `bidding`, `said`, `bottom`, `redeals` | auction: in progress or not, decisions as [seat, value], cards left over, decks |
| `landlord`, `stake`, `factor`, `acted` | result of an auction, and number of plays by each seat |
| `trick`, `captured` | cards of the current trick, and cards that each seat has won |

Only `ruleset` and `hands` are required. With these alone, the game starts from the hands as the rules say. Cards may also be
written in Chinese, in either script, or with suit symbols: `方块7 ♠A 大王`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from big2_env.base.cards import RANK_NAMES, SUIT_NAMES, iter_cards
from big2_env.base.errors import NotationError, quoted
from big2_env.base.json_values import parse_object, shown, text_at, texts_at
from big2_env.climbing import saved_rules
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.notation import records
from big2_env.notation.copies import cards_text, mask_of, parse_cards, parse_deck
from big2_env.notation.lines import Lines, TextSource
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Transcript
from big2_env.notation.written_cards import JOKERS, SIGNS, SUIT_WORDS

MAX_TEXT: Final = 1 << 20
"""Maximum number of characters of a position."""
_NUMBERS: Final = ("turn", "top_seat", "landlord", "stake", "factor")
_SEATS: Final = ("finished", "acted")
_MASKS: Final = ("obligation", "bottom", "trick")
_MASK_LISTS: Final = ("hands", "played", "captured")
_PLAYS: Final = ("top", "lead_over")
_OTHERS: Final = ("passed", "pile", "bidding", "said", "redeals")
_CARDS: Final = (*_MASK_LISTS, *_MASKS, *_PLAYS, "pile")
"""Keys whose values contain cards."""
_SUITS: Final = {name: suit for name, suit in (SUIT_WORDS | SIGNS).items() if not name.isascii()}
_JOKERS: Final = {name: jokers[0] for name, jokers in JOKERS.items() if not name.isascii() and len(jokers) == 1}
_CHINESE: Final = re.compile(
    rf"\s*(?:({'|'.join(_SUITS)})\s*(10|[2-9AJQKT])|({'|'.join(_JOKERS)}))",
    re.IGNORECASE,
)
"""A card written in Chinese or with the symbol of its suit."""
KEYS: Final = (*saved_rules.KEYS, *_MASK_LISTS, *_NUMBERS, *_SEATS, *_MASKS, *_PLAYS, *_OTHERS)
"""Keys that a position may have."""


def dumps(game: Game) -> str:
    """Return the current position of a game as one line of JSON.

    Raises:
        ConfigError: A part of the ruleset cannot be written as data.
    """
    position, order = game.position, game.ruleset.order
    data: dict[str, Any] = saved_rules.identity(game.ruleset)

    def text(mask: int) -> str:
        return cards_text(order.sort(mask))

    default = Position((), -1)
    for key in (*_MASK_LISTS, *_NUMBERS, *_SEATS, *_MASKS, *_PLAYS, *_OTHERS):
        value: Any = getattr(position, key)
        if value == getattr(default, key) and key != "turn":
            continue
        if key in _MASK_LISTS:
            value = [text(mask) for mask in value]
        elif key in _MASKS:
            value = text(value)
        elif key in _PLAYS:
            value = records.play_text(game.ruleset, value)
        elif key == "passed":
            value = [seat for seat in range(game.num_players) if value >> seat & 1]
        elif key == "pile":
            value = cards_text(value)
        elif key == "redeals":
            value = [cards_text(deck) for deck in value]
        data[key] = value
    return json.dumps(data, ensure_ascii=False)


def loads(text: str, rulesets: Mapping[str, RuleSet] | None = None) -> Game:
    """Return a game that continues from the position in a text.

    Args:
        text: The position as JSON.
        rulesets: Rules by name that take precedence over the installed ones.

    Raises:
        NotationError: The text is not a position, or the cards do not form the whole deck.
        ConfigError: The ruleset is unknown, or the position is inconsistent; the message lists every fault.
    """
    data = parse_object(text, MAX_TEXT, "position")
    if unknown := sorted(set(data) - set(KEYS)):
        raise NotationError(f"unknown key {quoted(unknown[0])}; expected {', '.join(KEYS)}")
    ruleset = saved_rules.SavedRules(rulesets).of(data)
    data |= {key: _latin(data[key]) for key in _CARDS if key in data}
    hands = tuple(mask_of(hand) for hand in texts_at(data, "hands"))
    if set(data) <= {*saved_rules.KEYS, "hands"}:
        return Game.from_hands(ruleset, hands)
    game = Game.from_position(ruleset, Position(**_fields(data, ruleset), hands=hands))
    position = game.position
    everything = [*iter_cards(position.bottom if position.bidding else 0), *position.pile]
    everything += [card for mask in (*position.hands, *position.played) for card in iter_cards(mask)]
    missing = set(ruleset.deck.cards) - set(everything)
    aside = ruleset.cards_aside(len(hands))
    if "played" in data and (len(missing) != aside or len(everything) != ruleset.deck.size - aside):
        names = cards_text(sorted(missing, key=ruleset.order.positions.__getitem__))
        besides = f" besides the {aside} set aside" if aside else ""
        raise NotationError(f"cards played, and not the whole deck{besides}: missing are {names}")
    return game


def load(source: TextSource, rulesets: Mapping[str, RuleSet] | None = None) -> Iterator[GameRecord]:
    """Return an iterator over the positions of a text, one per line, each as the record of a game that continues from there.

    Args:
        source: Source of the lines.
        rulesets: Rules by name that take precedence over the installed ones.

    Raises:
        NotationError: A line is not a valid position; raised during iteration, with its number.
    """
    return Lines.of(source, MAX_TEXT).parsed(lambda line: GameRecord(Transcript(loads(line, rulesets))))


def _latin(value: Any) -> Any:
    """Return texts of cards in notation, with Chinese names replaced. Other values are returned unchanged."""
    if isinstance(value, list):
        return [_latin(one) for one in value]
    if not isinstance(value, str) or value.isascii():
        return value
    return _CHINESE.sub(_card, value).replace("、", " ").replace("，", " ").strip()


def _card(found: re.Match[str]) -> str:
    """Return a card written in Chinese in notation, with a blank before it."""
    suit, rank, joker = found.groups()
    if joker is not None:
        return f" {RANK_NAMES[_JOKERS[joker]]}"
    return f" {SUIT_NAMES[_SUITS[suit]]}[{rank.upper().replace('T', '10')}]"


def _fields(data: dict[str, Any], ruleset: RuleSet) -> dict[str, Any]:
    """Return the fields of a position except the hands, with types checked."""
    found: dict[str, Any] = {key: _whole(data, key) for key in _NUMBERS if key in data}
    if "turn" not in found:
        raise NotationError("expected turn, the seat to move, got none")
    found |= {key: tuple(_wholes(data, key)) for key in _SEATS if key in data}
    found |= {key: mask_of(text_at(data, key)) for key in _MASKS if key in data}
    found |= {key: tuple(map(mask_of, texts_at(data, key))) for key in ("played", "captured") if key in data}
    plays: dict[str, Play] = {key: records.play_of(ruleset, text_at(data, key)) for key in _PLAYS if key in data}
    found |= plays
    if "passed" in data:
        found["passed"] = sum({1 << seat for seat in _wholes(data, "passed")})
    if "pile" in data:
        found["pile"] = tuple(parse_cards(text_at(data, "pile")))
    if "redeals" in data:
        found["redeals"] = tuple(tuple(parse_deck(ruleset.deck, deck)) for deck in texts_at(data, "redeals"))
    if "bidding" in data:
        if not isinstance(data["bidding"], bool):
            raise NotationError(f"bidding: expected true or false, got {shown(data['bidding'])}")
        found["bidding"] = data["bidding"]
    if "said" in data:
        said = data["said"]
        if not isinstance(said, list) or not all(isinstance(one, list) and len(one) == 2 for one in said):
            raise NotationError(f"said: expected a list of [seat, value], got {shown(said)}")
        found["said"] = tuple((_number(seat, "said"), _number(value, "said")) for seat, value in said)
    return found


def _number(value: Any, key: str) -> int:
    if type(value) is not int or not 0 <= value < 1 << 62:
        raise NotationError(f"{key}: expected a whole number of at least 0, got {shown(value)}")
    return value


def _whole(data: dict[str, Any], key: str) -> int | None:
    return None if data[key] is None and key in ("top_seat", "landlord") else _number(data[key], key)


def _wholes(data: dict[str, Any], key: str) -> list[int]:
    value = data[key]
    if not isinstance(value, list) or len(value) > 100:
        raise NotationError(f"{key}: expected a list of whole numbers, got {shown(value)}")
    numbers = [_number(one, key) for one in value]
    if key == "passed" and any(seat > 100 for seat in numbers):
        raise NotationError(f"{key}: expected a list of seats, got {shown(value)}")
    return numbers
