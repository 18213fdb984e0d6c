"""Weights of the trained UNO agent."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.learned.npz import open_arrays
from big2_agents.learned.weights import read_array
from big2_env.base.errors import ConfigError

NUM_FEATURES: Final = 36
NUM_HIDDEN: Final = 24
NUM_WEIGHTS: Final = NUM_HIDDEN * (NUM_FEATURES + 1) + NUM_HIDDEN
"""Length of the weights: for each hidden unit its inputs and its bias, then the output weights of the hidden units."""
SHIPPED: Final = Path(__file__).with_name("weights.npz")


@cache
def load_weights(path: Path = SHIPPED) -> npt.NDArray[Any]:
    """Read the weights of a file, as data.

    Args:
        path: An `.npz` file.

    Returns:
        float64 (`NUM_WEIGHTS`,).

    Raises:
        ConfigError: It is not a file of UNO weights.
    """
    with open_arrays(path, "{}: no UNO weights") as file:
        weights = read_array(file, "weights.npy")
    return checked_weights(weights, str(path))


def checked_weights(weights: npt.ArrayLike, where: str) -> npt.NDArray[Any]:
    """Return weights in the form that kernels take.

    Args:
        weights: The weights.
        where: Their origin, which begins the error message.

    Returns:
        float64 (`NUM_WEIGHTS`,).

    Raises:
        ConfigError: A wrong number of weights, or one that is not finite.
    """
    given = np.asarray(weights)
    if given.shape != (NUM_WEIGHTS,) or given.dtype.kind not in "fiu" or not np.isfinite(given).all():
        raise ConfigError(f"{where}: expected {NUM_WEIGHTS} finite weights, got {given.dtype} {given.shape}")
    return np.ascontiguousarray(given, np.float64)
