"""Weights of learned players for tests: random ones, which make what they can of all features."""

from __future__ import annotations

from pathlib import Path

import torch

from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.train.export import export, to_network
from big2_agents.train.network import Policy
from big2_env import RuleSet


def random_weights(rules: RuleSet, path: Path) -> Path:
    """Write the weights of a small network for a ruleset's default number of seats to a file, and name it."""
    torch.manual_seed(3)
    policy = Policy(24, 16, 12, 8, sizes=PlayedGames(rules, 1).sizes)
    torch.nn.init.normal_(policy.head2.weight)
    export(to_network(policy), path, rules)
    return path
