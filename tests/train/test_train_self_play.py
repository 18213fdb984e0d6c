"""What candidate PPO learns from: credit of each seat and of every play, chosen or not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from big2_agents.kernels.codes import GREEDY, HEURISTIC, NET, RANDOM
from big2_agents.kernels.features import CARD_SIZES
from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.network import NUM_RULE_PLAYERS, Critic, Decisions, Networks, PlayCritic, Policy, scores
from big2_agents.train.self_play import (
    Round,
    collect,
    draw_team_games,
    gains,
    opponent_codes,
    other_players,
    surprises,
    valued_plays,
)
from big2_env import BIG2, Game
from big2_env.base.errors import ConfigError
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import HONG_KONG, ruleset


def parameters(**given: Any) -> CandidatePpoParameters:
    return CandidatePpoParameters(**({"win_bonus": 0.0} | given))


def round_of(args: CandidatePpoParameters) -> Round:
    return Round(args, opponent_codes(args.opponents), np.random.default_rng(3))


def test_surprises__are_advantages_if_all_plays_count_alike_and_errors_of_expected_sarsa_otherwise() -> None:
    rng = np.random.default_rng(1)
    key = rng.integers(0, 12, 200)
    value, chosen_value = rng.normal(size=(2, 200)).astype(np.float32)
    final = rng.normal(size=12).astype(np.float32)
    for chosen in (value, chosen_value):
        found = surprises(key, value, chosen, final, 0.9)
        for seat in range(12):
            rows = np.flatnonzero(key == seat)
            errors = np.array([*value[rows[1:]], final[seat]]) - chosen[rows]
            for i, row in enumerate(rows):
                assert found[row] == pytest.approx(sum(0.9**k * error for k, error in enumerate(errors[i:])), abs=1e-4)


def log_softmax(score: np.ndarray) -> np.ndarray:
    return np.asarray(score - np.log(np.exp(score).sum()), np.float32)


def test_gains__are_the_slope_of_what_the_policy_gets_if_nothing_is_a_surprise() -> None:
    """By finite differences, in two decisions."""
    rng = np.random.default_rng(2)
    scores, play_values, offsets = rng.normal(size=8), rng.normal(size=8).astype(np.float32), np.array([0, 5, 8])
    parts, picks = [slice(0, 5), slice(5, 8)], np.array([3, 5])
    log_prob = np.concatenate([log_softmax(scores[part]) for part in parts])
    value = np.array([np.exp(log_prob[part]) @ play_values[part] for part in parts], np.float32)
    gain = gains(offsets, picks, log_prob, play_values, value, play_values[picks], 0.0)
    for part in parts:
        for i in range(part.start, part.stop):
            nudged = [log_softmax((scores + step * (np.arange(8) == i))[part]) for step in (1e-3, -1e-3)]
            up, down = (np.exp(each) @ play_values[part] for each in nudged)
            assert gain[i] == pytest.approx((up - down) / 2e-3, abs=1e-3)
        assert gain[part].sum() == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("min_prob", [0.0, 0.1, 1.0])
def test_gains__are_right_on_average_whatever_the_critics_predict(min_prob: float) -> None:
    chance, values = np.array([0.5, 0.3, 0.15, 0.03, 0.02], np.float32), np.array([0.3, -0.2, 0.9, -1, 0.4], np.float32)
    predicted, offsets, mean = np.array([1.0, -2.0, 0.0, 3.0, 0.1], np.float32), np.array([0, 5]), np.zeros(5)
    value = (chance @ predicted)[None]
    for pick in range(5):
        target = predicted[[pick]] + surprises(np.array([0]), value, predicted[[pick]], values[[pick]], 0.6)
        mean += chance[pick] * gains(offsets, np.array([pick]), np.log(chance), predicted, value, target, min_prob)
    assert mean - chance * mean.sum() == pytest.approx(chance * (values - chance @ values), abs=1e-5)


def test_gains__vary_less_with_better_critics() -> None:
    chance, values, offsets = np.full(4, 0.25, np.float32), np.array([0, 1, 2, 3], np.float32), np.array([0, 4])
    spread = []
    for predicted in (np.zeros(4, np.float32), values):
        value = (chance @ predicted)[None]
        found = [gains(offsets, np.array([n]), np.log(chance), predicted, value, values[[n]], 0.01) for n in range(4)]
        spread.append(np.var(found, axis=0).sum())
    assert spread[1] == pytest.approx(0, abs=1e-6)
    assert spread[0] > 1


@pytest.mark.parametrize("rules", [HONG_KONG, ruleset("dou_dizhu")], ids=lambda rules: rules.name)
def test_played_games__in_threads_are_the_same_games(rules: RuleSet) -> None:
    found = []
    for threads in (1, 4):
        games, rng = PlayedGames(rules, 400, threads=threads), np.random.default_rng(1)
        games.deal(np.arange(400), rng.integers(NET, 4, (400, games.seats)))
        seen: list[np.ndarray] = []
        while len(rows := games.advance()):
            features = games.features(rows, hidden=True)
            seen += [rows, features.states, features.hidden, features.plays, features.offsets]
            games.choose(rows, rng.integers(0, np.diff(features.offsets)))
        found.append([*seen, games.payoffs()])
    assert len(found[0]) > 50
    assert all(np.array_equal(one, other) for one, other in zip(*found, strict=True))


def test_played_games__players_that_draw_play_one_deal_in_several_ways() -> None:
    rules, number = ruleset("mini6"), 600
    games = PlayedGames(rules, number)
    games.deal(np.arange(number), np.full((number, 2), RANDOM))
    games.advance()
    ways: dict[tuple[int, ...], set[bytes]] = {}
    for seed, played in enumerate(games.games.played):
        ways.setdefault(Game.deal(rules, seed).start.hands, set()).add(played.tobytes())
    assert sum(len(found) > 1 for found in ways.values()) > 30


def test_played_games__threads_share_no_working_memory() -> None:
    games = PlayedGames(HONG_KONG, 8, threads=3)
    places = [np.asarray(record).__array_interface__["data"][0] for own in games._working for record in own]
    assert len(places) == len(set(places)) == 12


def networks_of(*, flat: bool = True) -> Networks:
    """Small networks with random weights; with `flat`, all plays are about equally likely."""
    torch.manual_seed(0)
    policy = Policy(8, 8, 8, 8)
    if not flat:
        torch.nn.init.normal_(policy.head2.weight, std=30.0)
    networks = Networks(policy, Critic(8), PlayCritic.from_policy(policy, CARD_SIZES, NUM_RULE_PLAYERS))
    torch.nn.init.normal_(networks.play_critic.head2.weight, std=1.0)
    return networks


def certain_of_nothing() -> Networks:
    """Networks whose critics predict 0, so that with a lambda of 1 targets are payoffs."""
    networks = networks_of()
    for layer in (networks.critic.net[-1], networks.play_critic.head2):
        for parameter in layer.parameters():
            torch.nn.init.zeros_(parameter)
    return networks


def test_collect__gives_every_likely_play_a_gain_against_any_opponents() -> None:
    networks = networks_of(flat=False)
    args = parameters(opponent_share=0.7, gae_lambda=0.5)
    batch = collect(PlayedGames(HONG_KONG, 64), networks, round_of(args), 10.0)
    features, offsets = batch.features, batch.features.offsets.numpy()
    picks, share = features.places(batch.chosen), np.exp(batch.log_prob)
    valued = valued_plays(offsets, picks, batch.log_prob, args.min_prob)
    with torch.no_grad():
        values = networks.play_values(features, valued).numpy()
    value = np.add.reduceat(share * values, offsets[:-1])
    assert batch.target - batch.advantage == pytest.approx(value, abs=1e-3)
    expected = gains(offsets, picks, batch.log_prob, values, value, batch.target, args.min_prob)
    assert batch.gain == pytest.approx(expected, abs=1e-3)
    others = np.setdiff1d(np.flatnonzero(share > args.min_prob), picks)
    assert len(others) > 100
    assert (np.abs(batch.gain / share)[others] > 1e-4).mean() > 0.9


def test_from_policy__scores_plays_as_the_policy_does_but_for_the_last_layer() -> None:
    networks = networks_of()
    games = PlayedGames(HONG_KONG, 8)
    games.deal(np.arange(8), np.full((8, 4), NET))
    features = Decisions.of(games.features(games.advance(), hidden=True), torch.device("cpu"))
    features.hidden = torch.nn.functional.pad(features.hidden, (0, 3 * NUM_RULE_PLAYERS))
    networks.play_critic.head2.load_state_dict(networks.policy.head2.state_dict())
    with torch.no_grad():
        found = networks.play_critic.of_plays(features.states, features.hidden, features.plays, features.owner)
        assert torch.allclose(found, scores(networks.policy, features)[0], atol=1e-5)
        values = networks.critic.of_states(features.states, features.hidden)
        assert torch.allclose(
            networks.play_values(features, np.ones(len(found), bool)),
            found + values[features.owner],
            atol=1e-5,
        )


def test_other_players__are_distinguished_in_turn_order_except_for_the_learner() -> None:
    controllers = np.array([[NET, GREEDY, -2, -4], [-3, NET, NET, HEURISTIC]], np.int32)
    found = other_players(controllers, np.array([0, 2]), 7).reshape(2, 3, 7)
    # random, lowest, greedy, heuristic, the snapshot, two of the league
    assert [np.flatnonzero(row).tolist() for row in found[0]] == [[GREEDY], [4], [6]]
    assert [np.flatnonzero(row).tolist() for row in found[1]] == [[HEURISTIC], [5], []]


def test_collect__with_lambda_one_gives_every_choice_its_own_seats_payoff() -> None:
    games, scale = PlayedGames(HONG_KONG, 24), 10.0
    args = parameters(opponent_share=0.4, gae_lambda=1.0)
    batch = collect(games, certain_of_nothing(), round_of(args), scale)
    payoffs = games.payoffs()
    assert len(batch.chosen) == len(batch.target) == len(batch.features.states) == len(batch.features.offsets) - 1
    assert np.allclose(payoffs.sum(axis=1), 0)
    assert set(np.round(batch.target * scale).astype(int)) <= set(payoffs.astype(int).ravel())
    assert (batch.target < 0).any()
    assert (batch.target > 0).any()
    assert (batch.chosen < np.diff(batch.features.offsets.numpy())).all()
    assert (batch.log_prob <= 0).all()


def test_collect__tells_the_critic_its_opponents_and_pays_wins_against_them() -> None:
    games, scale, bonus = PlayedGames(BIG2, 64), 10.0, 0.5
    args = parameters(opponent_share=0.7, gae_lambda=1.0, win_bonus=bonus)
    batch = collect(games, certain_of_nothing(), round_of(args), scale)
    rule_players = batch.features.hidden.numpy()[:, CARD_SIZES.hidden :].reshape(-1, 3, NUM_RULE_PLAYERS)
    assert rule_players.sum(axis=2).max() == 1
    alone, among_networks = rule_players.sum(axis=(1, 2)) == 3, rule_players.sum(axis=(1, 2)) == 0
    assert alone.any()
    assert among_networks.any()
    won = batch.target > 0
    assert np.allclose(batch.target[won & alone], 1 / scale + bonus)
    assert np.allclose(batch.target[~won], -1 / 3 / scale)
    assert np.isclose(batch.target[won & among_networks], 1 / scale).any()
    kinds = {tuple(rows[0]) for rows in rule_players[alone] if (rows == rows[0]).all()}
    assert len(kinds) > 2  # three of one kind, of several kinds


@pytest.mark.parametrize("name", ["dou_dizhu", "dou_dizhu_4p"])
def test_deal__the_network_plays_for_its_partners_too_where_it_is_told_to(name: str) -> None:
    rules, number = ruleset(name), 90
    games, rng = PlayedGames(rules, number), np.random.default_rng(6)
    seats = np.arange(number) % games.seats
    controllers = np.where(np.arange(games.seats) == seats[:, None], NET, GREEDY)
    joins = np.arange(number) % 4 > 0
    games.deal(np.arange(number), controllers, joins=joins)
    asked = np.zeros((number, games.seats), np.bool_)
    while len(rows := games.advance()):
        asked[rows, games.games.turn[rows]] = True
        games.choose(rows, rng.integers(0, games.candidates.count[rows]))
    landlord = games.games.landlord
    is_farmer = np.arange(games.seats) != landlord[:, None]
    expected = controllers == NET
    expected |= is_farmer & (joins & (landlord != seats))[:, None]
    assert (games.controllers == np.where(expected, NET, GREEDY)).all()
    assert not asked[~expected].any()
    assert asked[expected & (landlord != seats)[:, None]].mean() > 0.9
    games.deal(np.arange(number), controllers)
    games.advance()
    assert (games.controllers == controllers).all()


@pytest.mark.parametrize("name", ["dou_dizhu", "dou_dizhu_4p"])
def test_deal__auctions_that_are_drawn_find_any_landlord_and_nobody_is_asked(name: str) -> None:
    """Heuristic players let who has the better hand have it, chance does not."""
    rules, number = ruleset(name), 400
    games = PlayedGames(rules, number)
    is_drawn = np.arange(number) % 2 > 0
    games.deal(np.arange(number) // 2, np.full((number, games.seats), HEURISTIC), is_drawn=is_drawn)
    games.advance()
    wins = games.payoffs()[np.arange(number), games.games.landlord] > 0
    assert wins[is_drawn].mean() < wins[~is_drawn].mean() - 0.05
    games.deal(np.arange(number), np.full((number, games.seats), NET), is_drawn=is_drawn)
    rows = games.advance()
    assert (games.games.landlord >= 0).tolist() == is_drawn.tolist()
    assert set(rows) == set(range(number))
    with pytest.raises(ConfigError, match=r"expected a choice of games, bool \(400,\), got int64"):
        games.deal(np.arange(number), np.full((number, games.seats), NET), is_drawn=np.arange(number))


def test_draw_team_games__draws_a_share_of_those_alone() -> None:
    rng = np.random.default_rng(7)
    controllers = np.where(rng.random((4000, 3)) < 0.5, NET, GREEDY)
    joined = draw_team_games(rng, controllers, 0.3)
    is_alone = (controllers == NET).sum(axis=1) == 1
    assert not joined[~is_alone].any()
    assert 0.25 < joined[is_alone].mean() < 0.35
