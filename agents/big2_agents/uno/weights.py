"""The weights of the learned UNO player that are shipped."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.uno.features import NUM_WEIGHTS
from big2_env.errors import ConfigError

SHIPPED: Final = Path(__file__).with_name("weights.npz")


@cache
def load_weights(path: Path = SHIPPED) -> npt.NDArray[Any]:
    """The weights in a file, float64 (`NUM_WEIGHTS`,), read as data.

    Raises:
        ConfigError: the file has none.
    """
    try:
        with np.load(path, allow_pickle=False) as data:
            weights = np.asarray(data["weights"], np.float64)
    except (KeyError, ValueError) as error:
        raise ConfigError(f"{path}: no UNO weights: {error}") from None
    return checked_weights(weights, str(path))


def checked_weights(weights: npt.ArrayLike, where: str) -> npt.NDArray[Any]:
    """Weights of the learned player as compiled code takes them, float64 (`NUM_WEIGHTS`,).

    Raises:
        ConfigError: another number of them, or one that is not finite; the message begins with `where`.
    """
    given = np.asarray(weights)
    if given.shape != (NUM_WEIGHTS,) or given.dtype.kind not in "fiu" or not np.isfinite(given).all():
        raise ConfigError(f"{where}: expected {NUM_WEIGHTS} finite weights, got {given.dtype} {given.shape}")
    return np.ascontiguousarray(given, np.float64)
