"""Conversion between the values in rulesets and plain data (the types of JSON and TOML), based on the declared field types.

| value | data |
| --- | --- |
| rank | `"3"` ... `"K"`, `"A"`, `"2"`, `"LJ"`, `"BJ"` |
| suit | `"C"`, `"D"`, `"H"`, `"S"` |
| card | `"S[3]"`; the id as a number for the second copy in two decks |
| other enum members | their value, such as `"contains"` |
| tuple | list |
| dataclass | table of the fields that differ from their defaults |
| dataclass with one required field, the others at their defaults | the value of that field |
| one of several classes | its kind, `"straight"`, or `{"kind": "straight", "length": 3}` |

The kind of a pattern is its name; the kind of another class is the name of the class. Classes from other packages have the kind
`MODULE:NAME`, unless they are registered patterns. This name appears in digests and messages, but reading data never imports
it.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from types import NoneType
from typing import Any, Final, TypeAlias, get_args, get_origin

from big2_env.base.cards import NUM_FACES, RANK_NAMES, SUIT_NAMES, Card, Rank, Suit
from big2_env.base.errors import ConfigError, NotationError, quoted
from big2_env.base.json_values import shown
from big2_env.base.validated import alternatives_of, hints_of
from big2_env.climbing.patterns import Pattern, available_patterns, pattern_class

Data: TypeAlias = "bool | int | float | str | list[Data] | dict[str, Data] | None"
"""Values that JSON can represent."""
KIND: Final = "kind"
"""Key that names the class of a table."""
MAX_ITEMS: Final = 1000
_PACKAGE: Final = "big2_env."


def encoded(value: object, hint: Any = Any, *, skip: frozenset[str] = frozenset()) -> Data:
    """Return a value as plain data.

    Args:
        value: The value.
        hint: Declared type of its field, which decides whether the class must be named.
        skip: Names of fields to omit at any depth.

    Raises:
        ConfigError: A value's type has no plain form.
    """
    if isinstance(value, Rank):
        return RANK_NAMES[value]
    if isinstance(value, Suit):
        return SUIT_NAMES[value]
    if isinstance(value, Card):
        return str(value) if value < NUM_FACES else int(value)
    if isinstance(value, Enum):
        return encoded(value.value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return int(value) if value.is_integer() else value
    if isinstance(value, tuple | list):
        return [encoded(item, one, skip=skip) for item, one in zip(value, _item_hints(hint, len(value)), strict=True)]
    if _is_table(type(value)):
        return _encoded_table(value, hint, skip)
    raise ConfigError(f"a {type(value).__qualname__} cannot be written as data: {quoted(repr(value))}")


def decoded(data: Data, hint: Any, where: str) -> Any:
    """Return the value that plain data represent.

    Args:
        data: The data, as parsed from JSON or TOML.
        hint: Expected type.
        where: Location of the data, for messages.

    Raises:
        ConfigError: The data do not have that type; the message gives the location.
    """
    if _is_choice(hint):
        return _decoded_choice(data, hint, where)
    if isinstance(hint, type) and is_dataclass(hint):
        return _decoded_table(data, hint, where)
    if get_origin(hint) is tuple:
        return _decoded_tuple(data, hint, where)
    if isinstance(hint, type) and issubclass(hint, Enum | Card):
        return _decoded_name(data, hint, where)
    wanted = {bool: bool, int: int, float: int | float, str: str}.get(hint)
    if wanted is None:
        raise ConfigError(f"{where}: values of type {hint} cannot be read from data")
    if not isinstance(data, wanted) or (isinstance(data, bool) and hint is not bool):
        raise ConfigError(f"{where}: expected {_NOUNS[hint]}, got {shown(data)}")
    if isinstance(data, float) and not math.isfinite(data):
        raise ConfigError(f"{where}: expected a finite number, got {data}")
    return data


_NOUNS: Final = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def differing_fields(value: Any, other: Any) -> Iterator[tuple[Field[Any], Any]]:
    """Yield the fields in which two values of a dataclass differ, each with its declared type.

    Args:
        value: The value whose fields are yielded.
        other: The value to compare with.
    """
    cls: Any = type(value)
    hints = hints_of(cls)
    for field in fields(cls):
        if getattr(value, field.name) != getattr(other, field.name):
            yield field, hints[field.name]


def kind_of(cls: type) -> str:
    """Return the kind of a class in data: a pattern's name, a class name of this package, or `MODULE:NAME`."""
    if issubclass(cls, Pattern):
        if pattern_class(cls.name) is cls:
            return cls.name
    elif cls.__module__.startswith(_PACKAGE):
        return cls.__name__
    return f"{cls.__module__}:{cls.__qualname__}"


def _is_table(cls: type) -> bool:
    return is_dataclass(cls) or any(inspect.isabstract(base) for base in cls.__mro__)


def _encoded_table(value: Any, hint: Any, skip: frozenset[str]) -> Data:
    cls: Any = type(value)
    table: dict[str, Data] = {}
    hints = hints_of(cls)
    if is_dataclass(cls):
        for field in fields(cls):
            item = getattr(value, field.name)
            if field.name not in skip and (_is_required(field) or item != _default(field)):
                table[field.name] = encoded(item, hints[field.name], skip=skip)
    else:
        table = {name: encoded(item, skip=skip) for name, item in sorted(vars(value).items()) if name not in skip}
    if _plain_class(hint) is not cls:
        kind = kind_of(cls)
        return {KIND: kind, **table} if table else kind
    only = _only_required(cls)
    return table[only] if only is not None and list(table) == [only] else table


