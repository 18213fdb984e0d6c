"""`big2 train critic`: what it learns from, that it learns, that it goes on, and what it refuses."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
import torch
from run_cli import run_cli

from big2_agents.compiled.selfplay import PlayedGames
from big2_agents.learned.critic import load_critic
from big2_agents.learned.network import load_network
from big2_agents.search import LearnedSearchAgent
from big2_agents.train.critic import CHOICES, Args, CriticFit, collect_values, fit
from big2_agents.train.files import note_args
from big2_agents.train.network import Critic, Policy
from big2_agents.train.strong import FIXED, Learner
from big2_agents.train.strong import Args as RunArgs
from big2_env import Game
from big2_env.agents import make_agent, play_out
from big2_env.climbing.rulesets import HONG_KONG


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run that has not learned anything yet."""
    args = RunArgs(ruleset="hong_kong", out=tmp_path / "run", games=4, width=16)
    args.out.mkdir()
    note_args(args, FIXED)
    Learner(args).save()
    return args.out


def test_collect_values__leaves_out_what_came_before_a_seats_own_odd_play() -> None:
    torch.manual_seed(1)
    games, rng = PlayedGames(HONG_KONG, 64), np.random.default_rng(1)
    seen = collect_values(games, Policy(8, 8, 8, 8), Critic(8), rng, scale=10.0, decay=1.0)
    assert np.allclose(seen.target, seen.payoff, atol=1e-4)
    paid = games.payoffs()
    assert set(np.round(seen.payoff * 10).astype(int)) <= set(paid.astype(int).ravel())
    share = seen.deviated.mean()  # a quarter of the seats, and of theirs only the choices after the odd one
    assert 0 < share < 0.25
    assert len(seen.states) == len(seen.hidden) == len(seen.value) == len(seen.target)
    assert CHOICES > 1


def test_critic_fit__explains_payoffs_it_could_not_before(run: Path) -> None:
    learner = Learner(RunArgs(ruleset="hong_kong", out=run, games=4, width=16))
    made = CriticFit(
        Args("hong_kong", run, minutes=60, games=512, minibatch=256), learner.policy, learner.critic, learner.scale
    )
    first = made.iterate()
    for _ in range(5):
        last = made.iterate()
    assert first["explained"] < 0.1 < last["explained"]


def test_critic__is_made_beside_the_weights_goes_on_and_serves_a_search(run: Path) -> None:
    done = run_cli("train", "critic", str(run), "--minutes", "0.01", "--games", "8")
    assert done.status == 0, done.err
    files = run / "hong_kong.npz", run / "hong_kong_critic.npz"
    assert str(files[1]) in done.out
    first = load_critic(files[1]), load_network(files[0])
    args = Args("hong_kong", run, minutes=0.02, games=8)
    learner = Learner(RunArgs(ruleset="hong_kong", out=run, games=4, width=16))
    assert learner.load()
    again = fit(args, learner)
    rows = list(csv.DictReader((run / "critic.csv").read_text().splitlines()))
    assert [int(row["iteration"]) for row in rows] == list(range(1, again.iteration + 1))
    assert again.minutes >= 0.02
    assert not np.array_equal(first[0].layer1, learner.critic.net[0].weight.detach().numpy().T[: len(first[0].layer1)])
    agents = [LearnedSearchAgent(20, weights=files[0]), *(make_agent("greedy") for _ in range(3))]
    game = Game.deal(HONG_KONG, 3)
    for seat, agent in enumerate(agents):
        agent.reset(seat)
    assert play_out(game, agents).winner in range(4)


def test_critic__of_another_policy_begins_anew(run: Path) -> None:
    args = Args("hong_kong", run, minutes=0.001, games=8)
    learner = Learner(RunArgs(ruleset="hong_kong", out=run, games=4, width=16))
    assert fit(args, learner).iteration == 1
    with torch.no_grad():
        learner.policy.head2.bias += 1
    assert fit(args, learner).iteration == 1


@pytest.mark.parametrize("held", ["nothing", "no checkpoint", "a broken checkpoint"])
def test_critic__refuses_a_folder_that_is_no_run(held: str, tmp_path: Path) -> None:
    if held != "nothing":
        (tmp_path / "args.json").write_text('{"ruleset": "big2", "width": 16}')
    if held == "a broken checkpoint":
        (tmp_path / "checkpoint.pt").write_bytes(b"x")
    done = run_cli("train", "critic", str(tmp_path))
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert str(tmp_path) in done.err
