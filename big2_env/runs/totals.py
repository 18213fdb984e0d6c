"""Runs that are added up: sums over items that are numbered from 0, and the file that keeps them, JSON lines.

| line | keys |
| --- | --- |
| first | `schema` 1, `kind`, and what decides the run |
| others | `part`, where the run has several; `first` item and `number` of items of a piece; its sums, a list under each name |

Pieces of a part follow each other without gaps. Lists are cut off behind the last number that is not 0.
`big2_env.runs.resumable` says how a killed run goes on with its file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_env.errors import ConfigError, NotationError
from big2_env.json_values import shown
from big2_env.runs.resumable import Take, opened

Sums = npt.NDArray[Any]
SCHEMA: Final = 1
MAX_LINE: Final = 1 << 20
"""Most bytes that a line may have."""
MAX_NUMBER: Final = 1 << 62
"""Larger whole numbers are no sums."""
MAX_SHOWN: Final = 200
"""Most characters of a value in an error."""


class Total:
    """What the first items of a run, or of a part of it, add up to.

    Args:
        sizes: how many numbers each sum has, by its name.
        dtype: int64 or float64, of the sums.
        largest: names of the sums of which not the sum but the largest number is kept.

    >>> total = Total({"won": 1})
    >>> total.add(3, np.array([2]))
    >>> total.number, total.sums.tolist()
    (3, [2])
    """

    def __init__(self, sizes: Mapping[str, int], dtype: npt.DTypeLike = np.int64, largest: tuple[str, ...] = ()) -> None:
        self._sizes, self._largest = dict(sizes), largest
        self.number = 0
        """How many items."""
        self.sums: Sums = np.zeros(sum(self._sizes.values()), dtype)
        """Their sums, one after another in the order of the names."""
        self._write: Take | None = None

    def add(self, number: int, sums: Sums) -> None:
        """Count the next items. Where the run has a file, a kill cannot lose them once this returns."""
        if self._write is not None:
            self._write({"first": self.number, "number": number} | self._data(sums))
        self._count(number, sums)

    def _count(self, number: int, sums: Sums) -> None:
        before = self._parts(self.sums.copy())
        self.sums += sums
        for name, part in self._parts(self.sums).items():
            if name in self._largest:
                part[:] = np.maximum(before[name], self._parts(sums)[name])
        self.number += number

    def _parts(self, sums: Sums) -> dict[str, Sums]:
        """Views of the sums by name."""
        ends = np.cumsum(list(self._sizes.values()))[:-1]
        return dict(zip(self._sizes, np.split(sums, ends), strict=True))

    def _data(self, sums: Sums) -> dict[str, list[int | float]]:
        return {name: part[: max([1, *(np.flatnonzero(part) + 1)])].tolist() for name, part in self._parts(sums).items()}

    def take(self, data: dict[str, Any]) -> None:
        """Count the piece of a line.

        Raises:
            NotationError: it is none, or not the one that comes next.
        """
        if data.get("first") != self.number:
            raise NotationError(f"expected first {self.number}, the number of items before, got {shown(data.get('first'))}")
        number = data.get("number")
        if type(number) is not int or not 1 <= number <= MAX_NUMBER:
            raise NotationError(f"number: expected a whole number of at least 1, got {shown(number)}")
        sums = np.zeros_like(self.sums)
        allowed = (int,) if sums.dtype == np.int64 else (int, float)
        for name, part in self._parts(sums).items():
            given = data.get(name)
            if not isinstance(given, list) or not all(type(one) in allowed and abs(one) <= MAX_NUMBER for one in given):
                raise NotationError(f"{name}: expected a list of numbers, got {shown(given)}")
            if len(given) > len(part):
                raise NotationError(f"{name}: expected at most {len(part)} numbers, got {len(given)}")
            part[: len(given)] = given
        self._count(number, sums)


@contextmanager
def kept(
    path: Path | None,
    header: dict[str, Any],
    totals: Mapping[str, Total],
    *,
    resume: bool = False,
    overwrite: bool = False,
) -> Iterator[None]:
    """Keep what is added to totals of no items in a file, until the block ends; with `resume` what the file has is added first.

    Args:
        path: the file; `None` keeps nothing.
        header: `kind`, and what decides the run, as JSON values.
        totals: the parts of the run by name.
        resume: go on with a file that is there.
        overwrite: throw it away.

    Raises:
        ConfigError: the file is there and not to be resumed or overwritten; it is of another run; another process has it.
        NotationError: a line that is wrong, with its number.
    """
    if path is None:
        yield
        return
    first = {"schema": SCHEMA} | header

    def same(data: dict[str, Any]) -> None:
        if (data.get("schema"), data.get("kind")) != (SCHEMA, header["kind"]):
            there = f"{shown(data.get('kind'))}, {shown(data.get('schema'))}"
            raise NotationError(f"expected kind {header['kind']}, schema {SCHEMA}, got {there}")
        _check_same("", data, first)

    def block(data: dict[str, Any]) -> None:
        part: Any = data.get("part") if len(totals) > 1 else next(iter(totals))
        if not isinstance(part, str) or part not in totals:
            raise NotationError(f"part: expected one of {', '.join(totals)}, got {shown(part)}")
        totals[part].take(data)

    def write(line: Take, part: str, data: dict[str, Any]) -> None:
        line(({"part": part} if len(totals) > 1 else {}) | data)

    with opened(path, first, same, block, max_line=MAX_LINE, resume=resume, overwrite=overwrite) as line:
        for name, total in totals.items():
            total._write = partial(write, line, name)
        try:
            yield
        finally:
            for total in totals.values():
                total._write = None


def _check_same(what: str, there: Any, here: Any) -> None:
    """Refuse another value than this run's, and name the first that differs.

    Raises:
        ConfigError: it is another.
    """
    if isinstance(there, dict) and isinstance(here, dict):
        for name in dict.fromkeys([*here, *there]):
            _check_same(f"{what} {name}".lstrip(), there.get(name), here.get(name))
    elif there != here:
        raise ConfigError(f"made with {what} {str(there)[:MAX_SHOWN]}, but this run has {str(here)[:MAX_SHOWN]}")
