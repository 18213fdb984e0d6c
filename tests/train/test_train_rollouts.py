"""Rollout workers: what is learned depends on the staleness alone, not on who plays the games."""

from __future__ import annotations

import csv
import os
import signal
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from run_cli import run_cli
from worker_here import STALENESS, ExecutorHere

from big2_agents.train.candidate_ppo import Learner, train
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.loop import Callbacks
from big2_agents.train.self_play import Round, collect
from big2_agents.train.updates import update
from big2_env.base.errors import ConfigError
from big2_env.runs.executors import Executor, Local


def trained(
    out: Path, executor: Executor | None, monkeypatch: pytest.MonkeyPatch, *, kill_at: int = -1, **given: Any
) -> tuple[dict[str, torch.Tensor], list[int]]:
    """The weights after five rounds without a clock, and how stale each round was."""
    monkeypatch.setattr(Learner, "phase_progress", lambda _: 0.0)
    args = CandidatePpoParameters(
        games=16, width=8, evaluation_deals=1, warm_up=1, snapshot_every=2, evaluate_every=0.0, bfloat16=True, out=out, **given
    )
    seen: list[int] = []

    def report(learner: Learner, _: dict[str, float]) -> None:
        seen.append(learner.staleness)
        if len(seen) == kill_at:
            os.kill(active_children()[0].pid or 0, signal.SIGKILL)

    learner = train(args, Callbacks(report, lambda: len(seen) == 5), executor)
    for name, begin in (("progress.csv", []), ("curve.csv", [0])):
        with (out / name).open() as file:
            assert [int(row["staleness"]) for row in csv.DictReader(file)] == begin + seen
    weights = {
        f"{name}.{key}": value for name, part in learner.networks.by_name.items() for key, value in part.state_dict().items()
    }
    return weights, seen


def are_equal(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(value, other[name]) for name, value in one.items())


def test_iterate__without_workers_is_a_round_by_the_networks_as_they_are_and_its_updates(tmp_path: Path) -> None:
    args = CandidatePpoParameters(games=16, width=8, warm_up=0, pool_size=0, out=tmp_path)
    one, other = Learner(args), Learner(args)
    one.iterate()
    rng = np.random.default_rng([args.seed, 0])
    with other.policy.precision(args.bfloat16):
        batch = collect(other.games, other.networks, Round(args, other.opponents, rng), other.scale)
        update(batch, other.networks, other.optimizers, rng, args, args.ent_coef)
    assert are_equal(one.policy.state_dict(), other.policy.state_dict())
    assert are_equal(one.critic.state_dict(), other.critic.state_dict())


def test_train__a_worker_that_is_not_ahead_plays_what_the_learner_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, seen = trained(tmp_path / "own", None, monkeypatch)
    worker, fresh = trained(tmp_path / "worker", ExecutorHere(), monkeypatch, staleness=0)
    stale, ahead = trained(tmp_path / "ahead", ExecutorHere(), monkeypatch, staleness=2)
    assert are_equal(own, worker)
    assert not are_equal(own, stale)
    assert (seen, fresh, ahead) == ([0] * 5, [0] * 5, [0, 1, 2, 2, 2])
    assert trained(tmp_path / "default", ExecutorHere(), monkeypatch)[1] == [0, 1, 1, 1, 1]


@pytest.mark.parametrize(("staleness", "expected"), STALENESS)
def test_train__two_workers_of_which_one_is_killed_give_what_one_does(
    staleness: int, expected: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, seen = trained(tmp_path / "one", ExecutorHere() if staleness else None, monkeypatch, staleness=staleness)
    two, stale = trained(tmp_path / "two", Local(2), monkeypatch, kill_at=2, staleness=staleness)
    assert stale == seen == expected
    assert are_equal(one, two)
    assert not active_children()


def test_train__goes_on_from_a_checkpoint_with_workers_that_begin_afresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained(tmp_path, ExecutorHere(), monkeypatch, staleness=2)
    args = CandidatePpoParameters(games=16, width=8, evaluation_deals=1, evaluate_every=99, out=tmp_path, staleness=2)
    seen: list[tuple[int, int]] = []
    callbacks = Callbacks(lambda at, _: seen.append((at.iteration, at.staleness)), lambda: len(seen) == 3)
    train(args, callbacks, ExecutorHere())
    assert seen == [(6, 0), (7, 1), (8, 2)]


@pytest.mark.parametrize(("given", "asks_for"), [("", None), ("--workers 3", Local(3))])
def test_command__workers_are_processes_of_this_machine(
    given: str, asks_for: Local | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(args: Any, callbacks: Any, executor: Any) -> None:
        raise ConfigError(f"got {executor}")

    monkeypatch.setattr("big2_agents.train.candidate_ppo.train", refuse)
    found = run_cli("train", "candidate-ppo", "--out", str(tmp_path), *given.split())
    assert (found.status, found.err) == (2, f"big2: got {asks_for}\n")


def test_request__draws_a_snapshot_from_those_that_there_are(tmp_path: Path) -> None:
    learner = Learner(CandidatePpoParameters(games=16, width=8, snapshot_every=1, pool_size=3, warm_up=0, out=tmp_path))
    assert learner.request(4).past is None
    for _ in range(2):
        learner.iterate()
    drawn = [learner.request(number).past for number in range(9)]
    biases = [past["head2.bias"].item() for past in learner.past]
    assert biases[0] != biases[1]
    assert {past["head2.bias"].item() for past in drawn if past is not None} == set(biases)
