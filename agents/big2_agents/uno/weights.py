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
    if weights.shape != (NUM_WEIGHTS,) or not np.isfinite(weights).all():
        raise ConfigError(f"{path}: weights of shape {weights.shape}: allowed are {NUM_WEIGHTS} finite numbers")
    return weights
