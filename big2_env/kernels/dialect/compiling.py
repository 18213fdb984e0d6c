"""What numba compiles, and where it keeps the result."""

from __future__ import annotations

from collections.abc import Callable

from numba import config
from numba.core import event


def compiled_by(act: Callable[[], object]) -> int:
    """Return how many functions numba compiles while `act` runs; those that it finds on the disk do not count."""
    with event.install_recorder("numba:compile") as recorder:
        act()
    return sum(each.is_start for _, each in recorder.buffer)


def cache_folder() -> str:
    """Return the folder NUMBA_CACHE_DIR, or "" if numba keeps compiled code next to each module."""
    return str(config.CACHE_DIR)
