"""Candidate PPO learns mini games: two seats, small hands, and exact measures."""

from __future__ import annotations

from pathlib import Path

import pyspiel
import pytest
from open_spiel.python.policy import tabular_policy_from_callable
from run_cli import run_cli

from big2_env.envs import openspiel

TINY = ("--minutes", "0", "--games", "16", "--width", "16", "--evaluation-deals", "2", "--evaluate-every", "0")


def test_candidate_ppo__trains_for_mini6_and_its_policy_can_be_measured(tmp_path: Path) -> None:
    status, _, err = run_cli("train", "candidate-ppo", "--ruleset", "mini6", "--no-bfloat16", *TINY, "--out", str(tmp_path))
    assert status == 0, err
    game = openspiel.load_game("mini6")
    policy = openspiel.AgentPolicy(game, f"learned:{tmp_path / 'mini6.npz'}", stochastic=True)
    found = tabular_policy_from_callable(game, policy)
    assert 0 <= pyspiel.exploitability(game, found.to_dict()) < 0.6
    assert found.action_probability_array.sum(axis=1) == pytest.approx(1, abs=1e-6)
