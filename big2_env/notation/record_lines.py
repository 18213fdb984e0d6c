"""What the records of games that do not climb have in common: one game a line, as JSON, played again by whoever reads it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, TextIO, TypeVar

from big2_env.errors import ConfigError, NotationError
from big2_env.json_values import parse_object, shown
from big2_env.notation.lines import Lines, TextSource

Record = TypeVar("Record")


def check_extra(extra: Mapping[str, Any], keys: Collection[str]) -> None:
    """Refuse keys that a record has itself.

    Raises:
        ConfigError: there is one.
    """
    if taken := sorted(set(extra) & set(keys)):
        raise ConfigError(f"extra key {', '.join(taken)} is a key of the record itself; expected another name")


def line_of(data: Mapping[str, Any], extra: Mapping[str, Any], max_line: int) -> str:
    """A record as one line of JSON, without the newline.

    Raises:
        ConfigError: extra values that are no JSON, or too long a record.
    """
    try:
        line = json.dumps({**data, **extra}, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"extra keys {', '.join(map(str, extra))}: {error}") from None
    if len(line) > max_line:
        raise ConfigError(f"the record is too long: {len(line):,} characters (limit {max_line:,})")
    return line


def object_of(line: str, game: str, schema: int, max_line: int) -> dict[str, Any]:
    """The JSON object of a record's line.

    Raises:
        NotationError: it is too long, no JSON object, or the record of another game or schema.
    """
    if len(line) > max_line:
        raise NotationError(f"the record is too long: {len(line):,} characters (limit {max_line:,})")
    data = parse_object(line)
    if data.get("game") != game or data.get("schema") != schema or isinstance(data["schema"], bool):
        raise NotationError(
            f"expected game {game}, schema {schema}, got {shown(data.get('game'))}, {shown(data.get('schema'))}"
        )
    return data


def check_value(data: Mapping[str, Any], key: str, value: Any, source: str) -> None:
    """Refuse a value that `source` contradicts.

    Raises:
        NotationError: the record has another one, or one of another type.
    """
    given = data.get(key)
    if json.dumps(given) != json.dumps(value):  # true is not 1, nor 1.0, in a list either
        raise NotationError(f"{key} {shown(given)}: {source} give {shown(value)}")


def dump_lines(records: Iterable[Record], dumps: Callable[[Record], str], file: TextIO) -> int:
    """How many records were written to a text file, one a line, each flushed when it is whole."""
    number = 0
    for number, record in enumerate(records, start=1):  # noqa: B007
        file.write(dumps(record) + "\n")
        file.flush()
    return number


def load_lines(source: TextSource, loads: Callable[[str], Record], max_line: int) -> Iterator[Record]:
    """The records of a text, an open file or lines; blank lines are skipped.

    Raises:
        NotationError: a line that `loads` refuses, with its number.
    """
    lines = Lines.of(source, max_line)
    for line in iter(lines.next_filled, None):
        try:
            yield loads(line)
        except (NotationError, ConfigError) as error:
            raise lines.error(str(error)) from None
