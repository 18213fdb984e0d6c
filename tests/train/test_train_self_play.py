"""What candidate PPO learns from: credit of each seat, plays looked at without being made, games played out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from big2_agents.kernels.acts import GREEDY, HEURISTIC, NET
from big2_agents.kernels.features import CARD_SIZES
from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.network import Critic, Policy, draw, scores
from big2_agents.train.self_play import (
    NUM_RULE_PLAYERS,
    Judge,
    advantages,
    collect,
    draw_team_games,
    features_of,
    gains,
    other_players,
)
from big2_env import BIG2
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import HONG_KONG, ruleset
from big2_env.errors import ConfigError


def parameters(**given: Any) -> CandidatePpoParameters:
    return CandidatePpoParameters(**({"win_bonus": 0.0} | given))


def test_advantages__are_those_of_each_seat_alone() -> None:
    rng = np.random.default_rng(1)
    key = rng.integers(0, 12, 200)
    value, final = rng.normal(size=200).astype(np.float32), rng.normal(size=12).astype(np.float32)
    advantage, target, led_to = advantages(key, value, final, 0.9)
    for seat in range(12):
        rows = np.flatnonzero(key == seat)
        values = [*value[rows], final[seat]]
        deltas = np.diff(values)
        assert np.allclose(led_to[rows], values[1:])
        for i, row in enumerate(rows):
            plain = sum(0.9**k * delta for k, delta in enumerate(deltas[i:]))
            assert advantage[row] == pytest.approx(plain, abs=1e-4)
            assert target[row] == pytest.approx(plain + value[row], abs=1e-4)


def test_gains__are_the_slope_of_what_the_policy_gets_from_the_plays_looked_at() -> None:
    """By finite differences, for five plays that were all looked at; nothing comes after what they lead to."""
    rng = np.random.default_rng(2)
    score, values = rng.normal(size=5), rng.normal(size=5).astype(np.float32)

    def log_prob(score: np.ndarray) -> np.ndarray:
        return np.asarray(score - np.log(np.exp(score).sum()))

    offsets, chosen, one = np.array([0, 5]), np.array([3]), np.ones(1, np.float32)
    looked_at = values.copy()
    looked_at[3] = 99.0  # what the chosen play led to counts
    value, led_to = 0.3 * one, values[3] * one
    gain = gains(offsets, chosen, log_prob(score).astype(np.float32), looked_at, value, led_to - value, led_to)
    for i in range(5):
        nudged = [np.exp(log_prob(score + sign * 1e-4 * (np.arange(5) == i))) @ values for sign in (1, -1)]
        assert gain[i] == pytest.approx((nudged[0] - nudged[1]) / 2e-4, abs=1e-3)
    assert gain.sum() == pytest.approx(0, abs=1e-5)


def test_gains__are_on_average_over_the_draw_the_slope_that_plain_advantages_give() -> None:
    chance, values = np.array([0.5, 0.3, 0.15, 0.03, 0.02], np.float32), np.array([0.3, -0.2, 0.9, -1, 0.4], np.float32)
    looked_at, value = np.where(chance > 0.1, values, np.float32(np.nan)), np.array([0.1], np.float32)
    mean = np.zeros(5)
    for pick in range(5):
        led_to = values[[pick]]
        gain = gains(np.array([0, 5]), np.array([pick]), np.log(chance), looked_at, value, led_to - value, led_to)
        mean += chance[pick] * gain
    assert mean - chance * mean.sum() == pytest.approx(chance * (values - chance @ values), abs=1e-5)


def test_gains__count_unseen_plays_as_the_critic_does_and_what_came_later_is_the_chosen_plays_own() -> None:
    offsets, chosen, log_prob = np.array([0, 2, 5]), np.array([1, 0]), np.log(np.array([0.6, 0.4, 0.5, 0.3, 0.2], np.float32))
    looked_at = np.array([np.nan, np.nan, 0, 2, np.nan], np.float32)
    value, advantage, led_to = (np.array(pair, np.float32) for pair in ([0.5, 1.0], [0.25, 0.7], [0.1, 1.5]))
    mean = 0.5 * 1.5 + 0.3 * 2 + 0.2 * 1.0
    expected = [0, 0.25, 0.5 * (1.5 - mean) + 0.7 - 0.5, 0.3 * (2 - mean), 0.2 * (1.0 - mean)]
    assert gains(offsets, chosen, log_prob, looked_at, value, advantage, led_to) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("rules", [BIG2, HONG_KONG], ids=lambda rules: rules.name)
def test_branch__goes_where_the_games_go_when_the_choices_are_made(rules: RuleSet) -> None:
    rng = np.random.default_rng(5)
    games = PlayedGames(rules, 60)
    controllers = rng.integers(0, 4, (60, 4)).astype(np.int32)  # random, lowest, greedy, heuristic
    controllers[np.arange(60), rng.integers(0, 4, 60)] = NET
    games.deal(rng.integers(0, 2**63, 60), controllers)
    steps = 0
    while len(rows := games.advance()):
        picks = rng.integers(0, games.candidates.count[rows])
        before = games.games.copy(), games.tracks.copy(), games.candidates.copy()
        ahead = games.branch(rows, picks)
        on = ahead.advance()
        assert all((now == then).all() for now, then in zip((games.games, games.tracks, games.candidates), before, strict=True))
        games.choose(rows, picks)
        still = games.advance()
        assert (rows[on] == still).all()
        assert (ahead.payoffs() == games.payoffs()[rows]).all()
        there, here = ahead.features(on, hidden=True), games.features(still, hidden=True)
        for name in ("states", "hidden", "plays", "offsets"):
            assert (getattr(there, name) == getattr(here, name)).all()
        less = ahead.features(on, plays=False)
        assert (less.states == there.states).all()
        assert len(less.plays) == len(less.hidden) == less.offsets.sum() == 0
        steps += len(still)
    assert steps > 300


def test_collect__looks_at_the_likely_plays_of_who_is_alone_among_rule_players() -> None:
    torch.manual_seed(0)
    games, networks = PlayedGames(HONG_KONG, 64), (Policy(8, 8, 8, 8), Critic(8), Policy(8, 8, 8, 8))
    torch.nn.init.normal_(networks[0].head2.weight, std=30.0)
    batch = collect(games, *networks, np.random.default_rng(3), parameters(opponent_share=1.0), scale=10.0)
    owner = np.repeat(np.arange(len(batch.chosen)), np.diff(batch.features.offsets))
    rule_players = batch.features.hidden[:, CARD_SIZES.hidden :].reshape(-1, 3, NUM_RULE_PLAYERS)
    is_alone = rule_players.sum(axis=(1, 2)) == 3
    assert 0.4 < is_alone.mean() < 0.95
    gain = batch.gain.copy()
    gain[batch.features.places(batch.chosen)] -= batch.advantage
    assert not gain[~is_alone[owner]].any()
    share = np.exp(batch.log_prob)
    others = is_alone[owner] & ~np.isin(np.arange(len(gain)), batch.features.places(batch.chosen))
    is_likely = batch.log_prob > np.log(CandidatePpoParameters.min_prob)
    assert 0.1 < is_likely[others].mean() < 0.9
    lost = np.zeros(len(owner))  # what all unlikely plays of a choice lose alike: they count as the critic's value
    for n in np.flatnonzero(is_alone):
        plays = np.flatnonzero(others & (owner == n))
        unlikely = gain[plays[~is_likely[plays]]] / share[plays[~is_likely[plays]]]
        if len(unlikely):
            assert unlikely == pytest.approx(unlikely[0], abs=1e-3)
            lost[plays] = unlikely[0]
    found = np.abs(gain / share - lost)[others & is_likely]
    assert (found > 1e-5).mean() > 0.9


def dealt_alone(seats: np.ndarray, rng: np.random.Generator) -> PlayedGames:
    """Games with a network in one seat each, alone among three rule players of a kind."""
    games = PlayedGames(HONG_KONG, len(seats))
    controllers = np.where(np.arange(4) == seats[:, None], NET, rng.integers(0, 4, (len(seats), 1)))
    games.deal(np.arange(len(seats)), controllers)
    return games


def test_other_players__are_distinguished_in_turn_order_except_for_the_learner() -> None:
    controllers = np.array([[NET, GREEDY, -2, -4], [-3, NET, NET, HEURISTIC]], np.int32)
    found = other_players(controllers, np.array([0, 1]), np.array([0, 2]), 7).reshape(2, 3, 7)
    # random, lowest, greedy, heuristic, the snapshot, two of the league
    assert [np.flatnonzero(row).tolist() for row in found[0]] == [[GREEDY], [4], [6]]
    assert [np.flatnonzero(row).tolist() for row in found[1]] == [[HEURISTIC], [5], []]


def test_look_ahead__finds_what_comes_of_the_plays_when_they_are_made() -> None:
    torch.manual_seed(0)
    policy, seats, rng = Policy(8, 8, 8, 8), np.arange(40) % 4, np.random.default_rng(4)
    judge = Judge(policy, Critic(8), parameters(win_bonus=0.5), 10.0)
    games = dealt_alone(seats, rng)
    ended = went_on = 0
    with torch.no_grad():
        while len(rows := games.advance()):
            made = draw({NET: policy}, games.features(rows), np.full(len(rows), NET), rng)[1][NET]
            made.log_prob[:] = 0  # all are likely
            picks, made.chosen = made.chosen, (made.chosen + 1) % np.diff(made.features.offsets)
            looked_at, is_played_out = judge.look_ahead(games, rows, made)
            assert not looked_at[made.features.places(made.chosen)].any()
            assert not is_played_out.any()
            found = looked_at[made.features.places(picks)]
            games.choose(rows, picks)
            on = games.advance()
            is_on = np.isin(rows, on)
            assert found[~is_on] == pytest.approx(judge.rewards(games)[rows, seats[rows]][~is_on])
            if len(on):
                assert found[is_on] == pytest.approx(judge.values(features_of(games, on, NUM_RULE_PLAYERS)), abs=1e-6)
            ended, went_on = ended + (~is_on).sum(), went_on + len(on)
    assert ended > 30
    assert went_on > 200


def test_look_ahead__plays_games_out_by_the_best_plays_beside_what_the_critic_says() -> None:
    torch.manual_seed(0)
    policy, critic, seats, rng = Policy(8, 8, 8, 8), Critic(8), np.arange(40) % 4, np.random.default_rng(4)
    by_critic, to_the_end, mixed = (
        Judge(policy, critic, parameters(win_bonus=0.5, playout_weight=weight), 10.0) for weight in (0.0, 1.0, 0.25)
    )
    games = dealt_alone(seats, rng)
    with torch.no_grad():
        while len(rows := games.advance()):
            made = draw({NET: policy}, games.features(rows), np.full(len(rows), NET), rng)[1][NET]
            is_sure = rng.random(len(rows)) < 0.3
            made.log_prob[:] = np.where(
                np.repeat(is_sure, np.diff(made.features.offsets)), np.log(CandidatePpoParameters.min_prob / 2), 0
            )
            picks = made.features.places(made.chosen)
            made.log_prob[picks] = 0  # of sure choices no other play is likely
            (near, _), (far, is_played_out), (between, _) = (
                judge.look_ahead(games, rows, made) for judge in (by_critic, to_the_end, mixed)
            )
            assert (is_played_out == ~is_sure).all()
            assert not far[picks[is_sure]].any()
            others = np.setdiff1d(np.arange(len(near)), picks)
            assert between[others] == pytest.approx(0.75 * near[others] + 0.25 * far[others], abs=1e-5, nan_ok=True)
            tried = games.branch(rows, made.chosen)
            while len(on := tried.advance()):
                features = tried.features(on)
                score = scores(policy, features)[0].numpy()
                best = [part.argmax() for part in np.split(score, features.offsets[1:-1])]
                tried.choose(on, np.array(best))
            ends = to_the_end.rewards(tried)[np.arange(len(rows)), seats[rows]]
            assert far[picks[~is_sure]] == pytest.approx(ends[~is_sure])
            games.choose(rows, made.chosen)


def test_collect__with_games_played_out_gives_plays_what_came_of_them_alone() -> None:
    """Not what came of the game itself, in which plays are drawn."""
    torch.manual_seed(0)
    games, policy, critic = PlayedGames(BIG2, 64), Policy(8, 8, 8, 8), Critic(8)
    torch.nn.init.normal_(policy.head2.weight, std=30.0)
    by_weight = [parameters(opponent_share=1.0, playout_weight=weight) for weight in (0.0, 1.0)]
    found = [collect(games, policy, critic, None, np.random.default_rng(3), args, scale=1.0) for args in by_weight]
    assert (found[0].chosen == found[1].chosen).all()
    assert (found[0].advantage == found[1].advantage).all()
    offsets, share, gain = found[1].features.offsets, np.exp(found[1].log_prob), found[1].gain
    is_alone = found[1].features.hidden[:, CARD_SIZES.hidden :].sum(axis=1) == 3
    compared = 0
    for n in np.flatnonzero(is_alone):
        plays = np.arange(offsets[n], offsets[n + 1])
        likely = plays[share[plays] > 1.01 * CandidatePpoParameters.min_prob]
        if len(likely) > 1 and offsets[n] + found[1].chosen[n] in likely:
            values = gain[likely] / share[likely]  # less what all plays of the choice lose alike
            steps = values - values[0]
            assert np.abs(steps[:, None] - np.array([-4 / 3, 0, 4 / 3])).min(axis=1) == pytest.approx(0, abs=1e-2)
            compared += bool(np.abs(steps).max() > 0.5)
    assert compared > 10
    assert not np.allclose(found[0].gain, gain, atol=0.05)


def test_collect__with_lambda_one_gives_every_choice_its_own_seats_payoff() -> None:
    torch.manual_seed(0)
    games, scale = PlayedGames(HONG_KONG, 24), 10.0
    args = parameters(opponent_share=0.4, gae_lambda=1.0)
    batch = collect(games, Policy(8, 8, 8, 8), Critic(8), None, np.random.default_rng(3), args, scale=scale)
    payoffs = games.payoffs()
    assert len(batch.chosen) == len(batch.target) == len(batch.features.states) == len(batch.features.offsets) - 1
    assert np.allclose(payoffs.sum(axis=1), 0)
    assert set(np.round(batch.target * scale).astype(int)) <= set(payoffs.astype(int).ravel())
    assert (batch.target < 0).any()
    assert (batch.target > 0).any()
    assert (batch.chosen < np.diff(batch.features.offsets)).all()
    assert (batch.log_prob <= 0).all()


def test_collect__tells_the_critic_its_opponents_and_pays_wins_against_them() -> None:
    torch.manual_seed(0)
    games, scale, bonus = PlayedGames(BIG2, 64), 10.0, 0.5
    args = parameters(opponent_share=0.7, gae_lambda=1.0, win_bonus=bonus)
    batch = collect(games, Policy(8, 8, 8, 8), Critic(8), None, np.random.default_rng(3), args, scale=scale)
    rule_players = batch.features.hidden[:, CARD_SIZES.hidden :].reshape(-1, 3, NUM_RULE_PLAYERS)
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
