"""Networks that were trained behind a `VecNormalize`, as networks that see the games' own observations.

An observation is zeros and ones, so each input of such a network has two values: what the wrapper makes of a 0 and of a 1. They
are folded into the first layer, which then gives the same sums.

| array of the file | shape | what it is |
| --- | --- | --- |
| `zero` | (inputs,) | what the network sees for a 0 |
| `one` | (inputs,) | what it sees for a 1 |

The file lies beside the model, `model.normalize.npz` beside `model.zip`; `big2_agents.train.export.write_statistics` writes it.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from big2_agents.learned.actor import Actor
from big2_agents.learned.weights import load_arrays
from big2_env.errors import ConfigError

Array = npt.NDArray[Any]
ENDING: Final = ".normalize.npz"


class Inputs(NamedTuple):
    """What a network sees for a 0 and a 1 of each input, float32 (inputs,) each."""

    zero: Array
    one: Array


def statistics_path(model: str | PathLike[str]) -> Path:
    """Where the statistics of a model lie."""
    return Path(model).with_suffix(ENDING)


def load_inputs(path: Path) -> Inputs:
    """The inputs that a file says; nothing in the file is run.

    Raises:
        ConfigError: no such file, or other arrays.
    """
    arrays = load_arrays(path, Inputs._fields, lambda found: dict.fromkeys(Inputs._fields, (found["zero"].size,)))
    return Inputs(arrays["zero"], arrays["one"])


def folded(actor: Actor, inputs: Inputs, where: str) -> Actor:
    """The network that sees zeros and ones and scores as `actor` does behind the wrapper.

    Raises:
        ConfigError: another number of inputs; the message begins with `where`.
    """
    if len(inputs.zero) != actor.size[0]:
        raise ConfigError(f"{where}: expected statistics of {actor.size[0]} inputs, got {len(inputs.zero)}")
    step = inputs.one - inputs.zero
    if not actor.layers:
        return actor._replace(action=actor.action * step, action_bias=actor.action_bias + actor.action @ inputs.zero)
    (weight, bias), *rest = actor.layers
    return actor._replace(layers=((np.ascontiguousarray(weight * step[:, None]), bias + inputs.zero @ weight), *rest))
