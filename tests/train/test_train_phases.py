"""A run of several phases from a config file, from given weights, beside a league; each shipped model has its file."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest
import torch
from run_cli import run_cli

from big2_agents.kernels.codes import NET
from big2_agents.kernels.feature_layout import HOLDS, STRENGTHS, VALUES, WORSE, opinion_places
from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.learned.weights import load_network
from big2_agents.models import models_folder
from big2_agents.train import candidate_ppo
from big2_agents.train.candidate_ppo import LEAGUE, Learner, train
from big2_agents.train.export import export, load_league, load_networks, shipped_path, to_critic, to_network
from big2_agents.train.hyper_parameters import CandidatePpoParameters, config_path, read_phases
from big2_agents.train.loop import EVALUATION_OPPONENTS
from big2_agents.train.network import Critic, Policy
from big2_agents.train.self_play import Round, collect
from big2_env import BIG2, ConfigError, ruleset

CONFIG = """
ruleset = "big2"
games = 8
width = 16
evaluation_deals = 2
evaluate_every = 60
[[phase]]
minutes = 0.2
opponents = "greedy=1"
[[phase]]
minutes = 0.5
opponents = "heuristic=2"
learning_rate = 1
"""


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_read_phases__gives_each_phase_what_the_file_says(tmp_path: Path) -> None:
    path = written(tmp_path / "run.toml", CONFIG.replace("0.2", "5").replace("0.5", "5"))
    first, second = read_phases(path, {"out": tmp_path, "seed": 3})
    assert (first.minutes, second.minutes) == (5, 10)
    assert (first.opponents, second.opponents) == ("greedy=1", "heuristic=2")
    assert (first.seed, first.out, first.games) == (3, tmp_path, 8)
    assert (first.learning_rate, second.learning_rate) == (CandidatePpoParameters.learning_rate, 1.0)
    assert [phase.minutes for phase in read_phases(path, {"minutes": 7.0})] == [5, 7]
    assert [phase.minutes for phase in read_phases(path, {"minutes": 4.0})] == [4]
    (alone,) = read_phases(written(path, 'ruleset = "hong_kong"\nminutes = 3'), {})
    assert (alone.ruleset, alone.minutes) == ("hong_kong", 3)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("games = 8 8", "no training config"),
        pytest.param("games = " + "[" * 9_000, "no training config: invalid TOML", id="nested"),
        ("gamse = 8", "got 'gamse'"),
        ("games = '8'", "expected a int for games"),
        ("games = true", "expected a int for games"),
        ("games = 1", "expected games from 4 on, got '1'"),
        ("opponent_share = 1.5", "expected opponent_share up to 1, got '1.5'"),
        ("device = 'tpu'", "expected a device for device"),
        ("phase = 3", r"expected tables \[\[phase\]\], got '3'"),
        ("[[phase]]\nwidth = 8", "expected width at the top of the file"),
    ],
)
def test_read_phases__says_what_is_wrong_in_one_line(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=rf"run\.toml: .*{says}") as caught:
        read_phases(written(tmp_path / "run.toml", text), {})
    assert "\n" not in str(caught.value)


def test_shipped_models__have_a_config_that_can_be_read() -> None:
    found = sorted(models_folder().glob("*.toml"))
    assert found
    for path in found:
        phases = read_phases(config_path(path.stem), {})
        assert phases[0].ruleset == path.stem
        assert f"--config {path.stem}\n" in path.with_suffix(".md").read_text("utf-8")


def test_card__has_the_options_that_override_a_file_and_quotes_words(tmp_path: Path) -> None:
    path, out = (
        written(tmp_path / "my run.toml", "games = 8\nwidth = 16\nevaluation_deals = 2\nminutes = 9\n"),
        tmp_path / "run",
    )
    small = ("--choices", "20", "--no-bfloat16", "--seeds", "2", "--no-tensorboard", "--out", str(out))
    done = run_cli("train", "candidate-ppo", "--config", str(path), "--ruleset", "mini8", *small)
    assert done.status == 0, done.err
    command = json.loads((out / "2" / "mini8.card.json").read_text())["command"]
    before, _, rest = command.partition(f" --config '{path}' ")
    assert before == "big2 train candidate-ppo"
    assert sorted(rest.split(" --")) == ["--ruleset mini8", "choices 20", "no-bfloat16", "no-tensorboard", "seed 2"]


def test_train__goes_through_the_phases_of_a_file_and_says_them_in_the_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = count(0, 6)  # every look at the clock takes six seconds
    monkeypatch.setattr("big2_agents.train.loop.time.perf_counter", lambda: float(next(ticks)))
    path, out = written(tmp_path / "run.toml", CONFIG), tmp_path / "run"
    done = run_cli("train", "candidate-ppo", "--config", str(path), "--out", str(out))
    assert done.status == 0, done.err
    with (out / "progress.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 2  # one round each
    with (out / "curve.csv").open() as file:
        assert [row["iteration"] for row in csv.DictReader(file)] == ["0", "1", "2"]
    assert f"big2 train candidate-ppo --config {path}\n" in (out / "big2.md").read_text()
    card = json.loads((out / "big2.card.json").read_text())
    assert [phase["opponents"] for phase in card["phases"]] == ["greedy=1", "heuristic=2"]
    assert len(card["curve"]) == 3
    again = train(read_phases(path, {"out": out}))
    assert (again.iteration, again.opponents) == (2, (3, 3))


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(4)
    path = tmp_path_factory.mktemp("weights") / "net.npz"
    export(to_network(Policy(16, 12, 10, 8)), path, BIG2)
    export(to_critic(Critic(16), 2.5), path.with_name("net_critic.npz"))
    return path


def test_load_networks__has_the_networks_of_the_files(weights: Path, tmp_path: Path) -> None:
    policy, critic, scale = load_networks(str(weights), BIG2)
    for given, found in zip(load_network(weights), to_network(policy), strict=True):
        np.testing.assert_array_equal(given, found)
    export(to_critic(critic, scale), tmp_path / "critic.npz")
    assert (tmp_path / "critic.npz").read_bytes() == weights.with_name("net_critic.npz").read_bytes()
    learner = Learner(CandidatePpoParameters(games=4, init=str(weights), heuristic_features=True, out=tmp_path))
    assert (learner.scale, learner.policy.trunk1.out_features) == (2.5, 16)
    learner.iterate()
    learner.save()
    assert Learner(replace(learner.args)).load()


def test_load_networks__without_a_critic_makes_a_new_one(weights: Path, tmp_path: Path) -> None:
    (tmp_path / "net.npz").write_bytes(weights.read_bytes())
    policy, critic, scale = load_networks(str(tmp_path / "net.npz"), BIG2, players=7)
    np.testing.assert_array_equal(to_network(policy).trunk1, load_network(weights).trunk1)
    assert (critic.net[0].out_features, critic.players, scale) == (16, 7, 1.0)


def test_learner__takes_small_steps_first_where_a_policy_goes_on(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidate_ppo, "INIT_WARM_UP", 79)  # twenty iterations

    def rates(init: str) -> list[float]:
        settings = {"width": 16, "warm_up": 1, "learning_rate": 0.42, "minutes": 1e9, "out": tmp_path}
        learner = Learner(CandidatePpoParameters(games=4, init=init, heuristic_features=True, **settings))
        found = []
        for _ in range(4):
            learner.iterate()
            found.append(learner.optimizers.policy_and_critic.param_groups[0]["lr"])
        return found

    assert rates(str(weights)) == pytest.approx([0.42, 0.02, 0.04, 0.06])
    assert rates("") == pytest.approx([0.42] * 4)


def test_league__may_grow_when_a_run_continues(weights: Path, tmp_path: Path) -> None:
    args = CandidatePpoParameters(games=4, width=16, out=tmp_path)
    before = Learner(args)
    before.iterate()
    before.save()
    after = Learner(replace(args, league=f"{weights},{weights}"))
    assert after.load()
    known = before.critic.sizes.state + before.critic.sizes.hidden
    for one, other in (
        (before.critic.net[0], after.critic.net[0]),
        (before.networks.play_critic.trunk1, after.networks.play_critic.trunk1),
    ):
        assert torch.equal(one.weight[:, :known], other.weight[:, :known])
        old, new = (layer.weight[:, known:].unflatten(1, (3, -1)) for layer in (one, other))
        assert torch.equal(new[:, :, : old.shape[2]], old)
        assert not new[:, :, old.shape[2] :].any()
    assert after.iterate()["choices_per_second"] > 0
    after.save()


def test_shipped_path__stands_for_the_weights_of_this_ruleset_or_of_another() -> None:
    models = models_folder()
    x = ruleset("dou_dizhu_x")
    assert shipped_path("runs/a.npz", x) == "runs/a.npz"
    assert shipped_path("shipped", x) == str(models / "dou_dizhu_x.npz")
    assert shipped_path("shipped:dou_dizhu", x) == f"{models / 'dou_dizhu.npz'},any"
    with pytest.warns(UserWarning, match="trained for dou_dizhu, they play dou_dizhu_x"):
        policy = load_networks(shipped_path("shipped:dou_dizhu", x), x)[0]
    for given, found in zip(load_network(models / "dou_dizhu.npz"), to_network(policy), strict=True):
        np.testing.assert_array_equal(given, found)
    with pytest.raises(ConfigError, match="nowhere"):
        shipped_path("shipped:nowhere", x)
    with pytest.warns(UserWarning, match="trained for"), pytest.raises(ConfigError, match="dou_dizhu_4p"):
        load_networks(shipped_path("shipped:dou_dizhu_4p", x), x)


def test_league__plays_in_the_seats_that_the_learner_does_not_learn_from(weights: Path) -> None:
    learner = Learner(CandidatePpoParameters(games=24, width=8, league=f"{weights},{weights}", opponents="lowest=1"))
    assert set(learner.league) == {LEAGUE, LEAGUE - 1}
    assert set(learner.opponents) == {1, LEAGUE, LEAGUE - 1}
    games = PlayedGames(BIG2, 24)
    request = Round(replace(learner.args, opponent_share=1.0), (LEAGUE,), np.random.default_rng(1))
    batch = collect(games, learner.networks, request, 1.0, learner.league)
    assert set(np.unique(games.controllers)) == {NET, LEAGUE}
    assert len(batch.chosen) > 24
    with pytest.raises(ConfigError, match="no learned player"):
        load_league("shipped", BIG2.without_patterns("pair"))


def test_evaluate__is_at_par_against_itself_where_it_follows_the_heuristic(tmp_path: Path) -> None:
    """A new player follows the heuristic, so that its games against the heuristic are the heuristic's."""
    learner = Learner(
        CandidatePpoParameters(
            games=4, width=8, evaluation_deals=20, heuristic_features=True, heuristic_prior=20.0, out=tmp_path
        )
    )
    found = learner.evaluate()
    assert set(EVALUATION_OPPONENTS) == {"random", "greedy", "heuristic"}
    assert found["wins_random"] > 0.6
    assert found["wins_greedy"] > 0.3
    assert abs(found["payoff_heuristic"]) < 0.1


