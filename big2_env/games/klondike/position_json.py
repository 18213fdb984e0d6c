"""Positions of Klondike as JSON, hidden cards included.

| key | value |
| --- | --- |
| `piles` | the seven piles, each as a text of its cards, `"2C 9H 8S"`, the top card last |
| `down` | how many cards of each pile lie face down: its first ones |
| `dealer` | the cards of the dealer area in the order of dealing, as a text |
| `foundations` | how many cards lie on each foundation, by suit: clubs, diamonds, hearts, spades |
| `dealt` | how many cards of the dealer area are dealt; 0 if absent |
| `seen` | how many of them have been dealt at some time; `dealt` if absent |
| `score` | the score; 0 if absent |
"""

from __future__ import annotations

import json
from typing import Any, Final

from big2_env.errors import NotationError, quoted
from big2_env.games.klondike.actions import NUM_PILES
from big2_env.games.klondike.cards import NUM_CARDS, NUM_SUITS, cards_text, parse_cards
from big2_env.games.klondike.position import KlondikePosition
from big2_env.json_values import parse_object, shown, text_at, texts_at

KEYS: Final = ("piles", "down", "dealer", "foundations", "dealt", "seen", "score")
MAX_TEXT: Final = 10_000
"""Most characters of a position."""
MAX_SCORE: Final = 10**6


def position_data(state: KlondikePosition) -> dict[str, Any]:
    """Return a position as JSON values."""
    return {
        "piles": [cards_text(pile) for pile in state.piles],
        "down": list(state.down),
        "dealer": cards_text(state.dealer),
        "foundations": list(state.foundations),
        "dealt": state.dealt,
        "seen": state.seen,
        "score": state.score,
    }


def position_text(state: KlondikePosition) -> str:
    """Return a position as one line of JSON."""
    return json.dumps(position_data(state))


def position_of(data: Any) -> KlondikePosition:
    """Return the position of JSON values.

    Raises:
        NotationError: a key that is missing or unknown, or a value of the wrong type.
        ConfigError: no game can come to the position.
    """
    if not isinstance(data, dict):
        raise NotationError(f"expected a position with the keys {', '.join(KEYS)}, got {shown(data)}")
    if wrong := [*(key for key in data if key not in KEYS), *(key for key in KEYS[:4] if key not in data)]:
        fault = "missing" if wrong[0] in KEYS else "unknown"
        needed, others = ", ".join(KEYS[:4]), ", ".join(KEYS[4:])
        raise NotationError(f"position: expected the keys {needed} and {others} if needed; {fault}: {quoted(wrong[0])}")
    piles, dealt = texts_at(data, "piles"), _number_at(data, "dealt", 0, NUM_CARDS)
    return KlondikePosition(
        piles=tuple(map(parse_cards, piles)),
        down=_numbers_at(data, "down", NUM_PILES),
        dealer=parse_cards(text_at(data, "dealer")),
        dealt=dealt,
        seen=_number_at(data, "seen", dealt, NUM_CARDS),
        foundations=_numbers_at(data, "foundations", NUM_SUITS),
        score=_number_at(data, "score", 0, MAX_SCORE),
    ).checked()


def parse_position(text: str) -> KlondikePosition:
    """Return the position of a JSON text; raises as `position_of`.

    >>> text = position_text(KlondikePosition.deal(range(52)))
    >>> parse_position(text) == KlondikePosition.deal(range(52))
    True
    """
    if len(text) > MAX_TEXT:
        raise NotationError(f"the position is too long: {len(text):,} characters (limit {MAX_TEXT:,})")
    return position_of(parse_object(text))


def _number_at(data: dict[str, Any], key: str, absent: int, most: int) -> int:
    value = data.get(key, absent)
    if type(value) is not int or abs(value) > most:
        raise NotationError(f"{key}: expected a number up to {most:,}, got {shown(value)}")
    return value


def _numbers_at(data: dict[str, Any], key: str, number: int) -> tuple[int, ...]:
    values = data[key]
    if not isinstance(values, list) or len(values) != number or not all(type(value) is int for value in values):
        raise NotationError(f"{key}: expected a list of {number} numbers, got {shown(values)}")
    return tuple(values)
