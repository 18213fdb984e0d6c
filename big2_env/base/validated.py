"""Values that never change, objects that are copied whole, and dataclasses that check the types of their fields."""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, Self, Union, get_args, get_origin, get_type_hints

from big2_env.base.errors import ConfigError, quoted, repr_text

MAX_NAMED: Final = 4
"""Largest enum whose members are listed in a message."""


class Frozen:
    """Base of values that never change. Copies of what holds one share it, with all that it has computed."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class Copied:
    """Base of objects that change. A shallow copy would share what changes, so every copy is a deep one."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return deepcopy(self)


class Checked(Frozen):
    """Base of frozen dataclasses that check on creation whether each field has its declared type, and texts are printable.

    Raises:
        ConfigError: A value has another type; the message names the field.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Size(Checked):
    ...     cards: int
    >>> Size("x")
    Traceback (most recent call last):
        ...
    big2_env.base.errors.ConfigError: Size.cards: expected int, got 'x'
    """

    def __post_init__(self) -> None:
        cls: Any = type(self)
        for name, hint in hints_of(cls).items():
            if found := _fault(getattr(self, name), hint, f"{cls.__name__}.{name}"):
                raise ConfigError(found)


@cache
def hints_of(cls: Any) -> dict[str, Any]:
    """Return the declared types of a dataclass's fields, by name; empty for other classes."""
    if not is_dataclass(cls):
        return {}
    found = get_type_hints(cls)
    return {field.name: found[field.name] for field in fields(cls)}


def alternatives_of(hint: Any) -> tuple[Any, ...]:
    """Return the types of a union, or the single type."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _fault(value: object, hint: Any, place: str) -> str:
    """Return a description of what is wrong with a value, or an empty text if it has the type."""
    if get_origin(hint) is tuple and isinstance(value, tuple):
        given = get_args(hint)
        hints = given[:1] * len(value) if given[1:] == (Ellipsis,) else given
        if len(hints) == len(value):
            faults = (_fault(item, one, f"{place}[{i}]") for i, (item, one) in enumerate(zip(value, hints, strict=True)))
            return next(filter(None, faults), "")
    elif any(_has_type(value, one) for one in alternatives_of(hint)):
        if not isinstance(value, str) or value.isprintable():
            return ""
        return f"{place}: expected printable characters, got {quoted(value)}"
    return f"{place}: expected {' or '.join(map(_named, alternatives_of(hint)))}, got {repr_text(value)}"


def _has_type(value: object, hint: Any) -> bool:
    if get_origin(hint) is tuple:
        return isinstance(value, tuple) and not _fault(value, hint, "")
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return isinstance(value, hint) and not (hint is int and isinstance(value, bool))


def _named(hint: Any) -> str:
    """Return a type for a message: its name, or the members of a small enum."""
    if hint is NoneType:
        return "None"
    if hint is float:
        return "a finite number"
    if get_origin(hint) is tuple:
        return f"tuple[{', '.join('...' if one is Ellipsis else _named(one) for one in get_args(hint))}]"
    if issubclass(hint, Enum) and len(hint) <= MAX_NAMED:
        return " or ".join(map(repr, hint))
    return str(hint.__name__)
