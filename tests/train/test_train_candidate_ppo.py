"""Candidate PPO: what a step learns from, a run after a kill."""

from __future__ import annotations

import copy
import csv
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from run_cli import run_cli

from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.learned.agent import LearnedAgent
from big2_agents.learned.search import LearnedSearchAgent
from big2_agents.learned.weights import load_critic
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.network import Critic, Networks, PlayCritic, Policy, log_probs, log_softmax, scores
from big2_agents.train.self_play import Batch, Round, collect, opponent_codes
from big2_agents.train.updates import Optimizers, adam, gradient_lengths, minibatches, reweighted, update, useful_choices
from big2_env import BIG2, Game
from big2_env.climbing.rulesets import HONG_KONG

TINY = ("--games", "16", "--width", "16", "--evaluation-deals", "2", "--evaluate-every", "0")


def test_minibatches__take_every_row_once_but_a_short_end() -> None:
    parts = list(minibatches(23, 10, np.random.default_rng(1)))
    assert [len(part) for part in parts] == [10, 10]
    assert len(np.unique(np.concatenate(parts))) == 20
    assert [len(part) for part in minibatches(26, 10, np.random.default_rng(1))] == [10, 10, 6]
    assert [len(part) for part in minibatches(3, 10, np.random.default_rng(1))] == [3]
    assert not list(minibatches(0, 10, np.random.default_rng(1)))


def test_useful_choices__leaves_out_what_hardly_counts_and_weighs_the_rest_as_if_it_were_all() -> None:
    rng = np.random.default_rng(1)
    lengths = np.where(rng.random(20000) < 0.5, rng.uniform(0, 0.01, 20000), rng.exponential(1.0, 20000))
    for noise in (0.05, 0.2):
        rows, weight = useful_choices(lengths, noise, rng)
        assert len(np.unique(rows)) == len(rows)
        assert weight.min() == 1
        assert weight.sum() == pytest.approx(len(lengths), rel=0.03)
        assert (weight * lengths[rows]).sum() == pytest.approx(lengths.sum(), rel=0.03)
        added = ((weight - 1) * lengths[rows] ** 2 * weight).sum() / (lengths**2).sum()
        assert 0.2 * noise < added < 1.1 * noise
    assert len(rows) < 0.4 * len(lengths)
    assert (lengths[rows] < 0.01).sum() < 0.2 * len(rows)


def test_useful_choices__without_noise_keeps_all() -> None:
    for lengths in (np.arange(50.0), np.zeros(50)):
        rows, weight = useful_choices(lengths, 0.0, np.random.default_rng(1))
        assert rows.tolist() == list(range(50))
        assert weight == pytest.approx(1)


def test_gradient_lengths__are_those_of_the_loss() -> None:
    networks, _ = new_networks()
    batch = batch_of(networks, 3)
    torch.nn.init.normal_(networks.policy.head2.weight, std=5.0)
    batch = reweighted(batch, networks.policy, 4096)
    score, owner = scores(networks.policy, batch.features)
    score = score.detach().requires_grad_()
    log_prob = log_softmax(score, owner, len(batch.chosen))
    entropy = -(log_prob.exp() * log_prob).sum()
    ((log_prob * torch.from_numpy(batch.gain)).sum() + 0.3 * entropy).backward()
    assert score.grad is not None
    lengths = torch.zeros(len(batch.chosen)).index_add(0, owner, score.grad**2).sqrt()
    found = gradient_lengths(batch.features.offsets.numpy(), batch.log_prob, batch.gain, 0.3)
    np.testing.assert_allclose(found, lengths.numpy(), rtol=1e-3, atol=1e-5)


def new_networks() -> tuple[Networks, Optimizers]:
    """Small networks with their optimizers."""
    torch.manual_seed(0)
    sizes = 32, 24, 16, 12
    networks = Networks(Policy(*sizes), Critic(32), PlayCritic(*sizes))
    return networks, Optimizers(*(adam(part, 3e-3) for part in ([networks.policy, networks.critic], [networks.play_critic])))


