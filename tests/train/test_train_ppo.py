"""`big2 train ppo`: earlier selves as opponents, a run that goes on after a kill, a player without torch that is the same."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from random_games import random_games
from run_cli import run_cli

from big2_agents.kernels.codes import NET
from big2_agents.learned.actor import load_actor
from big2_agents.learned.ppo import PpoAgent
from big2_agents.train.export import export_actor, to_actor
from big2_agents.train.hyper_parameters import PpoParameters
from big2_agents.train.loop import EVALUATION_SEED, Callbacks
from big2_agents.train.ppo import Learner, train
from big2_env import BIG2, HONG_KONG, ConfigError, Game
from big2_env.agents.interface import make_agent, play_out

# torch about itself
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")
TINY: dict[str, Any] = {"games": 8, "steps": 16, "width": 16, "minibatch": 64, "evaluation_deals": 2}
KILLED = """
import os, signal, sys
from pathlib import Path
from big2_agents.train.hyper_parameters import PpoParameters
from big2_agents.train.loop import Callbacks
from big2_agents.train.ppo import train

def report(learner, found):
    if learner.iteration == 3:
        os.kill(os.getpid(), signal.SIGKILL)

train(PpoParameters(out=Path(sys.argv[1]), evaluate_every=60.0, tensorboard=False, **TINY), Callbacks(report))
"""


@pytest.fixture(scope="module")
def learner(tmp_path_factory: pytest.TempPathFactory) -> Learner:
    """A run of four iterations that was told to stop; each was evaluated and leaves an earlier self, two are kept."""
    seen: list[int] = []
    out = tmp_path_factory.mktemp("ppo") / "run"
    args = PpoParameters(
        out=out, evaluate_every=0.0, pool_size=2, snapshot_every=1, opponent_share=1.0, layers=3, tensorboard=True, **TINY
    )
    return train(args, Callbacks(lambda learner, _: seen.append(learner.iteration), lambda: len(seen) == 4))


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def weights_of(policy: Any) -> list[torch.Tensor]:
    return list(policy.state_dict().values())


def test_train__keeps_a_bounded_pool_of_earlier_selves_and_learns_from_its_own_choices_alone(learner: Learner) -> None:
    # The curve begins before the first iteration.
    assert [len(rows_of(learner.args.out / name)) for name in ("progress.csv", "curve.csv")] == [4, 5]
    current = weights_of(learner.model.policy)
    latest, before = (list(past.values()) for past in (learner.past[1], learner.past[0]))
    assert len(learner.past) == 2
    assert all(map(torch.equal, latest, current))
    assert not all(map(torch.equal, before, current))
    assert learner.model.env.pool.league.members
    asked = 4 * TINY["games"] * TINY["steps"]
    assert asked / 4 < learner.choices < 0.9 * asked  # every game that was dealt after the first iteration has opponents
    assert not learner.model.env.pool.is_own.all()
    again = Learner(learner.args)
    assert again.load()
    assert (again.iteration, again.choices, again.minutes) == (4, learner.choices, learner.minutes)
    assert all(map(torch.equal, weights_of(learner.model.policy), weights_of(again.model.policy)))
    for mine, theirs in zip(learner.past, again.past, strict=True):
        assert all(torch.equal(value, theirs[name]) for name, value in mine.items())
    old, new = (each.model.policy.optimizer.state_dict()["state"] for each in (learner, again))
    assert len(old) > 10
    assert all(torch.equal(old[key]["exp_avg"], new[key]["exp_avg"]) for key in old)


@pytest.mark.long
def test_train__goes_on_after_a_kill_from_its_last_checkpoint_and_finishes(tmp_path: Path) -> None:
    out = tmp_path / "run"
    script = KILLED.replace("TINY", repr(TINY))
    done = subprocess.run([sys.executable, "-c", script, str(out)], capture_output=True, text=True, timeout=240)
    assert done.returncode == -9, done.stderr
    progress, curve = rows_of(out / "progress.csv"), rows_of(out / "curve.csv")
    assert [len(progress), len(curve)] == [3, 1]  # the checkpoint is of the first iteration
    tiny = [word for name, value in TINY.items() if name != "minibatch" for word in (f"--{name.replace('_', '-')}", str(value))]
    command = ["train", "ppo", "--out", str(out), "--evaluate-every", "60", "--no-tensorboard", *tiny]
    minutes = float(progress[0]["minutes"]) + 0.005
    status, said, err = run_cli(*command, "--minutes", str(minutes))
    assert (status, "decisions" in said) == (0, True), err
    after, points = rows_of(out / "progress.csv"), rows_of(out / "curve.csv")
    assert after[0] == progress[0]
    assert points[0] == curve[0]
    assert [int(row["iteration"]) for row in after] == list(range(1, len(after) + 1))
    assert len(after) > 1
    assert points[-1]["iteration"] == after[-1]["iteration"]
    figures = [f"{what}_{name}" for name in ("random", "greedy", "heuristic") for what in ("wins", "payoff", "error")]
    assert list(points[0]) == ["iteration", "minutes", "choices", *figures, "staleness", "evaluation_seconds"]
    counts = [int(row["choices"]) for row in after]
    assert counts == sorted(counts)
    assert counts[0] > 0
    assert play_out(Game.deal(BIG2, 1), [make_agent(f"ppo:{out / 'big2.npz'}") for _ in range(4)]).winner in range(4)
    assert "made with seed 1, but this run has 9" in run_cli(*command, "--seed", "9").err


class Bomb:
    """What a pickle runs when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_train__runs_nothing_that_a_checkpoint_holds(tmp_path: Path) -> None:
    torch.save({"policy": Bomb(tmp_path / "boom")}, tmp_path / "checkpoint.pt")
    with pytest.raises(ConfigError, match=r"checkpoint\.pt: no checkpoint of this run"):
        Learner(PpoParameters(out=tmp_path, **TINY)).load()
    assert not (tmp_path / "boom").exists()


