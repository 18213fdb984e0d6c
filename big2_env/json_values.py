"""JSON from outside: strictly parsed, its values checked, and told in messages."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, NoReturn

from big2_env.errors import NotationError, quoted


def parse_object(line: str) -> dict[str, Any]:
    """The JSON object of a line.

    Raises:
        NotationError: the line is none, has what JSON proper has not (NaN), or a key twice.
    """

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
    except (ValueError, RecursionError) as error:
        raise NotationError(f"no JSON: {quoted(str(error), 100)}") from None
    if not isinstance(data, dict):
        raise NotationError(f"expected a JSON object, got {quoted(line)}")
    return data


def shown(value: Any) -> str:
    """A JSON value for a message."""
    try:
        return quoted(json.dumps(value, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):
        return f"of type {type(value).__name__}"


def text_at(data: dict[str, Any], key: str, longest: int | None = None) -> str:
    """The text under a key, of at most so many characters.

    Raises:
        NotationError: there is none.
    """
    value = data.get(key)
    if not isinstance(value, str) or (longest is not None and len(value) > longest):
        at_most = "" if longest is None else f" of at most {longest} characters"
        raise NotationError(f"{key}: expected a text{at_most}, got {shown(value)}")
    return value


def texts_at(data: dict[str, Any], key: str) -> list[str]:
    """The list of texts under a key.

    Raises:
        NotationError: there is none.
    """
    value = data.get(key)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise NotationError(f"{key}: expected a list of texts, got {shown(value)}")
    return value
