"""Rollout workers of MaskablePPO: what is learned depends on the staleness alone, not on who plays the games."""

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
from worker_here import STALENESS, ExecutorHere, copied

from big2_agents.train.hyper_parameters import PpoParameters
from big2_agents.train.loop import Callbacks
from big2_agents.train.ppo import Learner, make_games, make_model, reweighted, train
from big2_env.climbing.rulesets import BIG2
from big2_env.runs.executors import Executor, Local

# torch about itself
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")
ROUNDS = 5


def trained(
    out: Path, executor: Executor | None, *, kill_at: int = -1, staleness: int | None = None
) -> tuple[list[torch.Tensor], list[int], list[int]]:
    """The weights after some rollouts without a clock, how stale each was, and how many choices there were after it."""
    args = PpoParameters(
        games=8, steps=16, width=16, minibatch=64, evaluation_deals=1, pool_size=2, snapshot_every=1, opponent_share=0.7,
        minutes=1e12, evaluate_every=0.0, tensorboard=False, staleness=staleness, out=out,
    )  # fmt: skip
    seen: list[int] = []

    def report(learner: Learner, _: dict[str, float]) -> None:
        seen.append(learner.staleness)
        if len(seen) == kill_at:
            os.kill(active_children()[0].pid or 0, signal.SIGKILL)

    learner = train(args, Callbacks(report, lambda: len(seen) == ROUNDS), executor)
    choices = []
    for name, begin in (("curve.csv", [0]), ("progress.csv", [])):
        with (out / name).open() as file:
            rows = list(csv.DictReader(file))
        assert [int(row["staleness"]) for row in rows] == begin + seen
        choices = [int(row["choices"]) for row in rows]
    return list(learner.model.policy.parameters()), seen, choices


def are_equal(one: list[torch.Tensor], other: list[torch.Tensor]) -> bool:
    return all(map(torch.equal, one, other))


def test_train__a_worker_that_is_not_ahead_plays_what_the_learner_would(tmp_path: Path) -> None:
    own, seen, choices = trained(tmp_path / "own", None)
    worker, fresh, same_choices = trained(tmp_path / "worker", ExecutorHere(), staleness=0)
    assert are_equal(own, worker)  # games, decisions that wait, and earlier selves go on from rollout to rollout
    assert choices == same_choices
    assert (seen, fresh) == ([0] * ROUNDS, [0] * ROUNDS)


@pytest.mark.parametrize(("staleness", "expected"), STALENESS)
def test_train__two_workers_of_which_one_is_killed_give_what_one_does(
    staleness: int, expected: list[int], tmp_path: Path
) -> None:
    one, seen, choices = trained(tmp_path / "one", ExecutorHere() if staleness else None, staleness=staleness)
    two, stale, same_choices = trained(tmp_path / "two", Local(2), kill_at=2, staleness=staleness)
    assert seen == stale == expected
    assert choices == same_choices
    assert are_equal(one, two)
    assert not active_children()


@pytest.mark.long
def test_train__goes_on_from_a_checkpoint_with_workers_that_begin_afresh(tmp_path: Path) -> None:
    trained(tmp_path, ExecutorHere(), staleness=1)
    tiny = ["--games", "8", "--steps", "16", "--width", "16", "--evaluation-deals", "1", "--no-tensorboard"]
    with (tmp_path / "progress.csv").open() as file:
        minutes = float(list(csv.DictReader(file))[-1]["minutes"]) + 0.005
    done = run_cli("train", "ppo", "--out", str(tmp_path), "--minutes", str(minutes), "--workers", "1", *tiny)
    assert done.status == 0, done.err
    with (tmp_path / "progress.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["iteration"]) for row in rows] == list(range(1, len(rows) + 1))
    assert len(rows) > ROUNDS
    assert rows[ROUNDS]["staleness"] == "0"


def begun(args: PpoParameters) -> tuple[Any, Any]:
    """A model whose games have begun, and the callback of its rollouts."""
    games = make_games(args, BIG2, 1.0)
    games.seed(5)
    model = make_model(args, games)
    return model, model._setup_learn(1, None, reset_num_timesteps=False)[1]


def test_buffer__that_goes_on_elsewhere_is_the_one_that_was_left() -> None:
    args = PpoParameters(games=4, steps=8, width=8)
    (model, callback), (other, _) = begun(args), begun(args)
    model.collect_rollouts(model.env, callback, model.rollout_buffer, args.steps)
    games, carried, *rest = copied((model.env, model.rollout_buffer.carried(), model._last_obs, model._last_episode_starts))
    assert carried["_carried"].any()
    other.policy.load_state_dict(model.policy.state_dict())
    other.set_env(games, force_reset=False)
    other.rollout_buffer.restore_carried(carried)
    other._last_obs, other._last_episode_starts = rest
    found = []
    for one in (model, other):
        torch.manual_seed(3)
        one.collect_rollouts(one.env, callback, one.rollout_buffer, args.steps)
        found.append(one.rollout_buffer.decisions())
    assert all(map(np.array_equal, *found))
    assert len(found[0].values) > 8


def test_reweighted__has_the_log_probabilities_of_now_and_weights_that_are_bounded() -> None:
    args = PpoParameters(games=8, steps=8, width=8)
    model, callback = begun(args)
    model.collect_rollouts(model.env, callback, model.rollout_buffer, args.steps)
    made = model.rollout_buffer.decisions()
    same = reweighted(made, model, 7)
    assert np.allclose(same.log_probs, made.log_probs, atol=1e-5)
    assert np.allclose(same.advantages, made.advantages, atol=1e-4)
    with torch.no_grad():
        for value in model.policy.action_net.parameters():
            value.mul_(5000.0)
    new = reweighted(made, model, 7)
    weight = np.minimum(np.exp(new.log_probs - made.log_probs), 2.0)
    assert np.allclose(new.advantages, made.advantages * weight, rtol=1e-3, atol=1e-6)
    assert weight.max() == 2.0
    assert weight.min() < 0.9


def test_request__draws_a_snapshot_from_those_that_there_are(tmp_path: Path) -> None:
    learner = Learner(PpoParameters(games=8, steps=8, width=8, evaluation_deals=1, out=tmp_path))
    assert learner.request(4).past is None
    learner.past = [{"bias": torch.tensor(float(number))} for number in range(2)]
    drawn = [learner.request(number).past for number in range(9)]
    assert {past["bias"].item() for past in drawn if past is not None} == {0, 1}
    new = learner.request(1)
    learner._games[0] = "games"
    assert new.games is None
    assert learner.request(1)._replace(games=None, deals=new.deals) == new
