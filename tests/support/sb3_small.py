"""Small models of Stable-Baselines3, for tests that train one."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from big2_env.envs.sb3 import LegalPolicy, SelfPlayPPO

torch.set_num_threads(1)
QUIET = pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")
"""For tests that learn: torch warns about itself."""


def small(venv: Any, kind: Any = SelfPlayPPO, **how: Any) -> Any:
    """An untrained model over a vector environment."""
    settings: dict[str, Any] = {"n_steps": 64, "batch_size": 256, "n_epochs": 4, "learning_rate": 1e-3, "gamma": 1.0}
    settings |= {"policy": LegalPolicy, "policy_kwargs": {"net_arch": [64]}, "seed": 1, "device": "cpu"}
    return kind(env=venv, **(settings | how))
