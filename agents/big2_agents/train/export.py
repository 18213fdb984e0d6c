"""A trained policy as the `.npz` file that plays without torch."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from big2_agents.learned.network import Network
from big2_agents.train.network import Policy


def to_network(policy: Policy) -> Network:
    """The weights of a torch policy as the arrays of the numba one."""
    arrays = {}
    for name, value in policy.state_dict().items():
        layer, kind = name.split(".")
        array = value.float().numpy()
        arrays[layer if kind == "weight" else f"{layer}_bias"] = array.T if array.ndim == 2 else array
    arrays["head2"] = arrays["head2"][:, 0]
    return Network(**{name: np.ascontiguousarray(array, np.float32) for name, array in arrays.items()})


def export(policy: Policy, path: Path) -> None:
    """Write the weights of a policy, half precision (the players compute in single)."""
    np.savez_compressed(path, **{name: array.astype(np.float16) for name, array in to_network(policy)._asdict().items()})