def test_player__scores_and_plays_as_the_torch_policy(learner: Learner, tmp_path: Path) -> None:
    policy = learner.model.policy
    torch.nn.init.normal_(policy.action_net.weight)
    export_actor(to_actor(policy), tmp_path / "net.npz")
    agent, number = PpoAgent(str(tmp_path / "net.npz")), 0
    for i, game in enumerate(random_games(BIG2, range(3))):
        if i % 4 or game.is_over:
            continue
        view = game.view()
        plays, scores = agent.scores(view, view.legal_plays())
        seen = torch.from_numpy(agent._layout.encode(view)).float()[None]
        with torch.no_grad():
            logits = policy.action_net(policy.mlp_extractor.forward_actor(seen))[0].numpy()
        np.testing.assert_allclose(scores, logits[agent._actions.ids(view.legal_plays())], atol=1e-4)
        number += len(plays) > 1
    assert number > 20
    # The games of an evaluation, all seats the policy's, are those that four of the player play.
    learner.matches.play(policy, NET, EVALUATION_SEED)
    for deal in range(TINY["evaluation_deals"]):
        winner = play_out(Game.deal(BIG2, EVALUATION_SEED + deal), [PpoAgent(tmp_path / "net.npz") for _ in range(4)]).winner
        assert (learner.matches._games.games.winner[4 * deal : 4 * deal + 4] == winner).all()
    with pytest.raises(ConfigError, match=r"expected 552 inputs and 2380 actions for hong_kong, got 547 and 1379"):
        play_out(Game.deal(HONG_KONG, 0), [agent] * 4)
    with pytest.raises(ConfigError, match="no ppo player for hong_kong"):
        play_out(Game.deal(HONG_KONG, 0), [PpoAgent()] * 4)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("layer1", None, "layers numbered from 1, got layer1_bias.npy after 0"),
        ("layer2", np.zeros((16, 15), np.float32), r"expected layer2 to be float \(16, 16\), got float32 \(16, 15\)"),
        ("layer1", np.zeros(9, np.float32), r"expected layer1 to be float \(9, 16\), got float32 \(9,\)"),
        ("action", np.array([{"a": 1}], dtype=object), "action.npy: expected plain numbers that fill it, got object"),
        ("action_bias", np.zeros(70000, np.float32), "expected a layer of up to 65536 in action_bias, got 70000"),
        ("action_bias", np.full(1379, np.nan, np.float32), "expected action_bias to be finite"),
        ("", None, "not a zip file"),
    ],
)
def test_player__refuses_broken_weights(name: str, value: Any, says: str, learner: Learner, tmp_path: Path) -> None:
    path = tmp_path / "bad.npz"
    export_actor(to_actor(learner.model.policy), path)
    with np.load(path) as file:
        arrays = dict(file) | {name: value}
    if name:
        np.savez(path, **{key: array for key, array in arrays.items() if array is not None})
    else:
        path.write_text("weights")
    with pytest.raises(ConfigError, match=rf"weights .*bad\.npz: .*{says}"):
        load_actor(path)
