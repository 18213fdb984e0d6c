"""Weights from `.npz` files, read as data: no pickle, every shape checked, sizes bounded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from big2_env.errors import ConfigError

Array = npt.NDArray[Any]
MAX_WIDTH = 4096
"""Widest layer that a weights file may have."""


def load_arrays(
    path: str | PathLike[str],
    names: Iterable[str],
    shapes: Callable[[dict[str, Array]], dict[str, tuple[int, ...]]],
) -> dict[str, Array]:
    """The named arrays of a file as float32 in C order; `shapes` says from the biases what shape each must have.

    Raises:
        ConfigError: no such file, arrays that are missing, of another shape or dtype, too wide, or not finite.
    """
    names = list(names)
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in names if name in file}
    except (OSError, ValueError, BadZipFile) as error:
        raise ConfigError(f"weights {path}: {error}") from None
    missing = [name for name in names if name not in arrays]
    if missing:
        raise ConfigError(f"weights {path}: {', '.join(missing)} missing")
    widest = max(array.size for name, array in arrays.items() if name.endswith("_bias"))
    if widest > MAX_WIDTH:
        raise ConfigError(f"weights {path}: a layer of {widest}, allowed are up to {MAX_WIDTH}")
    for name, shape in shapes(arrays).items():
        array = arrays[name]
        if array.shape != shape or array.dtype.kind != "f" or not np.isfinite(array).all():
            raise ConfigError(f"weights {path}: {name} is {array.dtype} {array.shape}, allowed is finite float {shape}")
    return {name: np.ascontiguousarray(array, np.float32) for name, array in arrays.items()}
