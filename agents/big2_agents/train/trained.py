"""Trained players as torch networks again: to go on from, or as opponents that stay as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import torch

from big2_agents.kernels.features import feature_record, sizes_of
from big2_agents.learned.weights import TrainedFor, check_features, load_critic, load_network
from big2_agents.models import critic_beside, shipped_weights
from big2_agents.train.network import Critic, Policy
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset
from big2_env.errors import ConfigError

SHIPPED: Final = "shipped"
"""Stands for the weights that are shipped for a ruleset; `shipped:NAME` for those of another one with the same cards."""


def shipped_path(name: str, rules: RuleSet) -> str:
    """The path itself, or that of the weights that `SHIPPED` stands for, those of another ruleset with `,any` behind it.

    Raises:
        ConfigError: no such ruleset; none are shipped for it.
    """
    kind, colon, other = name.partition(":")
    if kind != SHIPPED:
        return name
    return f"{shipped_weights(ruleset(other))},any" if colon else str(shipped_weights(rules))


def trained_policy(weights: str, rules: RuleSet) -> Policy:
    """The torch policy of a file, for games of a ruleset.

    Raises:
        ConfigError: a file that is none, or one for other rules and no `,any` behind it.
    """
    trained_for = TrainedFor(weights)
    trained_for.check(rules)
    net = load_network(trained_for.path)
    check_features(trained_for.path, net, feature_record(rules), rules, rules.default_players)
    widths = [bias.size for bias in (net.trunk1_bias, net.state_bias, net.deep_bias, net.head1_bias)]
    policy = Policy(*widths, sizes=sizes_of(rules))
    state = {}
    for name, array in net._asdict().items():
        layer, kind = (name.removesuffix("_bias"), "bias") if name.endswith("_bias") else (name, "weight")
        state[f"{layer}.{kind}"] = torch.from_numpy(array[None] if name == "head2" else array.T.copy())
    policy.load_state_dict(state)
    return policy


def begun_from(weights: str, rules: RuleSet) -> tuple[Policy, Critic, float]:
    """The policy of a file and the critic beside it, which knows nothing of rule players yet, and what its unit is worth.

    Raises:
        ConfigError: as `trained_policy`; a critic that does not go with it.
    """
    policy, sizes = trained_policy(weights, rules), sizes_of(rules)
    path = critic_beside(Path(weights.removesuffix(",any")))
    net = load_critic(path)
    critic = Critic(net.layer1_bias.size, sizes=sizes)
    layers = [module for module in critic.net if isinstance(module, torch.nn.Linear)]
    arrays = [net.layer1, net.layer2, net.layer3, net.layer4[:, None]]
    biases = [net.layer1_bias, net.layer2_bias, net.layer3_bias, net.layer4_bias]
    known = sizes.state + sizes.hidden
    expected = [(known, layers[0].out_features), *((layer.in_features, layer.out_features) for layer in layers[1:])]
    if [array.shape for array in arrays] != expected:
        raise ConfigError(f"critic {path}: expected layers {expected}, got {[array.shape for array in arrays]}")
    with torch.no_grad():
        for i, (layer, array, bias) in enumerate(zip(layers, arrays, biases, strict=True)):
            if i == 0:
                layer.weight.zero_()
                layer.weight[:, :known] = torch.from_numpy(array.T.copy())
            else:
                layer.weight[:] = torch.from_numpy(array.T.copy())
            layer.bias[:] = torch.from_numpy(bias.copy())
    return policy, critic, float(net.scale[0])


def league_of(text: str, rules: RuleSet) -> list[Policy]:
    """The players that paths with commas between them name; a path keeps the `,any` behind it.

    Raises:
        ConfigError: as `trained_policy`.
    """
    paths: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        if part == "any" and paths:
            paths[-1] += ",any"
        else:
            paths.append(part)
    return [trained_policy(shipped_path(path, rules), rules).requires_grad_(False) for path in paths]
