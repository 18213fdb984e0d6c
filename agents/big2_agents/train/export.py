"""Trained networks as the `.npz` files that play without torch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch

from big2_agents.formula import Weights, first_weights_of
from big2_agents.learned.actor import ACTIVATIONS, Actor, Inputs, actor_of_state, statistics_path
from big2_agents.learned.plain_learned import HEURISTIC
from big2_agents.learned.sb3_zip import POLICIES
from big2_agents.learned.weights import FITTED, PATTERNS, CriticNetwork, Network, rules_array
from big2_agents.train.network import Critic, Policy
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.runs.replacing import replacing


def to_network(policy: Policy) -> Network:
    """The weights of a torch policy as the arrays of the numba one."""
    arrays = {}
    for name, value in policy.state_dict().items():
        layer, kind = name.split(".")
        array = value.float().cpu().numpy()
        arrays[layer if kind == "weight" else f"{layer}_bias"] = array.T if array.ndim == 2 else array
    arrays["head2"] = arrays["head2"][:, 0]
    return Network(**{name: np.ascontiguousarray(array, np.float32) for name, array in arrays.items()})


def to_critic(critic: Critic, scale: float) -> CriticNetwork:
    """The weights of a torch critic, for play among networks, as the arrays of the numba one.

    `scale` is what one unit of its output is worth.
    """
    arrays = {}
    layers = [module for module in critic.net if isinstance(module, torch.nn.Linear)]
    for i, layer in enumerate(layers, start=1):
        arrays[f"layer{i}"] = layer.weight.detach().float().cpu().numpy().T
        arrays[f"layer{i}_bias"] = layer.bias.detach().float().cpu().numpy()
    arrays["layer1"] = arrays["layer1"][: critic.sizes.state + critic.sizes.hidden]
    arrays["layer4"] = arrays["layer4"][:, 0]
    arrays["scale"] = np.array([scale], np.float32)
    return CriticNetwork(**{name: np.ascontiguousarray(array, np.float32) for name, array in arrays.items()})


def to_actor(policy: Any) -> Actor:
    """The actor of a policy of PPO or MaskablePPO in memory, as arrays for play.

    Raises:
        ConfigError: a policy whose acts cannot be reproduced; the message says what it is.
    """
    kind = f"{type(policy).__module__}.{type(policy).__qualname__}"
    if kind not in POLICIES:
        raise ConfigError(f"policy: expected {', '.join(each.rpartition('.')[2] for each in POLICIES)}, got {kind}")
    from stable_baselines3.common.torch_layers import FlattenExtractor  # the other exports need torch alone

    if type(policy.features_extractor) is not FlattenExtractor:
        raise ConfigError(f"policy: expected FlattenExtractor, got {type(policy.features_extractor).__name__}")
    if getattr(policy, "use_sde", False):
        raise ConfigError("policy: expected one without use_sde, got one with it")
    modules = list(policy.mlp_extractor.policy_net)
    activations = modules[1::2]
    if [type(each) for each in modules[::2]] != [torch.nn.Linear] * len(activations):
        raise ConfigError(f"policy: expected linear layers, each with its activation, got {policy.mlp_extractor.policy_net!r}")
    known = {name: repr(getattr(torch.nn, name)()) for name in ACTIVATIONS}  # the text has the arguments
    shown = {repr(each) for each in activations} or {known["Tanh"]}
    found = [
        name for name, text in known.items() if {text} == shown and all(type(m) is getattr(torch.nn, name) for m in activations)
    ]
    if not found:
        raise ConfigError(f"policy: expected one activation of {', '.join(known.values())}, got {', '.join(sorted(shown))}")
    state = {name: tensor.detach().float().cpu().numpy() for name, tensor in policy.state_dict().items()}
    return actor_of_state(state, found[0], "policy")


def write_statistics(normalize: Any, model: str | PathLike[str]) -> Path:
    """Write what a model sees behind a `VecNormalize` beside its zip, so that `sb3:` agents play it; returns the file's path.

    Args:
        normalize: the wrapper, such as `model.get_vec_normalize_env()`.
        model: the zip that `model.save` writes.

    Raises:
        ConfigError: something else, or a wrapper that leaves observations as they are.
    """
    path = statistics_path(model)
    _write(path, inputs_of(normalize)._asdict())
    return path


def inputs_of(normalize: Any) -> Inputs:
    """What a `VecNormalize` makes of a 0 and of a 1 of each input. `folded` puts it into an actor that is exported.

    Raises:
        ConfigError: something else, or a wrapper that leaves observations as they are.
    """
    from stable_baselines3.common.vec_env import VecNormalize

    if not isinstance(normalize, VecNormalize) or not normalize.norm_obs:
        got = "norm_obs=False" if isinstance(normalize, VecNormalize) else type(normalize).__name__
        raise ConfigError(f"statistics: expected a VecNormalize that normalises observations, got {got}")
    size = normalize.observation_space.shape or ()
    zero, one = (np.asarray(normalize.normalize_obs(np.full(size, value, np.float32)), np.float32) for value in (0, 1))
    return Inputs(zero, one)


def export_actor(actor: Actor, path: Path) -> None:
    """Write weights in single precision, with the activation."""
    arrays: dict[str, Any] = {
        "action": actor.action,
        "action_bias": actor.action_bias,
        "activation": np.array(actor.activation),
    }
    for n, (weight, bias) in enumerate(actor.layers, start=1):
        arrays |= {f"layer{n}": weight, f"layer{n}_bias": bias}
    _write(path, arrays)


def export(
    network: Network | CriticNetwork,
    path: Path,
    ruleset: RuleSet | None = None,
    opinion: Weights | None = None,
    *,
    fitted: bool = False,
) -> None:
    """Write weights in half precision, the players compute in single.

    With a ruleset the file names the rules, their patterns, and the heuristic whose opinion the network sees: `opinion`, by
    default the first weights, as for `PlayedGames`. Of a critic that was fitted to what a search asks, the file says so.
    """
    arrays = {name: array.astype(np.float16) for name, array in network._asdict().items()}
    if fitted:
        arrays[FITTED] = np.array(True)
    if ruleset is not None:
        arrays[PATTERNS] = np.array([rule.pattern.name for rule in ruleset.patterns])
        arrays |= rules_array(ruleset)
        arrays[HEURISTIC] = np.array(json.dumps((opinion or first_weights_of(ruleset)).as_json()))
    _write(path, arrays)


def _write(path: Path, arrays: Mapping[str, Any]) -> None:
    with replacing(path) as new, new.open("wb") as file:
        np.savez_compressed(file, **arrays)
