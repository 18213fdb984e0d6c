"""Which rows a reset is for, and by which seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from big2_env.errors import ConfigError


def row_seeds(given: Sequence[int | None], rows: int) -> list[int | None]:
    """A seed for each row, 0 .. 2**64 - 1, or `None` where none is given.

    Raises:
        ConfigError: another number of seeds than rows, or seeds that are no integers.
    """
    try:
        numbers = [None if number is None else index(number) % 2**64 for number in given]
    except TypeError:
        raise ConfigError(f"expected an integer seed, or one for each of the {rows} games, got {given!r}") from None
    if len(numbers) != rows:
        raise ConfigError(f"expected one seed, or one for each of the {rows} games, got {len(numbers)}")
    return numbers


def rows_to_reset(options: Mapping[str, Any], rows: int) -> npt.NDArray[np.bool_]:
    """The rows that the options of a reset name, bool (rows,); all where they name none.

    Raises:
        ConfigError: a `reset_mask` of another shape or dtype, or without a row.
    """
    mask = options.get("reset_mask")
    if mask is None:
        return np.ones(rows, np.bool_)
    if not isinstance(mask, np.ndarray) or mask.shape != (rows,) or mask.dtype != np.bool_ or not mask.any():
        given = f"{mask.dtype} {mask.shape}, {mask.sum()} true" if isinstance(mask, np.ndarray) else type(mask).__name__
        raise ConfigError(f"expected a bool array ({rows},) with a true one as reset option reset_mask, got {given}")
    return mask