def _is_required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _only_required(cls: Any) -> str | None:
    """Return the name of a dataclass's only required field, or None if it has none or several."""
    names = [field.name for field in fields(cls) if _is_required(field)]
    return names[0] if len(names) == 1 else None


def _is_choice(hint: Any) -> bool:
    """Return True for several alternatives, and for an abstract class, which represents its subclasses."""
    return len(alternatives_of(hint)) > 1 or (isinstance(hint, type) and inspect.isabstract(hint))


def _plain_class(hint: Any) -> type | None:
    """Return the only dataclass that a type allows, apart from None; None if data must name the class."""
    classes = [one for one in alternatives_of(hint) if one is not NoneType]
    if len(classes) != 1 or not isinstance(classes[0], type) or inspect.isabstract(classes[0]):
        return None
    return classes[0] if is_dataclass(classes[0]) else None


def _item_hints(hint: Any, number: int) -> list[Any]:
    for one in alternatives_of(hint):
        if get_origin(one) is tuple:
            given = get_args(one)
            if len(given) == 2 and given[1] is Ellipsis:
                return [given[0]] * number
            if len(given) == number:
                return list(given)
    return [Any] * number


def _decoded_tuple(data: Data, hint: Any, where: str) -> tuple[Any, ...]:
    given = get_args(hint)
    is_open = len(given) == 2 and given[1] is Ellipsis
    if not isinstance(data, list) or len(data) > MAX_ITEMS or (not is_open and len(data) != len(given)):
        expected = f"a list of at most {MAX_ITEMS}" if is_open else f"a list of {len(given)}"
        raise ConfigError(f"{where}: expected {expected}, got {shown(data)}")
    hints = _item_hints(hint, len(data))
    return tuple(decoded(item, one, f"{where}[{i}]") for i, (item, one) in enumerate(zip(data, hints, strict=True)))


def _decoded_name(data: Data, hint: type, where: str) -> Any:
    if issubclass(hint, Card):
        try:
            return Card(data) if isinstance(data, str | int) and not isinstance(data, bool) else Card(shown(data))
        except NotationError as error:
            raise ConfigError(f"{where}: {error}") from None
    names: dict[Any, Any] = {member.value: member for member in hint} if issubclass(hint, Enum) else {}
    if hint is Rank:
        names = dict(zip(RANK_NAMES, Rank, strict=True))
    elif hint is Suit:
        names = dict(zip(SUIT_NAMES, Suit, strict=True))
    if not isinstance(data, str | int) or data not in names:
        raise ConfigError(f"{where}: expected one of {', '.join(map(str, names))}, got {shown(data)}")
    return names[data]


def _decoded_choice(data: Data, hint: Any, where: str) -> Any:
    alternatives = alternatives_of(hint)
    if data is None and NoneType in alternatives:
        return None
    plain = _plain_class(hint)
    if plain is not None:
        return _decoded_table(data, plain, where)
    bases = [one for one in alternatives if isinstance(one, type) and (inspect.isabstract(one) or is_dataclass(one))]
    others = [one for one in alternatives if one is not NoneType and one not in bases]
    if not bases and len(others) == 1:
        return decoded(data, others[0], where)
    kind = data.get(KIND) if isinstance(data, dict) else data
    cls = next(filter(None, (_class_named(base, kind) for base in bases)), None) if isinstance(kind, str) else None
    if cls is not None:
        rest: Data = {key: value for key, value in data.items() if key != KIND} if isinstance(data, dict) else {}
        return _decoded_table(rest, cls, where, shorthand=False)
    if isinstance(kind, str) and ":" in kind:
        raise ConfigError(f"{where}: {quoted(kind)} is not part of this package, and is not imported from data")
    names = sorted(name for base in bases for name in _kinds(base))
    raise ConfigError(f"{where}: expected one of {', '.join(names)}, got {shown(kind)}")


def _class_named(base: type, kind: str) -> type | None:
    """Return the class of a kind among the subclasses of `base`."""
    return pattern_class(kind) if issubclass(base, Pattern) else _kinds(base).get(kind)


def _kinds(base: type) -> dict[str, type]:
    """Return the classes that data may name instead of `base`, by their kind."""
    if issubclass(base, Pattern):
        return {**available_patterns()}
    if not inspect.isabstract(base):
        return {base.__name__: base}
    found: dict[str, type] = {}
    for cls in base.__subclasses__():
        found |= _kinds(cls)
    return {name: cls for name, cls in found.items() if cls.__module__.startswith(_PACKAGE)}


def _decoded_table(data: Data, cls: Any, where: str, shorthand: bool = True) -> Any:
    only = _only_required(cls) if shorthand else None
    if only is not None and (not isinstance(data, dict) or KIND in data):
        data = {only: data}
    if not isinstance(data, dict):
        raise ConfigError(f"{where}: expected a table, got {shown(data)}")
    hints = hints_of(cls)
    if unknown := sorted(set(data) - set(hints)):
        allowed = ", ".join(hints) or "none"
        raise ConfigError(f"{where}: unknown key {quoted(unknown[0])}; allowed: {allowed}")
    found = {key: decoded(value, hints[key], f"{where}.{key}" if where else key) for key, value in data.items()}
    return built(cls, found, where)


def built(cls: Any, values: dict[str, Any], where: str) -> Any:
    """Create a dataclass instance.

    Raises:
        ConfigError: A required field is missing, or the class rejects the values; the message gives the location.
    """
    missing = [field.name for field in fields(cls) if _is_required(field) and field.name not in values]
    if missing:
        raise ConfigError(f"{where + ': ' if where else ''}{missing[0]} is missing")
    try:
        return cls(**values)
    except (ConfigError, NotationError) as error:
        raise ConfigError(f"{where}: {error}" if where else str(error)) from None