def batch_of(networks: Networks, seed: int) -> Batch:
    games = PlayedGames(HONG_KONG, 64)
    args = CandidatePpoParameters(opponent_share=0.5, gae_lambda=1.0, win_bonus=0.0)
    return collect(games, networks, Round(args, opponent_codes(args.opponents), np.random.default_rng(seed)), 10.0)


def learn_from(batch: Batch, networks: Networks, optimizers: Optimizers, seed: int, ent_coef: float = 0.0) -> dict[str, float]:
    args = CandidatePpoParameters(minibatch=128)
    return update(batch, networks, optimizers, np.random.default_rng(seed), args, ent_coef)


def test_update__makes_rewarded_plays_likelier_and_brings_the_critic_to_its_targets() -> None:
    networks, optimizers = new_networks()
    policy = networks.policy
    batch = batch_of(networks, 3)
    is_pass = batch.features.plays.numpy()[batch.features.places(batch.chosen), 0] == 1
    batch.gain = np.zeros(len(batch.log_prob), np.float32)
    batch.gain[batch.features.places(batch.chosen)] = np.where(is_pass, 1.0, -1.0)
    batch.target = np.full(len(batch.chosen), 0.7, np.float32)
    passes = batch.features.plays[:, 0] == 1
    with torch.no_grad():
        before = float(log_probs(policy, batch.features).exp()[passes].mean())
    found = [learn_from(batch, networks, optimizers, i) for i in range(3)]
    with torch.no_grad():
        after = float(log_probs(policy, batch.features).exp()[passes].mean())
    assert after > before + 0.1
    assert found[-1]["value_loss"] < 0.1 < found[0]["value_loss"]
    assert 0 < found[-1]["taught"] <= 1


def test_update__makes_a_play_likelier_that_was_looked_at_and_not_made() -> None:
    networks, optimizers = new_networks()
    policy = networks.policy
    batch = batch_of(networks, 5)
    is_pass = batch.features.plays.numpy()[:, 0] == 1
    is_pass[batch.features.places(batch.chosen)] = False
    batch.gain = is_pass.astype(np.float32)
    learn_from(batch, networks, optimizers, 0)
    with torch.no_grad():
        now = log_probs(policy, batch.features).numpy()
    assert (np.exp(now) - np.exp(batch.log_prob))[is_pass].mean() > 0.05


def test_update__during_the_warm_up_trains_the_critics_alone() -> None:
    networks, optimizers = new_networks()
    batch, args = batch_of(networks, 6), CandidatePpoParameters(minibatch=128)
    before = {name: copy.deepcopy(network.state_dict()) for name, network in networks.by_name.items()}
    found = update(batch, networks, optimizers, np.random.default_rng(0), args, 0.0, trains_policy=False)
    is_same = {
        name: all(torch.equal(value, before[name][key]) for key, value in network.state_dict().items())
        for name, network in networks.by_name.items()
    }
    assert is_same == {"policy": True, "critic": False, "play_critic": False}
    assert found["kl"] == 0 < found["value_loss"]


def test_update__brings_the_critic_of_plays_to_what_the_critic_of_positions_leaves() -> None:
    networks, optimizers = new_networks()
    batch = batch_of(networks, 9)
    is_pass = batch.features.plays.numpy()[batch.features.places(batch.chosen), 0] == 1
    batch.target = np.where(is_pass, 1.0, -1.0).astype(np.float32)
    for i in range(12):
        learn_from(batch, networks, optimizers, i)
    with torch.no_grad():
        every = np.ones(len(batch.features.plays), bool)
        values = networks.play_values(batch.features, every).numpy()[batch.features.places(batch.chosen)]
    assert np.mean((values - batch.target) ** 2) < 0.2
    assert 0.1 < is_pass.mean() < 0.9


def test_update__keeps_the_level_of_the_scores_near_nothing() -> None:
    networks, optimizers = new_networks()
    policy = networks.policy
    torch.nn.init.constant_(policy.head2.bias, -9.0)
    batch = batch_of(networks, 7)
    batch.gain[:] = 0
    for i in range(4):
        learn_from(batch, networks, optimizers, i)
    with torch.no_grad():
        assert scores(policy, batch.features)[0].mean().abs() < 4.5
        assert np.abs(log_probs(policy, batch.features).numpy() - batch.log_prob).mean() < 0.2


