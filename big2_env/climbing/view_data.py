"""Views and plays as plain data, for agents in other processes. The reader checks everything.

A view is an object with the fields of `View`, except `ruleset` and `outcome`: the reader knows the rules, and agents are asked
only before the end. Cards are masks, a play is `[pattern, cards, category, power]`, a move is `[seat, play]`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Final, TypeAlias

from big2_env.base.cards import NUM_CARDS
from big2_env.base.errors import NotationError, quoted
from big2_env.base.json_values import shown
from big2_env.climbing.game import Move
from big2_env.climbing.parts import MAX_NAME
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View

_Reader: TypeAlias = Callable[[str, Any], Any]
"""Function that converts the data of a field; it gets the field's name for messages."""
MAX_ITEMS: Final = 1 << 12
_FIELDS: Final = tuple(field.name for field in fields(View) if field.name not in ("ruleset", "outcome"))
_PLAYS: Final = ("top", "lead_over")
_SEATS: Final = ("top_seat", "landlord")
_LISTS: Final = ("cards_left", "played", "finished", "acted", "captured")


def play_data(play: Play) -> list[Any]:
    """Return a play as data."""
    return [play.pattern, play.mask, play.category, play.power]


def play_of(data: Any) -> Play:
    """Return the play that data represent. It is not checked against a ruleset.

    Args:
        data: Data from `play_data`.

    Raises:
        NotationError: The data have another form.
    """
    match data:
        case [str(pattern), mask, category, power] if (
            len(pattern) <= MAX_NAME
            and all(type(number) is int for number in (mask, category, power))
            and 0 <= mask < 1 << NUM_CARDS
            and all(-1 <= number < 1 << 62 for number in (category, power))
        ):
            return Play(pattern, mask, category, power)
    raise NotationError(f"expected a play as [pattern, cards, category, power], got {shown(data)}")


def view_data(view: View) -> dict[str, Any]:
    """Return the view of a seat to move as data."""
    data = {name: getattr(view, name) for name in _FIELDS}
    for name in _PLAYS:
        data[name] = None if data[name] is None else play_data(data[name])
    data["history"] = [[seat, play_data(play)] for seat, play in view.history]
    return data


def view_of(data: Mapping[str, Any], ruleset: RuleSet) -> View:
    """Return the view that data represent, after checking that a game of the ruleset can produce it.

    Args:
        data: Data from `view_data`.
        ruleset: Rules of the game.

    Raises:
        NotationError: The data have another form.
        ConfigError: No game produces this view, or its seat is not to move.
    """
    if set(data) != set(_FIELDS):
        wrong = min(set(data) ^ set(_FIELDS))
        raise NotationError(f"expected a view with the fields {', '.join(_FIELDS)}; {quoted(wrong)} is missing or unknown")
    values: dict[str, Any] = {}
    for name in _FIELDS:
        read: _Reader = _READ.get(name, _number)
        values[name] = read(name, data[name])
    view = View(ruleset=ruleset, outcome=None, **values)
    view.check()
    return view


def _refuse(name: str, expected: str, value: Any) -> NotationError:
    return NotationError(f"{name}: expected {expected}, got {shown(value)}")


def _number(name: str, value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << NUM_CARDS:
        raise _refuse(name, "a whole number of at least 0", value)
    return value


def _seat(name: str, value: Any) -> int | None:
    return None if value is None else _number(name, value)


def _items(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > MAX_ITEMS:
        raise _refuse(name, f"a list of at most {MAX_ITEMS}", value)
    return value


def _numbers(name: str, value: Any) -> tuple[int, ...]:
    return tuple(_number(name, item) for item in _items(name, value))


def _pairs(name: str, value: Any) -> list[tuple[int, Any]]:
    pairs = _items(name, value)
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise _refuse(name, "a list of pairs", value)
    return [(_number(name, first), second) for first, second in pairs]


def _said(name: str, value: Any) -> tuple[tuple[int, int], ...]:
    return tuple((seat, _number(name, said)) for seat, said in _pairs(name, value))


def _history(name: str, value: Any) -> tuple[Move, ...]:
    return tuple(Move(seat, play_of(play)) for seat, play in _pairs(name, value))


def _play(name: str, value: Any) -> Play | None:
    return None if value is None else play_of(value)


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _refuse(name, "true or false", value)
    return value


_READ: Final[Mapping[str, _Reader]] = {
    **dict.fromkeys(_PLAYS, _play),
    **dict.fromkeys(_SEATS, _seat),
    **dict.fromkeys(_LISTS, _numbers),
    "bidding": _flag,
    "said": _said,
    "history": _history,
}
"""Readers of the fields. Fields that are not listed are numbers."""
