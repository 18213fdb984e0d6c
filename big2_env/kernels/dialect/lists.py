"""What interpreted kernels take from numpy, and their records: objects whose fields are numbers and lists.

A table is as long as its values, not as the bound that compiled code needs (`paste`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import prod
from types import SimpleNamespace
from typing import Any, Final, TypeVar

T = TypeVar("T")
COMPILED: Final = False
"""Whether kernels run compiled."""
MARK: Final = "sources"
"""Name of a field: text that is interpreted is always the present one."""
MOST: Final = 1 << 15
"""Tables with more entries than that begin with empty rows, for `paste` to fill."""


def mark_of(folder: object, base: str = "") -> str:
    """Return `MARK`."""
    return MARK


class Record:
    """A record: fields as attributes, or by name."""

    __slots__ = ()

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        """Set a field; a number is written over every entry of a list."""
        field = getattr(self, name)
        if not isinstance(field, list):
            setattr(self, name, value)
        elif isinstance(value, Sequence):
            field[:] = value
        else:
            _fill(field, value)


class Layout:
    """The fields of a kind of record.

    Args:
        fields: name, kind (a number's type or a layout) and shape of each.
    """

    def __init__(self, fields: Sequence[Any]) -> None:
        self.fields = {name: (kind, _shape(shape[0] if shape else ())) for name, kind, *shape in fields}
        self.names = tuple(self.fields)
        self._class = type("Record", (Record,), {"__slots__": self.names})

    def __call__(self) -> Record:
        """A record of zeros."""
        made: Record = self._class()
        for name, (kind, shape) in self.fields.items():
            setattr(made, name, zeros(shape, kind))
        return made


def _shape(given: Any) -> tuple[int, ...]:
    return (given,) if isinstance(given, int) else tuple(given)


def _fill(field: list[Any], value: Any) -> None:
    for i, entry in enumerate(field):
        if isinstance(entry, list):
            _fill(entry, value)
        else:
            field[i] = value


def zeros(shape: int | Sequence[int], kind: Any = float) -> Any:
    """A number, a record, or nested lists of them."""
    sizes = _shape(shape)
    if not sizes:
        return kind()
    size, *inner = sizes
    if inner and prod(sizes) > MOST:
        return [[] for _ in range(size)]
    if len(inner) == 1 and not isinstance(kind, Layout):
        row = [kind()] * inner[0]
        return [row[:] for _ in range(size)]
    if inner:
        return [zeros(inner, kind) for _ in range(size)]
    return [kind() for _ in range(size)] if isinstance(kind, Layout) else [kind()] * size


def dtype(fields: Any, align: bool = False) -> Any:
    """A layout; of a number its type."""
    return Layout(fields) if isinstance(fields, Sequence) else fields


def array(values: Sequence[Any], kind: Any = None) -> list[Any]:
    """The values as a list."""
    return list(values)


def resize(values: Sequence[Any], number: int) -> list[Any]:
    """So many values, repeated."""
    return (list(values) * (number // len(values) + 1))[:number]


def card_set(words: int) -> type[int]:
    """The type of a field of sets of cards."""
    return int


def set_of(places: int, words: int) -> int:
    """A set of places."""
    return places


def paste(field: list[Any], values: Sequence[Any]) -> None:
    """Make a field these values."""
    field[:] = values


def as_record(record: T) -> T:
    """The same record."""
    return record


def records(number: int, kind: Layout) -> list[Record]:
    """So many records of zeros."""
    return [kind() for _ in range(number)]


def rows_of(array: Any) -> list[Any]:
    """The rows of an array, int8 (N, size), as `store_64_entries` writes into them."""
    return [memoryview(row).cast("B") for row in array]


def as_array(record: T) -> list[T]:
    """The record in a list."""
    return [record]


def read_only(record: T) -> T:
    """The same record."""
    return record


def store(field: list[Any], values: Sequence[int]) -> None:
    """Write numbers over the beginning of a list."""
    field[: len(values)] = values


def fill(out: Any, i: int, start: int, stop: int, value: int) -> None:
    """Write a number over the entries from `start` to `stop` - 1 of row `i`."""
    for n in range(start, stop):
        out[i][n] = value


def clear(out: Any, i: int) -> None:
    """Write zeros over row `i`."""
    fill(out, i, 0, len(out[i]), 0)


def wipe(array: list[Any]) -> None:
    """Write zeros over a list without rows."""
    array[:] = [0] * len(array)


def copied(record: Any) -> Any:
    """A copy of a record with all that it holds."""
    if isinstance(record, list):
        return [copied(each) for each in record] if record and isinstance(record[0], list | Record) else record[:]
    if not isinstance(record, Record):
        return record
    made = type(record)()
    names: tuple[str, ...] = record.__slots__
    for name in names:
        setattr(made, name, copied(getattr(record, name)))
    return made


def numbers(values: Sequence[Any]) -> list[Any]:
    """The values as a list."""
    return list(values)


NUMPY: Final = SimpleNamespace(
    **{f"{sign}int{size}": int for sign in ("", "u") for size in (8, 16, 32, 64)},
    exp=math.exp,
    float32=float,
    float64=float,
    array=array,
    bool_=bool,
    dtype=dtype,
    empty=zeros,
    inf=math.inf,
    log=math.log,
    nan=math.nan,
    record=Record,
    resize=resize,
    sqrt=math.sqrt,
    typing=SimpleNamespace(NDArray=list),
    zeros=zeros,
)
"""The module, as kernels see it."""


class Memo:
    """Places of keys, and their rows: the word, the key, the amount."""

    __slots__ = ("places", "reals", "rows", "words")

    def __init__(self, words: int) -> None:
        self.places: dict[tuple[int, ...], int] = {}
        self.rows: list[Any] = []
        self.reals = self.rows
        self.words = words


def new_memo(places: int, words: int, has_amounts: bool) -> Memo:
    """An empty memo."""
    return Memo(words)


def room_of(memo: Memo, most: int) -> int:
    """Room without end."""
    return 1 << 62


def recall(memo: Memo, key: Sequence[int]) -> int:
    """The place of a key, -1 where nothing is known of it."""
    return memo.places.get(tuple(key), -1)


def keep(memo: Memo, key: Sequence[int], word: int, amount: float) -> bool:
    """Keep what has been found out about a key; returns whether there is one key more."""
    number = len(memo.rows)
    place = memo.places.setdefault(tuple(key), number)
    if place == number:
        memo.rows.append([word, *key, amount])
        return True
    memo.rows[place] = [word, *key, amount]
    return False


def moved(old: Memo, memo: Memo) -> int:
    """Make an empty memo have all results of another; returns how many keys that has."""
    memo.places, memo.rows, memo.reals = old.places, old.rows, old.rows
    return len(memo.rows)
