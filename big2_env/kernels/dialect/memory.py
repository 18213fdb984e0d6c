"""Numpy arrays and records for interpreted kernels: views of their memory, and copies as plain Python values.

A view is indexed like its array, but faster, and its entries are Python numbers.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from big2_env.kernels.dialect.records import address

Array = npt.NDArray[Any]
_WORD = (1 << 64) - 1


class _Entries:
    """An array."""

    def copy(self) -> list[Any]:
        return [*self]  # type: ignore[misc]  # an array type


class _Sets:
    """Sets of two words, read and written as single numbers."""

    def __getitem__(self, i: int) -> int:
        low, high = super().__getitem__(i)  # type: ignore[misc]  # of the array type that this is mixed into
        return int(low | high << 64)

    def __setitem__(self, i: int, cards: int) -> None:
        super().__setitem__(i, (cards & _WORD, cards >> 64 & _WORD))  # type: ignore[misc]


def _are_sets(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bool:
    """Return whether the last axis of an array holds the two words of a set."""
    return dtype == np.uint64 and shape[-1:] == (2,)


@lru_cache(maxsize=256)
def _kind(dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
    """Return the ctypes type of an array or a record."""
    while (inner := dtype.subdtype) is not None:
        dtype, shape = inner[0], shape + inner[1]
    if dtype.names is None:
        kind: Any = np.ctypeslib.as_ctypes_type(dtype)
    else:
        kind = type("Record", (ctypes.Structure,), {"_fields_": [(name, _kind(dtype[name], ())) for name in dtype.names]})
    for axis in reversed(range(len(shape))):
        bases = (_Sets if axis == len(shape) - 2 and _are_sets(dtype, shape) else _Entries, ctypes.Array)
        kind = type("Entries", bases, {"_type_": kind, "_length_": shape[axis], "shape": shape[axis:]})
    return kind


def viewed(array: Array) -> Any:
    """Return a view of an array in C order, whose entries are Python numbers or records. The caller keeps the array alive."""
    if array.ndim == 2 and array.itemsize == 1:
        return [memoryview(row).cast("B") for row in array]  # rows of bytes, written many at a time
    return _kind(array.dtype, array.shape).from_address(address(array))


def plain(field: Any) -> Any:
    """Return a copy of a number or an array as a Python number or nested lists. A set of two words becomes one number."""
    if _are_sets(field.dtype, field.shape):
        words = field.astype(object)
        field = words[..., 0] | words[..., 1] << 64
    return field.tolist()
