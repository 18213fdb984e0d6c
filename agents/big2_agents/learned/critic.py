"""The critic without torch: the expected payoff of the seat to move when all four hands are known, as in a search's samples."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from big2_agents.learned.network import add_rows
from big2_agents.learned.weights import has_array, load_arrays, rows_of
from big2_env.kernels.dialect.kernel import kernel

Array = npt.NDArray[Any]
FITTED: Final = "fitted"
"""The array by which a critic's file says that `big2 train critic` has fitted it to what a search asks."""


class CriticNetwork(NamedTuple):
    """Weights, float32; matrices are (inputs, outputs)."""

    layer1: Array
    layer1_bias: Array
    layer2: Array
    layer2_bias: Array
    layer3: Array
    layer3_bias: Array
    layer4: Array
    """(width,)."""
    layer4_bias: Array
    """(1,)."""
    scale: Array
    """(1,): what one unit of the output is worth in payoff."""


def load_critic(path: str | PathLike[str]) -> CriticNetwork:
    """The critic of an `.npz` file; nothing in the file is run. Raises ConfigError as `load_arrays` does."""

    def shapes(arrays: dict[str, Array]) -> dict[str, tuple[int, ...]]:
        widths = [rows_of(arrays["layer1"]), *(arrays[f"layer{i}_bias"].size for i in (1, 2, 3))]
        found: dict[str, tuple[int, ...]] = {"layer4": (widths[3],), "layer4_bias": (1,), "scale": (1,)}
        for i in (1, 2, 3):
            found |= {f"layer{i}": (widths[i - 1], widths[i]), f"layer{i}_bias": (widths[i],)}
        return found

    return CriticNetwork(**load_arrays(path, CriticNetwork._fields, shapes))


def is_fitted(path: Path) -> bool:
    """True if there is a critic and it was fitted to what a search asks. Raises ConfigError for a file that is none."""
    return path.exists() and has_array(path, FITTED)


@kernel(entry=True, fastmath=True)
def value_of(net: CriticNetwork, state: Array, hidden: Array, work: Array) -> Any:
    """The expected payoff of the seat to move.

    Args:
        net: the weights.
        state: int8 (sizes.state,).
        hidden: int8 (sizes.hidden,).
        work: float32 (4, MAX_WIDTH), scratch.
    """
    first = work[0, : net.layer1_bias.shape[0]]
    second = work[1, : net.layer2_bias.shape[0]]
    third = work[2, : net.layer3_bias.shape[0]]
    places = np.empty(max(len(state), len(hidden), len(first), len(second)), np.int64)
    first[:] = net.layer1_bias
    add_rows(state, net.layer1, first, places)
    add_rows(hidden, net.layer1[len(state) :], first, places)
    np.maximum(first, np.float32(0), first)
    second[:] = net.layer2_bias
    add_rows(first, net.layer2, second, places)
    np.maximum(second, np.float32(0), second)
    third[:] = net.layer3_bias
    add_rows(second, net.layer3, third, places)
    total = net.layer4_bias[0]
    for o in range(len(third)):
        total += max(third[o], np.float32(0)) * net.layer4[o]
    return total * net.scale[0]
