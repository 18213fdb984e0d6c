"""Learning on another device than the processor: one that keeps shapes and no values stands for it, so no GPU is needed."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
import torch
from run_cli import run_cli

from big2_agents.kernels.codes import GREEDY
from big2_agents.train import candidate_ppo
from big2_agents.train.candidate_ppo import Learner, RoundPlayer
from big2_agents.train.export import to_critic, to_network
from big2_agents.train.hyper_parameters import CandidatePpoParameters, Device
from big2_agents.train.loop import read_checkpoint
from big2_agents.train.network import Net, torch_device
from big2_agents.train.rollouts import Rollout
from big2_agents.train.self_play import Round
from big2_env.base.errors import ConfigError


@pytest.mark.parametrize("has_gpu", [False, True])
def test_torch_device__is_a_gpu_only_where_there_is_one(has_gpu: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: has_gpu)
    assert torch_device("auto").type == ("cuda" if has_gpu else "cpu")
    assert torch_device("cpu").type == "cpu"
    if has_gpu:
        assert torch_device("cuda").type == "cuda"
    else:
        with pytest.raises(ConfigError, match=r"expected device auto or cpu, got 'cuda'$"):
            torch_device("cuda")
    with pytest.raises(ConfigError, match=rf"^expected device auto or cpu{' or cuda' * has_gpu}, got 'tpu'$"):
        torch_device("tpu")
    assert set(Device) == {"auto", "cpu", "cuda"}


def test_train__says_that_there_is_no_gpu(tmp_path: Path) -> None:
    if torch.cuda.is_available():
        assert run_cli("train", "candidate-ppo", "--minutes", "0", "--device", "cuda", "--out", str(tmp_path)).status == 0
        return
    done = run_cli("train", "candidate-ppo", "--minutes", "0", "--device", "cuda", "--out", str(tmp_path))
    assert done.status != 0
    assert "expected device auto or cpu, got 'cuda'" in done.err
    assert len(done.err.strip().splitlines()) == 1


@pytest.mark.filterwarnings("ignore:.*copying from a non-meta parameter:UserWarning")
def test_iterate__keeps_networks_and_what_they_compute_on_their_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch refuses to mix tensors of two devices; numbers come back as zeros."""
    monkeypatch.setattr(candidate_ppo, "torch_device", lambda name: torch.device("meta"))
    monkeypatch.setattr(torch, "is_autocast_enabled", lambda device: False)
    monkeypatch.setattr(Net, "precision", lambda self, bfloat16: nullcontext())
    monkeypatch.setattr(torch.Tensor, "cpu", lambda self: torch.zeros(self.shape, dtype=self.dtype))
    item = torch.Tensor.item
    monkeypatch.setattr(torch.Tensor, "item", lambda self: 0.0 if self.is_meta else item(self))
    learner = Learner(CandidatePpoParameters(ruleset="hong_kong", games=24, width=16, minibatch=32, evaluation_deals=2))
    assert learner.policy.device.type == learner.critic.device.type == "meta"
    warm_up = CandidatePpoParameters.warm_up
    for iteration in (0, warm_up, warm_up + 1):  # the critic alone; the policy; both beside an earlier self
        learner.iteration = iteration
        assert learner.iterate()["choices_per_second"] > 0
    assert learner.past
    worker = RoundPlayer(learner.rules, learner.networks.on_processor(), {}, learner.scale, learner.args)
    found = worker.play(Round(learner.args, (GREEDY,), np.random.default_rng(1), None))
    assert found[0].features.device.type == "cpu"
    learner.rollouts = lambda: Rollout(found, 1)  # of a worker
    assert learner.iterate()["staleness"] == 1
    assert set(learner.evaluate()) >= {"wins_random", "payoff_greedy", "error_heuristic"}
    assert to_network(learner.policy).trunk1.shape[1] == 16
    assert to_critic(learner.critic, 1.0).layer1.shape[1] == 16


def test_load__takes_a_checkpoint_to_the_processor(tmp_path: Path) -> None:
    args = CandidatePpoParameters(games=8, width=16, out=tmp_path, device="auto")
    Learner(args).save()
    with read_checkpoint(tmp_path / "checkpoint.pt") as state:
        assert {value.device.type for value in state["policy"].values()} == {"cpu"}
    args.device = "cpu"
    learner = Learner(args)
    assert learner.load()
    assert np.isfinite(learner.policy.head1.weight.detach().numpy()).all()