def test_update__with_nothing_but_the_bonus_for_entropy_flattens_the_policy() -> None:
    networks, optimizers = new_networks()
    policy = networks.policy
    torch.nn.init.normal_(policy.head2.weight, std=20.0)
    batch = batch_of(networks, 4)
    batch.gain[:] = 0
    found = [learn_from(batch, networks, optimizers, i, 1.0) for i in range(2)]
    assert found[1]["entropy"] > found[0]["entropy"] + 0.05


def test_renewed__has_the_policy_s_own_probabilities_and_weighs_gains_by_them() -> None:
    networks, _ = new_networks()
    policy = networks.policy
    batch = batch_of(networks, 8)
    same = reweighted(batch, policy, 100)  # in parts
    np.testing.assert_allclose(same.log_prob, batch.log_prob, atol=1e-4)
    np.testing.assert_allclose(same.gain, batch.gain, rtol=1e-3, atol=1e-6)
    torch.nn.init.normal_(policy.head2.weight, std=20.0)
    other = reweighted(batch, policy, 2048)
    with torch.no_grad():
        np.testing.assert_allclose(other.log_prob, log_probs(policy, batch.features).numpy(), atol=1e-4)
    weight = np.minimum(np.exp(other.log_prob - batch.log_prob), 2)
    assert weight.min() < 0.1
    assert weight.max() == 2
    np.testing.assert_allclose(other.gain, batch.gain * weight, rtol=1e-4, atol=1e-6)
    assert other.target is batch.target


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


@pytest.mark.long
def test_train__goes_on_after_an_interrupt_and_exports(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "big2_env", "train", "candidate-ppo", "--out", str(tmp_path), *TINY]
    with subprocess.Popen([*command, "--minutes", "60"], stderr=subprocess.PIPE, text=True) as run:
        until = time.monotonic() + 240
        while not (tmp_path / "checkpoint.pt").exists() and time.monotonic() < until and run.poll() is None:
            time.sleep(0.1)
        run.send_signal(signal.SIGINT)
        assert "run the same command to continue" in run.communicate(timeout=120)[1]
    assert run.returncode == 130
    before = rows_of(tmp_path / "progress.csv")
    assert before
    with (tmp_path / "progress.csv").open("a") as file:  # an iteration that a kill took from the checkpoint
        file.write(",".join(["9999", *["0"] * (len(before[0]) - 1)]) + "\n")
    minutes = float(before[-1]["minutes"]) + 0.01
    status, out, err = run_cli("train", "candidate-ppo", "--out", str(tmp_path), *TINY, "--minutes", str(minutes))
    assert (status, "decisions" in out) == (0, True), err
    after = rows_of(tmp_path / "progress.csv")
    assert after[: len(before)] == before
    assert [int(row["iteration"]) for row in after] == list(range(1, len(after) + 1))
    assert len(after) > len(before)
    assert float(rows_of(tmp_path / "curve.csv")[-1]["wins_random"]) >= 0
    assert load_critic(tmp_path / "big2_critic.npz").scale[0] >= 1
    game = Game.deal(BIG2, 0)
    for name in ("learned", "learned-search"):
        agent = (
            LearnedAgent(tmp_path / "big2.npz") if name == "learned" else LearnedSearchAgent(9, weights=tmp_path / "big2.npz")
        )
        assert agent.act(game.view(), game.legal_plays()) in game.legal_plays()
    assert (
        "made with seed 1, but this run has 9"
        in run_cli("train", "candidate-ppo", "--out", str(tmp_path), *TINY, "--seed", "9").err
    )
    (tmp_path / "checkpoint.pt").write_text("rubbish")
    status, _, err = run_cli("train", "candidate-ppo", "--out", str(tmp_path), *TINY)
    assert (status, err.count("\n")) == (2, 1)
    assert "checkpoint.pt: no checkpoint of this run" in err


def test_train__without_torch_names_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    status, _, err = run_cli("train", "candidate-ppo", "--out", str(tmp_path / "run"))
    assert status == 2
    assert "pip install 'big2_env[sb3]'" in err
    assert not (tmp_path / "run").exists()
