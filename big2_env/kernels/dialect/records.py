"""Records of compiled kernels, based on numpy. `lists.py` defines the same names for interpreted kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from struct import Struct
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
COMPILED: Final = True
"""True if kernels run compiled."""
END: Final = "end"
"""Name of the last field of record types that come in several forms.

numba takes a record for another one whose fields it begins with, so no form may be the beginning of another.
"""
_WORD = (1 << 64) - 1


def card_set(words: int) -> Any:
    """Return the type of a field with sets of cards of that many words."""
    return np.uint64 if words == 1 else (np.uint64, (words,))


def set_of(places: int, words: int) -> Any:
    """Return a set of bits in the form that a `card_set` field stores."""
    return np.uint64(places) if words == 1 else np.array([places >> 64 * word & _WORD for word in range(words)], np.uint64)


def paste(field: Array, values: Any) -> None:
    """Write nested lists to the beginning of a field whose sizes are bounds."""
    array = np.array(values, field.dtype)
    field[tuple(map(slice, array.shape))] = array


def as_record(array: Array) -> np.record:
    """Return the single record of a 0-dimensional array, as kernels expect it.

    Only its address is passed; nothing is copied.
    """
    record: Any = array.view(_record_dtype(array.dtype)).view(np.recarray)[()]
    return cast(np.record, record)


@cache
def _record_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype that `np.recarray` expects, cached because numba compares dtypes field by field."""
    return np.dtype((np.record, dtype))


def records(number: int, dtype: Any) -> Array:
    """Return records of zeros, (number,)."""
    return np.zeros(number, _record_dtype(np.dtype(dtype))).view(np.recarray)


def rows_of(array: Array) -> Array:
    """Return an array, int8 (N, size), in the form that kernels write to."""
    return array


def as_array(record: Any) -> Array:
    """Return the array (1,) of a record made by `as_record`.

    Passing an array to compiled code is much faster than passing a record.
    """
    return np.asarray(record.base).reshape(1)


def read_only(array: Array) -> Array:
    """Return a read-only view of an array."""
    view = array.view()
    view.flags.writeable = False
    return view


def viewed(array: Array) -> Array:
    """Return an array in the form in which kernels take it."""
    return array


def address(array: Any) -> int:
    """Return the address of an array or a record. The caller must keep it alive during a kernel call."""
    return int(array.__array_interface__["data"][0])


@cache
def _packer(number: int) -> Callable[..., None]:
    return Struct(f"={number}q").pack_into


def store(array: Array, values: Sequence[int]) -> None:
    """Write numbers to the beginning of an int64 array, faster than numpy does."""
    _packer(len(values))(array.data, 0, *values)


def numbers(array: Any) -> list[Any]:
    """Return the numbers of an array or a list as Python numbers."""
    return cast("list[Any]", array.tolist())
