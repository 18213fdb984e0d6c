"""Output arrays that are used again once no other object refers to them.

New arrays in each step would make steps of 64 to 1,024 games over 10% slower. Without `FixedMasks`, `argmax` of read-only masks
would take over 10% longer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from big2_env.kernels.dialect.records import address

Array = npt.NDArray[Any]
MOST_KEPT: Final = 4
"""Number of groups that a `Reused` keeps: the current one, and as many as a training loop usually holds."""
_COUNTS_REFERENCES: Final = getattr(sys, "_is_gil_enabled", lambda: True)()
"""False on builds of Python whose reference counts are not exact."""
_references: Final = sys.getrefcount


class FixedMasks(np.ndarray[Any, np.dtype[Any]]):
    """Read-only view of masks with a fast `argmax`. NumPy copies a read-only array before it searches it."""

    @classmethod
    def of(cls, masks: Array) -> Self:
        """Return a read-only view of masks."""
        view = masks.view(cls)
        view.flags.writeable = False
        return view

    def argmax(self, *args: Any, **kwargs: Any) -> Any:
        """Return the indices of the maximum values, as `numpy.ndarray.argmax` does."""
        masks = self.view(np.ndarray)
        with suppress(ValueError):  # the memory itself is read-only
            masks.flags.writeable = True
        return masks.argmax(*args, **kwargs)


class Group:
    """Array that is handed out, with the arrays behind it.

    Args:
        array: The array.
        behind: Arrays that belong to it, beginning with its base if it is a view.
    """

    __slots__ = ("_idle", "_idle_base", "addresses", "array", "base", "behind")

    def __init__(self, array: Array, *behind: Array) -> None:
        self.array, self.behind = array, behind
        self.base = behind[0] if behind else array
        self.addresses = tuple(map(address, behind or (array,)))
        """Addresses of the writeable arrays."""
        self._idle = self._idle_base = 0

    def count(self) -> None:
        """Note the numbers of references of an unused array. Call this when the array is new."""
        self._idle, self._idle_base = _references(self.array), _references(self.base)

    def is_idle(self, held: int) -> bool:
        """Return whether the array has no more references than when it was new, apart from the given number."""
        if _references(self.array) > self._idle + held:
            return False
        return self.base is self.array or _references(self.base) <= self._idle_base


class Reused:
    """Groups of output arrays of one shape, one of which is current.

    References are counted by CPython. A view, a buffer or a tensor of an array refers to it, a bare address does not.

    Args:
        make: Function that makes a new group.
    """

    def __init__(self, make: Callable[[], Group]) -> None:
        self._make = make
        self.now = make()
        """Current group."""
        self.now.count()
        self._groups = [self.now]

    def renew(self, held: int) -> bool:
        """Switch to unused arrays. Return whether they are other ones than before.

        Args:
            held: Number of references to the current array that the owner itself holds.
        """
        now = self.now
        if _COUNTS_REFERENCES:
            if now.is_idle(held):
                return False
            for group in self._groups:
                if group is not now and group.is_idle(0):
                    self.now = group
                    return True
        self.now = self._make()
        self.now.count()
        self._groups = [*self._groups[1 - MOST_KEPT :], self.now]
        return True

    def keep(self, before: Group) -> None:
        """Copy the contents of another group to the current one."""
        for array, old in zip(self.now.behind or (self.now.array,), before.behind or (before.array,), strict=True):
            np.copyto(array, old)
