"""Replacements for numpy in interpreted kernels, and their records: objects whose fields are numbers and lists.

A table is as long as its contents, without the bounds that compiled code needs (`paste`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import prod
from types import SimpleNamespace
from typing import Any, Final, TypeVar

T = TypeVar("T")
COMPILED: Final = False
"""True if kernels run compiled."""
END: Final = "end"
"""Name of the last field of some records; see `records.py`."""
MOST: Final = 1 << 15
"""Tables with more entries start with empty rows, which `paste` fills."""


class Record:
    """Record whose fields are attributes, also accessible by name."""

    __slots__ = ()

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        """Set a field. A number is written to every entry of a list."""
        field = getattr(self, name)
        if not isinstance(field, list):
            setattr(self, name, value)
        elif isinstance(value, Sequence):
            field[:] = value
        else:
            _fill(field, value)


class Layout:
    """Fields of a type of record.

    Args:
        fields: Name, kind (a number's type or a layout) and shape of each field.
    """

    def __init__(self, fields: Sequence[Any]) -> None:
        self.fields = {name: (kind, _shape(shape[0] if shape else ())) for name, kind, *shape in fields}
        self.names = tuple(self.fields)
        self._class = type("Record", (Record,), {"__slots__": self.names})

    def __call__(self) -> Record:
        """Return a record of zeros."""
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
    """Return a number, a record, or nested lists of them."""
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
    """Return a layout for a list of fields; a number's type unchanged."""
    return Layout(fields) if isinstance(fields, Sequence) else fields


def array(values: Sequence[Any], kind: Any = None) -> list[Any]:
    """Return the values as a list."""
    return list(values)


def resize(values: Sequence[Any], number: int) -> list[Any]:
    """Return `number` values, repeating the given ones."""
    return (list(values) * (number // len(values) + 1))[:number]


def card_set(words: int) -> type[int]:
    """Return the type of a field with sets of cards."""
    return int


def set_of(places: int, words: int) -> int:
    """Return a set of bits unchanged."""
    return places


def paste(field: list[Any], values: Sequence[Any]) -> None:
    """Replace the contents of a field by the values."""
    field[:] = values


def as_record(record: T) -> T:
    """Return the same record."""
    return record


def records(number: int, kind: Layout) -> list[Record]:
    """Return a list of `number` records of zeros."""
    return [kind() for _ in range(number)]


def rows_of(array: Any) -> list[Any]:
    """Return the rows of an array, int8 (N, size), in the form that `store_64_entries` writes to."""
    return [memoryview(row).cast("B") for row in array]


def viewed(array: Any) -> Any:
    """Return a numpy array in the form in which kernels take it."""
    from big2_env.kernels.dialect import memory  # it needs numpy

    return memory.viewed(array)


def as_array(record: T) -> list[T]:
    """Return the record in a list."""
    return [record]


def read_only(record: T) -> T:
    """Return the same record."""
    return record


def store(field: list[Any], values: Sequence[int]) -> None:
    """Write numbers to the beginning of a list."""
    field[: len(values)] = values


def fill(out: Any, i: int, start: int, stop: int, value: int) -> None:
    """Write a number to the entries `start` to `stop` - 1 of row `i`."""
    for n in range(start, stop):
        out[i][n] = value


def clear(out: Any, i: int) -> None:
    """Write zeros to row `i`."""
    out[i][:] = bytes(len(out[i]))


def wipe(array: list[Any]) -> None:
    """Write zeros to a list without rows."""
    array[:] = [0] * len(array)


def copied(record: Any) -> Any:
    """Return a deep copy of a record."""
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
    """Return the values as a list."""
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
"""The module `numpy` as kernels see it."""


class TranspositionTable:
    """Transposition table: indices of keys, and their rows of word, key and amount."""

    __slots__ = ("places", "reals", "rows", "words")

    def __init__(self, words: int) -> None:
        self.places: dict[tuple[int, ...], int] = {}
        self.rows: list[Any] = []
        self.reals = self.rows
        self.words = words


def new_table(places: int, words: int, has_amounts: bool) -> TranspositionTable:
    """Return an empty memo."""
    return TranspositionTable(words)


def capacity(memo: TranspositionTable, most: int) -> int:
    """Return a practically unlimited capacity."""
    return 1 << 62


def lookup(memo: TranspositionTable, key: Sequence[int]) -> int:
    """Return the index of a key, -1 if the key is unknown."""
    return memo.places.get(tuple(key), -1)


def store_entry(memo: TranspositionTable, key: Sequence[int], word: int, amount: float) -> bool:
    """Store a result for a key; return whether the key is new."""
    number = len(memo.rows)
    place = memo.places.setdefault(tuple(key), number)
    if place == number:
        memo.rows.append([word, *key, amount])
        return True
    memo.rows[place] = [word, *key, amount]
    return False


def moved(old: TranspositionTable, memo: TranspositionTable) -> int:
    """Move all results of a memo to an empty one; return the number of keys."""
    memo.places, memo.rows, memo.reals = old.places, old.rows, old.rows
    return len(memo.rows)
