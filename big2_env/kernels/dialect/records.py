"""Records of compiled kernels: numpy's. `lists.py` gives the same names their meaning where kernels are interpreted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from struct import Struct
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
COMPILED: Final = True
"""Whether kernels run compiled."""
_WORD = (1 << 64) - 1


def mark_of(folder: Path, base: str = "") -> str:
    """Return a name for the state of the sources in a folder, and of others that they build on, whose name is `base`."""
    digest = sha256(base.encode())
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return f"sources_{digest.hexdigest()[:12]}"


MARK: Final = mark_of(Path(__file__).parent.parent)
"""Name of a field that holds nothing: it stands for the state of these sources, so that no compiled code outlives them.

numba keeps compiled functions on disk, by their own file and the types of their arguments; it does not see when a file changes
whose functions they call. With other sources the records that kernels take have other types, so kernels are compiled again.
"""


def card_set(words: int) -> Any:
    """The type of a field of sets of cards that take so many words."""
    return np.uint64 if words == 1 else (np.uint64, (words,))


def set_of(places: int, words: int) -> Any:
    """A set of places as a field of `card_set` takes it."""
    return np.uint64(places) if words == 1 else np.array([places >> 64 * word & _WORD for word in range(words)], np.uint64)


def paste(field: Array, values: Any) -> None:
    """Write nested lists over the beginning of a field whose sizes are bounds."""
    array = np.array(values, field.dtype)
    field[tuple(map(slice, array.shape))] = array


def as_record(array: Array) -> np.record:
    """The one record of an array without dimensions, as the kernels take it: they get its address, nothing is copied."""
    record: Any = array.view(_record_dtype(array.dtype)).view(np.recarray)[()]
    return cast(np.record, record)


@cache
def _record_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype as `np.recarray` wants it, made once: numba compares two dtypes field by field."""
    return np.dtype((np.record, dtype))


def records(number: int, dtype: Any) -> Array:
    """Records of zeros, (number,)."""
    return np.zeros(number, _record_dtype(np.dtype(dtype))).view(np.recarray)


def rows_of(array: Array) -> Array:
    """An array, int8 (N, size), as kernels write into its rows."""
    return array


def as_array(record: Any) -> Array:
    """The array (1,) of a record that `as_record` made. To hand compiled code a record takes 7 microseconds, an array 0.2."""
    return np.asarray(record.base).reshape(1)


def read_only(array: Array) -> Array:
    """A view of an array that cannot be written."""
    view = array.view()
    view.flags.writeable = False
    return view


def address(array: Any) -> int:
    """Where an array or a record begins. Whoever hands it to a kernel keeps it alive for the call."""
    return int(array.__array_interface__["data"][0])


@cache
def _packer(number: int) -> Callable[..., None]:
    return Struct(f"={number}q").pack_into


def store(array: Array, values: Sequence[int]) -> None:
    """Write numbers over the beginning of an int64 array: faster than numpy does it."""
    _packer(len(values))(array.data, 0, *values)


def numbers(array: Any) -> list[Any]:
    """The numbers of an array or of a list as those of Python."""
    return cast("list[Any]", array.tolist())
