"""The actor of a PPO policy without torch: fully connected layers in numpy, from an `.npz` file.

Each layer computes `h = f(h W + b)` with the activation `f`; the last one gives a score for each action, the torch policy's
logits.

| array of the file | shape | content |
| --- | --- | --- |
| `layer1`, `layer2`, ... | (inputs, outputs) | weights; there may be no layer at all |
| `layer1_bias`, ... | (outputs,) | |
| `action`, `action_bias` | (actions, inputs), (actions,) | the last layer |
| `activation` | () text | a key of `ACTIVATIONS`; ReLU if missing |

A network trained with `VecNormalize` is converted to take the games' own observations. These are zeros and ones, so each input
of the network takes two values: the normalized 0 and the normalized 1. They are folded into the first layer. Both values are
stored next to the model, in `model.normalize.npz` for `model.zip`; `big2_agents.train.export.write_statistics` writes the file.

| array of that file | shape | content |
| --- | --- | --- |
| `zero` | (inputs,) | network input for a 0 |
| `one` | (inputs,) | network input for a 1 |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from big2_agents.learned.npz import open_arrays
from big2_agents.learned.weights import MAX_WIDTH, check_arrays, load_arrays, read_array
from big2_env.base.errors import ConfigError, quoted

Array = npt.NDArray[Any]
MAX_LAYERS: Final = 6
"""Maximum number of hidden layers in a weights file."""
MAX_ACTIONS: Final = 1 << 16
"""Maximum number of actions that a weights file may score."""


def _sigmoid(x: Array) -> Array:
    found: Array = 1.0 / (1.0 + np.exp(-np.clip(x, -80.0, 80.0)))
    return found


ACTIVATIONS: Final[Mapping[str, Callable[[Array], Array]]] = {
    "ReLU": lambda x: np.maximum(x, 0.0),
    "Tanh": np.tanh,
    "Sigmoid": _sigmoid,
    "SiLU": lambda x: x * _sigmoid(x),
    "ELU": lambda x: np.where(x > 0.0, x, np.expm1(np.minimum(x, 0.0))),
    "LeakyReLU": lambda x: np.where(x > 0.0, x, np.float32(0.01) * x),
}
"""Activations by the name of torch's class, with torch's default arguments; they map float32 to float32."""


class Actor(NamedTuple):
    """Weights of an actor network, float32.

    `layers` holds pairs (inputs, outputs) and (outputs,); `action` is (actions, inputs).
    """

    layers: tuple[tuple[Array, Array], ...]
    action: Array
    action_bias: Array
    activation: str = "ReLU"

    @property
    def size(self) -> tuple[int, int]:
        """Number of inputs, and number of actions."""
        return len(self.layers[0][0]) if self.layers else self.action.shape[1], len(self.action_bias)

    def scores(self, observation: Array, actions: Array) -> npt.NDArray[np.float32]:
        """Return the scores of some actions.

        Args:
            observation: Zeros and ones, (inputs,).
            actions: Action ids, int (n,).

        Returns:
            Scores, float32 (n,).
        """
        hidden = observation.astype(np.float32)
        activate = ACTIVATIONS[self.activation]
        for n, (weight, bias) in enumerate(self.layers):
            # The observation is mostly zeros: adding up rows is faster than a product.
            hidden = activate((weight[observation != 0].sum(axis=0) if n == 0 else hidden @ weight) + bias)
        return self.action[actions] @ hidden + self.action_bias[actions]


def load_actor(path: str | PathLike[str]) -> Actor:
    """Return the network in an `.npz` file; no code in the file is run.

    Raises:
        ConfigError: The file is missing or malformed, or its activation is not in `ACTIVATIONS`.
    """
    with open_arrays(path) as file:
        held = set(file.namelist())
        activation = str(read_array(file, "activation.npy")) if "activation.npy" in held else "ReLU"
    if activation not in ACTIVATIONS:
        raise ConfigError(f"weights {path}: expected an activation of {', '.join(ACTIVATIONS)}, got {quoted(activation)}")
    number = next((n for n in range(MAX_LAYERS) if f"layer{n + 1}.npy" not in held), MAX_LAYERS)
    if more := [name for name in held if name.startswith(f"layer{number + 1}") or name.startswith(f"layer{number + 2}")]:
        raise ConfigError(
            f"weights {path}: expected up to {MAX_LAYERS} layers numbered from 1, got {sorted(more)[0]} after {number}"
        )
    names = [*_layer_names(number), "action", "action_bias"]
    return actor_of(load_arrays(path, names, actor_shapes, _limit), activation)


def checked_actor(arrays: dict[str, Array], activation: str, where: str) -> Actor:
    """Return the network of arrays that are named as in a file.

    Args:
        arrays: The arrays.
        activation: A key of `ACTIVATIONS`.
        where: Start of error messages.

    Raises:
        ConfigError: The arrays do not fit together, or are too wide or not finite.
    """
    return actor_of(check_arrays(arrays, where, actor_shapes, _limit), activation)


def actor_of_state(state: Mapping[str, Array], activation: str, where: str) -> Actor:
    """Return the actor of a stable-baselines3 policy from its `state_dict`; the critic is left out.

    Args:
        state: The `state_dict` as arrays.
        activation: A key of `ACTIVATIONS`.
        where: Start of error messages.

    Raises:
        ConfigError: As `checked_actor`, or there are other weights, such as a feature extractor's.
    """
    arrays, others = {}, []
    for name, array in state.items():
        match name.split("."):
            case ["mlp_extractor", "policy_net", place, ("weight" | "bias") as kind] if (
                place.isdecimal() and not int(place) % 2
            ):
                layer = f"layer{int(place) // 2 + 1}"  # activations stand at the odd places
                arrays[layer if kind == "weight" else f"{layer}_bias"] = array.T if kind == "weight" else array
            case ["action_net", ("weight" | "bias") as kind]:
                arrays["action" if kind == "weight" else "action_bias"] = array
            case ["mlp_extractor", "value_net", *_] | ["value_net", *_]:
                pass
            case _:
                others.append(name)
    if others:
        raise ConfigError(f"{where}: expected the layers of an MLP actor and critic, got {', '.join(sorted(others)[:3])}")
    number = _count(arrays)
    if missing := [name for name in [*_layer_names(number), "action", "action_bias"] if name not in arrays]:
        raise ConfigError(f"{where}: expected an actor of linear layers with biases, got none for {', '.join(missing)}")
    if number > MAX_LAYERS:
        raise ConfigError(f"{where}: expected up to {MAX_LAYERS} layers, got {number}")
    return checked_actor(arrays, activation, where)


def actor_of(arrays: Mapping[str, Array], activation: str) -> Actor:
    """Return the network of checked arrays."""
    layers = tuple((arrays[f"layer{n}"], arrays[f"layer{n}_bias"]) for n in range(1, _count(arrays) + 1))
    return Actor(layers, arrays["action"], arrays["action_bias"], activation)


def actor_shapes(arrays: Mapping[str, Array]) -> dict[str, tuple[int, ...]]:
    """Return the required shape of each array."""
    number = _count(arrays)
    wanted: dict[str, tuple[int, ...]] = {}
    width = arrays["layer1"].shape[0] if number and arrays["layer1"].ndim else 0
    for name in _layer_names(number)[::2]:
        out = arrays[f"{name}_bias"].size
        wanted |= {name: (width, out), f"{name}_bias": (out,)}
        width = out
    if not number:
        width = arrays["action"].shape[-1] if arrays["action"].ndim else 0
    actions = arrays["action_bias"].size
    return wanted | {"action": (actions, width), "action_bias": (actions,)}


def _count(arrays: Mapping[str, Array]) -> int:
    return sum(name.startswith("layer") and not name.endswith("_bias") for name in arrays)


def _layer_names(number: int) -> list[str]:
    return [name for n in range(1, number + 1) for name in (f"layer{n}", f"layer{n}_bias")]


def _limit(name: str) -> int:
    """Return the maximum width of a layer."""
    return MAX_ACTIONS if name.startswith("action") else MAX_WIDTH


ENDING: Final = ".normalize.npz"


class Inputs(NamedTuple):
    """Network inputs for a 0 and for a 1 of each observed value, float32 (inputs,) each."""

    zero: Array
    one: Array


def statistics_path(model: str | PathLike[str]) -> Path:
    """Return the file with a model's normalization statistics."""
    return Path(model).with_suffix(ENDING)


def load_inputs(path: Path) -> Inputs:
    """Return the network inputs stored in a file; no code in the file is run.

    Raises:
        ConfigError: The file is missing, or holds other arrays.
    """
    arrays = load_arrays(path, Inputs._fields, lambda found: dict.fromkeys(Inputs._fields, (found["zero"].size,)))
    return Inputs(arrays["zero"], arrays["one"])


def folded(actor: Actor, inputs: Inputs, where: str) -> Actor:
    """Return a network for zeros and ones with the scores that `actor` gives behind the wrapper.

    Args:
        actor: Network trained on normalized observations.
        inputs: Its normalized inputs.
        where: Start of error messages.

    Raises:
        ConfigError: The number of inputs differs.
    """
    if len(inputs.zero) != actor.size[0]:
        raise ConfigError(f"{where}: expected statistics of {actor.size[0]} inputs, got {len(inputs.zero)}")
    step = inputs.one - inputs.zero
    if not actor.layers:
        return actor._replace(action=actor.action * step, action_bias=actor.action_bias + actor.action @ inputs.zero)
    (weight, bias), *rest = actor.layers
    return actor._replace(layers=((np.ascontiguousarray(weight * step[:, None]), bias + inputs.zero @ weight), *rest))
