"""`big2 train critic`: what it learns from, that it learns, that it goes on, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from run_cli import run_cli
from worker_here import STALENESS, ExecutorHere

from big2_agents.kernels.selfplay import Features, PlayedGames
from big2_agents.learned.search import LearnedSearchAgent
from big2_agents.learned.weights import load_critic, load_network
from big2_agents.train.candidate_ppo import Learner
from big2_agents.train.critic import CriticFit, collect_positions, fit
from big2_agents.train.hyper_parameters import CandidatePpoParameters, CriticParameters
from big2_agents.train.network import Critic, Policy
from big2_agents.train.run_folder import IDENTITY, write_args
from big2_env import Game
from big2_env.agents import make_agent, play_out
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import BIG2, HONG_KONG
from big2_env.climbing.saved_rules import identity
from big2_env.runs.executors import Executor, Local


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run that has not learned anything yet."""
    args = CandidatePpoParameters(ruleset="hong_kong", out=tmp_path / "run", games=4, width=16)
    args.out.mkdir()
    write_args(args, args.fixed)
    Learner(args).save()
    return args.out


class Watched(PlayedGames):
    """Games that know what was stood at in each of them, in its order."""

    def __init__(self, rules: RuleSet, number: int) -> None:
        super().__init__(rules, number)
        self.stood_at: dict[int, list[tuple[bytes, bytes]]] = {row: [] for row in range(number)}

    def features(self, rows: Any, *, hidden: bool = False) -> Features:
        found = super().features(rows, hidden=hidden)
        for row, state, hands in zip(rows.tolist(), found.states, found.hidden, strict=True):
            self.stood_at[row].append((state.tobytes(), hands.tobytes()))
        return found


def test_collect_positions__has_what_came_after_the_odd_play_and_nothing_before() -> None:
    torch.manual_seed(1)
    games, rng = Watched(HONG_KONG, 64), np.random.default_rng(1)
    args = CriticParameters(gae_lambda=1.0)
    seen = collect_positions(games, Policy(8, 8, 8, 8), Critic(8), rng, args, 10.0)
    kept = {(state.tobytes(), hidden.tobytes()) for state, hidden in zip(seen.states, seen.hidden, strict=True)}
    came = [[position in kept for position in positions] for positions in games.stood_at.values()]
    assert all(flags == sorted(flags) and not flags[0] for flags in came)
    assert sum(map(sum, came)) == len(seen.states) == len(kept)
    assert sum(any(flags) for flags in came) > 20  # games in which the seat had choices enough to come to its odd play
    assert np.allclose(seen.target, seen.payoff, atol=1e-4)
    paid = games.payoffs()
    assert set(np.round(seen.payoff * 10).astype(int)) <= set(paid.astype(int).ravel())
    assert 0.15 < seen.deviated.mean() < 0.3  # one seat of four
    assert len(seen.states) == len(seen.hidden) == len(seen.value) == len(seen.target)


@pytest.mark.long
def test_critic_fit__explains_payoffs_it_could_not_before(run: Path) -> None:
    learner = Learner(CandidatePpoParameters(ruleset="hong_kong", out=run, games=4, width=16))
    made = CriticFit(CriticParameters(minutes=60, games=512, minibatch=256), learner)
    first = made.iterate()
    for _ in range(8):
        last = made.iterate()
    assert first["explained"] < 0.1 < last["explained"]


def fitted(run: Path, executor: Executor | None, staleness: int | None = None) -> tuple[list[torch.Tensor], list[float]]:
    """The critic after five rounds without a clock, and how stale each round was."""
    args = CriticParameters(minutes=1e12, games=16, minibatch=64, bfloat16=True, staleness=staleness)
    (run / "critic.pt").unlink(missing_ok=True)
    rounds: list[int] = []
    learner = Learner(CandidatePpoParameters(ruleset="hong_kong", out=run, games=4, width=16))
    assert learner.load()
    made = fit(args, learner, lambda at, _: rounds.append(at.iteration), lambda: len(rounds) == 5, executor)
    rows = csv.DictReader((run / "critic.csv").read_text().splitlines())
    return list(made.critic.parameters()), [float(row["staleness"]) for row in rows]


@pytest.mark.parametrize(("staleness", "expected"), STALENESS)
def test_critic_fit__by_workers_depends_on_the_staleness_alone(staleness: int, expected: list[int], run: Path) -> None:
    own = fitted(run, None)
    (one, ahead), (two, two_ahead) = fitted(run, ExecutorHere(), staleness), fitted(run, Local(2), staleness)
    assert all(torch.equal(*pair) for pair in zip(one, two, strict=True))
    assert all(torch.equal(*pair) for pair in zip(own[0], two, strict=True)) == (staleness == 0)
    assert ahead == two_ahead == expected


@pytest.mark.long
def test_critic_fit__with_workers_is_a_command(run: Path) -> None:
    assert run_cli("train", "critic", str(run), "--minutes", "0.01", "--games", "8", "--workers", "1").status == 0


def test_critic__is_made_beside_the_weights_goes_on_and_serves_a_search(run: Path) -> None:
    done = run_cli("train", "critic", str(run), "--minutes", "0.01", "--games", "8")
    assert done.status == 0, done.err
    files = run / "hong_kong.npz", run / "hong_kong_critic.npz"
    assert str(files[1]) in done.out
    first = load_critic(files[1]), load_network(files[0])
    args = CriticParameters(minutes=0.02, games=8)
    learner = Learner(CandidatePpoParameters(ruleset="hong_kong", out=run, games=4, width=16))
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
    args = CriticParameters(minutes=1e-6, games=8)
    learner = Learner(CandidatePpoParameters(ruleset="hong_kong", out=run, games=4, width=16))
    assert fit(args, learner).iteration == 1
    with torch.no_grad():
        learner.policy.head2.bias += 1
    assert fit(args, learner).iteration == 1


@pytest.mark.parametrize(
    ("held", "says"),
    [
        ("nothing", "args.json: expected the arguments of a run, cannot read them"),
        ("no rules", "no folder of a run of big2 train candidate-ppo (identity: expected an object, got 'null')"),
        ("no checkpoint", "the run has no checkpoint yet"),
        ("a broken checkpoint", "checkpoint.pt: no checkpoint of this run"),
    ],
)
def test_critic__refuses_a_folder_that_is_no_run(held: str, says: str, tmp_path: Path) -> None:
    if held != "nothing":
        made = {"ruleset": "big2", "width": 16} | ({} if held == "no rules" else {IDENTITY: identity(BIG2)})
        (tmp_path / "args.json").write_text(json.dumps(made))
    if held == "a broken checkpoint":
        (tmp_path / "checkpoint.pt").write_bytes(b"x")
    done = run_cli("train", "critic", str(tmp_path))
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert str(tmp_path) in done.err
    assert says in done.err
