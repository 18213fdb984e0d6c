"""Conversion of trained networks to `.npz` files, which play without torch, and back to torch for training and opponents."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from big2_agents.kernels.feature_layout import check_features
from big2_agents.kernels.features import sizes_of
from big2_agents.learned.actor import ACTIVATIONS, Actor, Inputs, actor_of_state, statistics_path
from big2_agents.learned.plain_learned import HEURISTIC
from big2_agents.learned.sb3_zip import POLICIES
from big2_agents.learned.weights import (
    PATTERNS,
    CriticNetwork,
    Network,
    TrainingRules,
    load_critic,
    load_network,
    rules_array,
)
from big2_agents.models import critic_beside, shipped_weights
from big2_agents.models.formula import first_weights_of
from big2_agents.train.loop import payoff_scale
from big2_agents.train.network import NUM_RULE_PLAYERS, Critic, Policy
from big2_env.base.errors import ConfigError
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.runs.atomic_files import replace_file

SHIPPED: Final = "shipped"
"""Name of the weights shipped for a ruleset; `shipped:NAME` names another ruleset with the same cards."""


def to_network(policy: Policy) -> Network:
    """Return the weights of a torch policy as arrays for play."""
    arrays = {}
    for name, value in policy.state_dict().items():
        layer, kind = name.split(".")
        array = value.float().cpu().numpy()
        arrays[layer if kind == "weight" else f"{layer}_bias"] = array.T if array.ndim == 2 else array
    arrays["head2"] = arrays["head2"][:, 0]
    return Network(**{name: np.ascontiguousarray(array, np.float32) for name, array in arrays.items()})


def to_critic(critic: Critic, scale: float) -> CriticNetwork:
    """Return the weights of a torch critic as arrays of a file, without its inputs for other players.

    Args:
        critic: The critic.
        scale: Payoff per unit of its output.
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
    """Return the actor of a PPO or MaskablePPO policy as arrays for play.

    Raises:
        ConfigError: The actions of the policy cannot be reproduced; the message names the part.
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
    """Write the statistics of a `VecNormalize` into the folder of a model, so that `sb3:` agents can play it.

    Args:
        normalize: The wrapper, such as `model.get_vec_normalize_env()`.
        model: Path of the zip file written by `model.save`.

    Returns:
        Path of the statistics file.

    Raises:
        ConfigError: `normalize` is not a `VecNormalize`, or does not normalize observations.
    """
    path = statistics_path(model)
    _write(path, inputs_of(normalize)._asdict())
    return path


def inputs_of(normalize: Any) -> Inputs:
    """Return the values that a `VecNormalize` gives to a 0 and a 1 of each input; `folded` puts them into an exported actor.

    Raises:
        ConfigError: `normalize` is not a `VecNormalize`, or does not normalize observations.
    """
    from stable_baselines3.common.vec_env import VecNormalize

    if not isinstance(normalize, VecNormalize) or not normalize.norm_obs:
        got = "norm_obs=False" if isinstance(normalize, VecNormalize) else type(normalize).__name__
        raise ConfigError(f"statistics: expected a VecNormalize that normalises observations, got {got}")
    size = normalize.observation_space.shape or ()
    zero, one = (np.asarray(normalize.normalize_obs(np.full(size, value, np.float32)), np.float32) for value in (0, 1))
    return Inputs(zero, one)


def export_actor(actor: Actor, path: Path, ruleset: RuleSet | None = None) -> None:
    """Write an actor in single precision, with its activation.

    Args:
        actor: The network.
        path: The file.
        ruleset: Rules that it was trained for, including their scoring; `None` if unknown.
    """
    arrays: dict[str, Any] = {
        "action": actor.action,
        "action_bias": actor.action_bias,
        "activation": np.array(actor.activation),
    }
    for n, (weight, bias) in enumerate(actor.layers, start=1):
        arrays |= {f"layer{n}": weight, f"layer{n}_bias": bias}
    if ruleset is not None:
        arrays |= rules_array(ruleset)
    _write(path, arrays)


def export(network: Network | CriticNetwork, path: Path, ruleset: RuleSet | None = None) -> None:
    """Write weights in half precision; players compute in single precision.

    The choice of the heuristic with its first weights is a feature of the policy, as in `PlayedGames`.

    Args:
        network: A policy or a critic.
        path: The file.
        ruleset: Rules that the policy was trained for; `None` for a critic.
    """
    arrays = {name: array.astype(np.float16) for name, array in network._asdict().items()}
    if ruleset is not None:
        arrays[PATTERNS] = np.array([rule.pattern.name for rule in ruleset.usual_patterns])
        arrays |= rules_array(ruleset)
        arrays[HEURISTIC] = np.array(json.dumps(first_weights_of(ruleset).as_json()))
    _write(path, arrays)


def _write(path: Path, arrays: Mapping[str, Any]) -> None:
    with replace_file(path) as new, new.open("wb") as file:
        np.savez_compressed(file, **arrays)


def shipped_path(name: str, rules: RuleSet) -> str:
    """Return the path of weights given by path, as `shipped`, or as `shipped:NAME` (with `,any` appended).

    Raises:
        ConfigError: The ruleset is unknown, or no weights are shipped for it.
    """
    kind, colon, other = name.partition(":")
    if kind != SHIPPED:
        return name
    return f"{shipped_weights(ruleset_named(other))},any" if colon else str(shipped_weights(rules))


def load_policy(weights: str, rules: RuleSet) -> Policy:
    """Return the torch policy of a weights file, for games of a ruleset.

    Args:
        weights: Path of the file; append `,any` to allow weights of other rules.
        rules: Rules of the games.

    Raises:
        ConfigError: The file has no weights, or weights for other rules.
    """
    trained_for = TrainingRules(weights)
    trained_for.check(rules)
    if not trained_for.is_same(rules):
        warnings.warn(f"weights {trained_for.path}: trained for {trained_for.name}, they play {rules.name}", stacklevel=2)
    net = load_network(trained_for.path)
    check_features(trained_for.path, net.sizes, rules, rules.default_players)
    widths = [bias.size for bias in (net.trunk1_bias, net.state_bias, net.deep_bias, net.head1_bias)]
    policy = Policy(*widths, sizes=sizes_of(rules))
    state = {}
    for name, array in net._asdict().items():
        layer, kind = (name.removesuffix("_bias"), "bias") if name.endswith("_bias") else (name, "weight")
        state[f"{layer}.{kind}"] = torch.from_numpy(array[None] if name == "head2" else array.T.copy())
    policy.load_state_dict(state)
    return policy


def load_networks(weights: str, rules: RuleSet, players: int = NUM_RULE_PLAYERS) -> tuple[Policy, Critic, float]:
    """Return a policy, the critic in the same folder, and the payoff per unit of the critic's output.

    The critic's weights for other players, which the file lacks, are 0. Without a file, the critic is new.

    Args:
        weights: Path of the policy, as for `load_policy`.
        rules: Rules of the games.
        players: Number of players that the critic distinguishes.

    Raises:
        ConfigError: As `load_policy`, or the critic has other sizes.
    """
    policy, sizes = load_policy(weights, rules), sizes_of(rules)
    path = critic_beside(Path(weights.removesuffix(",any")))
    if not path.exists():
        width = policy.trunk1.out_features
        return policy, Critic(width, sizes=sizes, players=players), payoff_scale(rules)
    net = load_critic(path)
    critic = Critic(net.layer1_bias.size, sizes=sizes, players=players)
    layers = [module for module in critic.net if isinstance(module, torch.nn.Linear)]
    arrays = [net.layer1, net.layer2, net.layer3, net.layer4[:, None]]
    biases = [net.layer1_bias, net.layer2_bias, net.layer3_bias, net.layer4_bias]
    known = sizes.state + sizes.hidden
    expected = [(known, layers[0].out_features), *((layer.in_features, layer.out_features) for layer in layers[1:])]
    if [array.shape for array in arrays] != expected:
        raise ConfigError(f"critic {path}: expected layers {expected}, got {[array.shape for array in arrays]}")
    with torch.no_grad():
        for layer, array, bias in zip(layers, arrays, biases, strict=True):
            layer.weight.zero_()[:, : len(array)] = torch.from_numpy(array.T.copy())
            layer.bias[:] = torch.from_numpy(bias.copy())
    return policy, critic, float(net.scale[0])


def load_league(text: str, rules: RuleSet) -> list[Policy]:
    """Return the policies of comma-separated names of weights; `,any` belongs to the name before it.

    Args:
        text: Names as for `shipped_path`.
        rules: Rules of the games.

    Raises:
        ConfigError: As `load_policy` and `shipped_path`.
    """
    paths: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        if part == "any" and paths:
            paths[-1] += ",any"
        else:
            paths.append(part)
    return [load_policy(shipped_path(path, rules), rules).requires_grad_(False) for path in paths]