def test_evaluate__compares_the_learner_with_its_start_against_each_rival(weights: Path, tmp_path: Path) -> None:
    args = CandidatePpoParameters(
        games=16, width=8, evaluation_deals=6, rivals=f"{weights},{weights}", warm_up=0, learning_rate=0.1, out=tmp_path
    )
    learner = Learner(args)
    before = learner.evaluate()
    assert before["gain_rival1"] == before["gain_error_rival2"] == 0
    learner.iterate()
    found = learner.evaluate()
    assert (found["wins_rival1"], found["gain_rival1"]) == (found["wins_rival2"], found["gain_rival2"])
    assert found["gain_rival1"] == pytest.approx(found["payoff_rival1"] - before["payoff_rival1"])
    assert found["gain_error_rival1"] > 0
    for name, value in learner.start.state_dict().items():
        assert torch.equal(value, Learner(args).policy.state_dict()[name])


def test_averaging__evaluates_the_exponential_mean_of_the_weights(tmp_path: Path) -> None:
    args = CandidatePpoParameters(games=8, width=8, averaging=0.75, warm_up=0, learning_rate=0.1, out=tmp_path)
    learner = Learner(args)
    assert learner.final_policy() is learner.policy
    seen = []
    for _ in range(3):
        learner.iterate()
        seen.append(learner.policy.trunk1.weight.detach().clone())
    first, second, third = seen
    expected = 0.75 * (0.75 * first + 0.25 * second) + 0.25 * third
    torch.testing.assert_close(learner.final_policy().trunk1.weight, expected)
    learner.save()
    again = Learner(args)
    assert again.load()
    assert torch.equal(again.final_policy().trunk1.weight, learner.final_policy().trunk1.weight)
    learner.args = replace(args, averaging=0.0)
    learner.iterate()
    assert learner.final_policy() is learner.policy


def test_learner__learns_from_cards_alone_unless_it_is_asked_for_more(weights: Path, tmp_path: Path) -> None:
    places, small = opinion_places(BIG2), {"games": 16, "width": 16, "warm_up": 0, "out": tmp_path}
    for with_opinion in (False, True):
        learner = Learner(CandidatePpoParameters(heuristic_features=with_opinion, **small))
        for _ in range(2):
            learner.iterate()
        for network in (learner.policy, learner.networks.play_critic):
            assert bool(network.play.weight[:, places].any()) is with_opinion
            assert bool(network.play.weight.any())
    with pytest.raises(ConfigError, match="expected --heuristic-features"):
        Learner(CandidatePpoParameters(init=str(weights), **small))
    assert len(opinion_places(BIG2)) == 1 + len(WORSE) + len(HOLDS)
    assert len(opinion_places(ruleset("dou_dizhu"))) == 1 + len(WORSE) + len(HOLDS) + len(STRENGTHS) + len(VALUES)
