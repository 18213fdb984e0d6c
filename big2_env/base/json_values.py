"""JSON and TOML from untrusted sources: strict parsing, checks of values, and formatting for messages."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from math import isfinite
from typing import Any, Final, NoReturn

from big2_env.base.errors import NotationError, one_line, quoted

MAX_PAYOFF: Final = 1e12
"""Bound on the payoffs that a file may state."""


def parse_object(line: str, most: int | None = None, name: str = "text") -> dict[str, Any]:
    """Return the JSON object of a line.

    Args:
        line: The line.
        most: Maximum number of characters; None for no limit.
        name: Name of the line, for the error if it is longer.

    Raises:
        NotationError: The line is too long, is not an object, has values that JSON does not allow (NaN), or repeats a key.
    """
    if most is not None and len(line) > most:
        raise NotationError(f"the {name} is too long: {len(line):,} characters (limit {most:,})")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise NotationError(f"the key {quoted(key)} is given twice")
            found[key] = value
        return found

    def no_number(text: str) -> NoReturn:
        raise NotationError(f"{text} is no JSON number")

    def finite(text: str) -> float:
        if not isfinite(number := float(text)):
            raise NotationError(f"{quoted(text)} is larger than any number allowed")
        return number

    try:
        data = json.loads(line, object_pairs_hook=once, parse_constant=no_number, parse_float=finite)
    except NotationError:
        raise
    except json.JSONDecodeError as error:
        is_cut = error.pos >= len(line) or error.msg.startswith("Unterminated string")
        cut = "; the text ends too early and may be incomplete" if is_cut else ""
        raise NotationError(f"invalid JSON: column {error.colno}: {error.msg.removesuffix(' starting at')}{cut}") from None
    except (ValueError, RecursionError) as error:
        raise NotationError(f"invalid JSON: {quoted(str(error), 100)}") from None
    if not isinstance(data, dict):
        raise NotationError(f"expected a JSON object, got {quoted(line)}")
    return data


def parse_toml(text: str) -> dict[str, Any]:
    """Return the table of a TOML text.

    Raises:
        NotationError: The text is not TOML.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotationError(f"invalid TOML: {one_line(str(error), 100)}") from None


def shown(value: Any) -> str:
    """Return a JSON value for a message."""
    try:
        return quoted(json.dumps(value, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):
        return f"of type {type(value).__name__}"


def text_at(data: dict[str, Any], key: str, longest: int | None = None) -> str:
    """Return the text under a key.

    Args:
        data: The object.
        key: The key.
        longest: Maximum number of characters; None for no limit.

    Raises:
        NotationError: The value is not a text, or is too long.
    """
    value = data.get(key)
    if not isinstance(value, str) or (longest is not None and len(value) > longest):
        at_most = "" if longest is None else f" of at most {longest} characters"
        raise NotationError(f"{key}: expected a text{at_most}, got {shown(value)}")
    return value


def whole(value: Any, name: str, most: int | None = None, least: int | None = 0) -> int:
    """Return a value that is a whole number.

    Args:
        value: The value.
        name: Its name, for the error.
        most: Largest number; None for no limit, like the next one.
        least: Smallest number.

    Raises:
        NotationError: The value is not a whole number, or is out of range.
    """
    if type(value) is not int or (least is not None and value < least) or (most is not None and value > most):
        bounds = "" if least is None else f" of at least {least}" if most is None else f" from {least} to {most}"
        raise NotationError(f"{name}: expected a whole number{bounds}, got {shown(value)}")
    return value


def whole_at(data: Mapping[str, Any], key: str, most: int | None = None, least: int | None = 0) -> int:
    """Return the whole number under a key, as `whole` does.

    Raises:
        NotationError: The value is missing, not a whole number, or out of range.
    """
    return whole(data.get(key), key, most, least)


def numbers_at(data: Mapping[str, Any], key: str, size: int) -> tuple[float, ...]:
    """Return the list of numbers under a key, such as payoffs.

    Raises:
        NotationError: The value is not such a list, or a number is out of range.
    """
    value = data.get(key)
    if (
        not isinstance(value, list)
        or len(value) != size
        or not all(type(one) in (int, float) and abs(one) < MAX_PAYOFF for one in value)
    ):
        raise NotationError(f"{key}: expected a list of {size} numbers, got {shown(value)}")
    return tuple(map(float, value))


def texts_at(data: dict[str, Any], key: str) -> list[str]:
    """Return the list of texts under a key.

    Raises:
        NotationError: The value is not a list of texts.
    """
    value = data.get(key)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise NotationError(f"{key}: expected a list of texts, got {shown(value)}")
    return value
