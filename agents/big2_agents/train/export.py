"""Trained networks as the `.npz` files that play without torch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from big2_agents.formula import Weights, first_weights_of
from big2_agents.learned.critic import CriticNetwork
from big2_agents.learned.network import Network
from big2_agents.learned.ppo import PpoNetwork
from big2_agents.learned.trained_for import rules_array
from big2_agents.learned.weights import HEURISTIC, PATTERNS
from big2_agents.train.network import Critic, Policy
from big2_env.climbing.ruleset import RuleSet
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


def to_ppo_network(policy: Any) -> PpoNetwork:
    """The actor of a policy of MaskablePPO, one that sees flat observations and has ReLU layers, as arrays for play."""
    layers = [module for module in policy.mlp_extractor.policy_net if isinstance(module, torch.nn.Linear)]
    pairs = [(each.weight.detach().cpu().numpy(), each.bias.detach().cpu().numpy()) for each in (*layers, policy.action_net)]
    *inner, action = [(weight.astype(np.float32), bias.astype(np.float32)) for weight, bias in pairs]
    return PpoNetwork(tuple((np.ascontiguousarray(weight.T), bias) for weight, bias in inner), *action)


def export_ppo(network: PpoNetwork, path: Path) -> None:
    """Write weights in single precision."""
    arrays: dict[str, Any] = {"action": network.action, "action_bias": network.action_bias}
    for n, (weight, bias) in enumerate(network.layers, start=1):
        arrays |= {f"layer{n}": weight, f"layer{n}_bias": bias}
    _write(path, arrays)


def export(
    network: Network | CriticNetwork, path: Path, ruleset: RuleSet | None = None, opinion: Weights | None = None
) -> None:
    """Write weights in half precision, the players compute in single.

    With a ruleset the file names the rules, their patterns, and the heuristic whose opinion the network sees: `opinion`, by
    default the first weights, as for `PlayedGames`.
    """
    arrays = {name: array.astype(np.float16) for name, array in network._asdict().items()}
    if ruleset is not None:
        arrays[PATTERNS] = np.array([rule.pattern.name for rule in ruleset.patterns])
        arrays |= rules_array(ruleset)
        arrays[HEURISTIC] = np.array(json.dumps((opinion or first_weights_of(ruleset)).as_json()))
    _write(path, arrays)


def _write(path: Path, arrays: Mapping[str, Any]) -> None:
    with replacing(path) as new, new.open("wb") as file:
        np.savez_compressed(file, **arrays)
