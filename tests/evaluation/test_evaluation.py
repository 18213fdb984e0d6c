"""`evaluate`: the games of the reference engine, the same for functions, models and agents, with intervals by deal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import StopTrainingOnRewardThreshold

from big2_agents.evaluation import Evaluation, evaluate
from big2_agents.evaluation import deals as duplicate
from big2_agents.evaluation.callback import DealEvalCallback
from big2_env import ConfigError, Game, IllegalPlayError, ruleset
from big2_env.agents.interface import make_agent, play_out, reset_seats
from big2_env.base.rng import SplitMix64
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.envs.sb3 import LegalPolicy, PolicyOpponent, SeatVecEnv

Array = np.ndarray[Any, Any]


class Longest:
    """An agent of which there is no batched form."""

    def reset(self, seed: int) -> None:
        self.seed = seed

    def act(self, view: View, legal: LegalPlays) -> Play:
        return max(legal, key=len)


def highest(observations: Array, masks: Array) -> Array:
    """The legal action of the highest number, for one decision or many."""
    found: Array = (masks * np.arange(masks.shape[-1])).argmax(axis=-1)
    return found


def assert_equal(one: Evaluation, other: Evaluation) -> None:
    assert np.array_equal(one.won, other.won)
    assert np.array_equal(one.paid, other.paid)


OTHERS = [pytest.param(*each, marks=pytest.mark.long) for each in (("hong_kong", 3), ("dou_dizhu", 3), ("mini6", 2))]


@pytest.mark.parametrize(("name", "players"), [("big2", 4), *OTHERS])
def test_evaluate__plays_each_deal_from_every_seat(name: str, players: int) -> None:
    rules, others = ruleset(name), ["greedy", "heuristic", "lowest"][: players - 1]
    won, paid = np.zeros((2, 6, players))
    for deal in range(6):
        for seat in range(players):
            game = Game.deal(rules, SplitMix64(SplitMix64(5 + deal).next()).next(), players)
            seats = [make_agent("lowest"), *map(make_agent, others)]
            seats = [seats[(place - seat) % players] for place in range(players)]
            reset_seats(seats, game)
            outcome = play_out(game, seats)
            best = outcome.payoffs[outcome.winner]
            won[deal, seat] = seat == outcome.winner or outcome.payoffs[seat] == best > 0
            paid[deal, seat] = outcome.payoffs[seat]
    found = evaluate("lowest", others, 6, seed=5, ruleset=name, num_players=players)
    assert np.allclose(found.won, won.mean(axis=1))
    assert np.allclose(found.paid, paid.mean(axis=1))


def test_evaluate__takes_functions_of_one_or_many_decisions() -> None:
    many = evaluate(highest, ["random", Longest(), "greedy"], 8)
    assert_equal(many, evaluate(highest, ["random", Longest(), "greedy"], 8, by_row=True))
    with pytest.raises(ConfigError, match=r"expected 8 actions of .*, got 0: by_row=True passes one row at a time"):
        evaluate(lambda seen, mask: int(mask[0].argmin()), "random", 8)
    assert_equal(many, evaluate(lambda seen, masks, rng: highest(seen, masks), ["random", Longest(), "greedy"], 8))
    assert_equal(evaluate(Longest(), "greedy", 8), evaluate(Longest, "greedy", 8))


def test_evaluate__deals_depend_on_the_seed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = evaluate("greedy", "random", 10, seed=3)
    monkeypatch.setattr(duplicate, "MOST_GAMES", 13)  # three deals at a time
    assert_equal(whole, evaluate("greedy", "random", 10, seed=3))
    rest = evaluate("greedy", "random", 7, seed=6)
    assert_equal(Evaluation(whole.won[3:], whole.paid[3:]), rest)
    assert not np.array_equal(whole.paid, evaluate("greedy", "random", 10, seed=30).paid)


def test_evaluate__takes_models_and_plays_their_most_likely_actions() -> None:
    env = SeatVecEnv(4, "lowest", dtype="float32")
    model = MaskablePPO(LegalPolicy, env, n_steps=8, batch_size=16, seed=1)
    by_model = evaluate(model, "lowest", 6)
    assert_equal(by_model, evaluate(PolicyOpponent(model, deterministic=True), "lowest", 6, dtype="float32"))
    with pytest.raises(IllegalPlayError, match=r"the policy on seat \d of game \d+, action \d+: "):
        evaluate(PPO("MlpPolicy", env, n_steps=8, batch_size=16, seed=1), "lowest", 6)


def test_evaluate__scores_as_it_is_told() -> None:
    own, by_cards = (evaluate("greedy", "random", 20, scoring=scoring) for scoring in (None, "cards"))
    assert np.array_equal(own.won, by_cards.won)
    assert not np.array_equal(own.paid, by_cards.paid)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"deals": 0}, "expected 1 deal or more, got 0"),
        ({"deals": True}, "expected 1 deal or more, got True"),
        ({"policy": "nobody"}, "nobody"),
        ({"opponents": ["random"]}, "one for each of the 3 other seats, got 1"),
        ({"policy": lambda seen, masks: masks[:, 0] * 1.0}, "expected 8 integers"),
        ({"policy": lambda seen, masks: np.full(len(masks), 10**6)}, "the policy on seat 0 of game 0"),
        ({"opponents": lambda seen, masks, rng: np.full(len(masks), 10**6)}, "opponent <function"),
    ],
)
def test_evaluate__refuses_in_one_line(wrong: dict[str, Any], message: str) -> None:
    given = {"policy": "lowest", "opponents": "lowest", "deals": 8} | wrong
    with pytest.raises(ConfigError, match=message) as caught:
        evaluate(given.pop("policy"), given.pop("opponents"), given.pop("deals"), **given)
    assert "\n" not in str(caught.value)


def test_gain__has_the_interval_of_pairs() -> None:
    strong, weak = (evaluate(policy, "random", 60) for policy in ("heuristic", "lowest"))
    gain = strong.gain(weak)
    assert gain.mean == pytest.approx(strong.payoff.mean - weak.payoff.mean)
    assert 0 < gain.half_width < strong.payoff.half_width + weak.payoff.half_width
    assert str(strong).endswith(" points per game, 60 deals")
    with pytest.raises(ConfigError, match="expected an evaluation of 60 deals, got one of 5"):
        strong.gain(evaluate("lowest", "random", 5))


def test_callback__keeps_the_best_model_and_the_results(tmp_path: Path) -> None:
    env = SeatVecEnv(4, "random", ruleset="hong_kong", num_players=3)
    model = MaskablePPO(LegalPolicy, env, n_steps=8, batch_size=16, seed=1)
    callback = DealEvalCallback(
        "random", n_eval_deals=6, eval_freq=8, log_path=tmp_path, best_model_save_path=tmp_path, verbose=0
    )
    model.learn(4 * 8 * 3, callback=callback)
    saved = np.load(tmp_path / "evaluations.npz")
    assert saved["timesteps"].tolist() == [32, 64, 96]
    assert saved["results"].shape == saved["wins"].shape == (3, 6)
    means = saved["results"].mean(axis=1)
    assert callback.best_mean_reward == pytest.approx(means.max())
    assert callback.last_mean_reward == pytest.approx(means[-1])
    best = MaskablePPO.load(tmp_path / "best_model", env=env)
    again = evaluate(best, "random", 6, seed=10_000_000, ruleset="hong_kong", num_players=3)
    assert again.payoff.mean == pytest.approx(means.max())


def test_callback__of_a_new_best_ends_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    env = SeatVecEnv(4, "random")
    model = MaskablePPO(LegalPolicy, env, n_steps=8, batch_size=16, seed=1)
    stop = StopTrainingOnRewardThreshold(reward_threshold=-9.0)
    model.learn(4 * 8 * 3, callback=DealEvalCallback("random", stop, n_eval_deals=6, eval_freq=8))
    assert model.num_timesteps == 32
    assert capsys.readouterr().out.startswith("32 steps: wins ")
