from __future__ import annotations

import copy
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from drawn_position import DRAWN
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from house_rules import DRAWING, LAST_OUT
from outside_patterns import OUTSIDE
from seat_opponents import Drawn, Greedy, episode

from big2_env import BIG2, HONG_KONG, CardsLeft, ConfigError, Game, IllegalPlayError, RuleSet
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.envs.aec import raw_env
from big2_env.envs.seat import SeatEnv

NO_SPEC = "ignore:.*Not able to test alternative render modes due to the environment not having a spec:UserWarning"


@pytest.mark.filterwarnings(NO_SPEC)  # such is an environment that was not made by gymnasium.make; the next test makes one
@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("rules", [BIG2, HONG_KONG, OUTSIDE, DRAWING], ids=lambda rules: f"{rules.name}-{len(rules.patterns)}")
def test_seat__passes_gymnasiums_and_stable_baselines_checkers(rules: RuleSet, dtype: str) -> None:
    from stable_baselines3.common.env_checker import check_env as check_env_of_sb3

    for on_turn in ("random", 0):
        check_env(SeatEnv(ruleset=rules, dtype=dtype, seat=on_turn))
        check_env_of_sb3(SeatEnv(ruleset=rules, dtype=dtype, seat=on_turn))


def test_seat__passes_gymnasiums_checker_in_every_render_mode(capsys: pytest.CaptureFixture[str]) -> None:
    check_env(gymnasium.make("big2_env:big2/Big2-v0").unwrapped)
    assert "輪到learner了" in capsys.readouterr().out


@pytest.mark.parametrize("rules", [BIG2, LAST_OUT, HONG_KONG], ids=lambda rules: rules.name)
def test_seat__pays_the_wins_and_losses_that_are_seen(rules: RuleSet) -> None:
    env, rng = SeatEnv(ruleset=rules), np.random.default_rng(4)
    seen, paid, elsewhere = Counter[float](), Counter[float](), Counter[bool]()
    for number in range(300):
        rewards, info = episode(env, rng, seed=9 if number == 0 else None)
        assert not any(rewards[:-1])
        outcome = env.game.outcome
        assert outcome is not None
        assert (info["winner"], info["payoffs"].tolist()) == (outcome.winner, list(outcome.payoffs))
        assert info["seat"] == env.seat
        seen[outcome.payoffs[env.seat]] += 1
        paid[rewards[-1]] += 1
        elsewhere[env.game.history[-1].seat == env.seat] += 1
        assert rewards[-1] == outcome.payoffs[env.seat]
        assert rewards[-1] > 0 or outcome.winner != env.seat
    assert paid == seen
    assert elsewhere[False] > 150  # so many games end by somebody else's act: a naive wrapper would not see their rewards
    if rules is BIG2:
        assert paid[1.0] + paid[-1 / 3] == 300
        assert 45 < paid[1.0] < 105  # a random learner among random players wins one in four
        assert paid[1.0] == elsewhere[True]


def test_seat__of_the_learner_is_drawn_anew_or_fixed() -> None:
    env = SeatEnv()
    drawn = Counter(env.reset(seed=3 if i == 0 else None)[1]["seat"] for i in range(200))
    assert sorted(drawn) == [0, 1, 2, 3]
    assert min(drawn.values()) > 30
    for fixed in range(4):
        env = SeatEnv(seat=fixed)
        assert {env.reset(seed=i)[1]["seat"] for i in range(10)} == {fixed}
        assert env.reset(options={"seat": 2})[1]["seat"] == 2
        assert env.reset()[1]["seat"] == fixed


def test_seat__sees_its_view_and_is_asked_when_it_is_to_move() -> None:
    for rules in (BIG2, OUTSIDE):
        env, rng, layout = SeatEnv(ruleset=rules, dtype="float32"), np.random.default_rng(0), ObservationLayout(rules)
        for seed in range(5):
            observation, info = env.reset(seed=seed)
            done = False
            while not done:
                assert env.game.turn == env.seat
                assert np.array_equal(observation, layout.encode(env.game.view(env.seat)))
                assert set(np.flatnonzero(info["action_mask"])) == set(env.actions.ids(env.game.legal_plays()))
                observation, _, done, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
            assert np.array_equal(observation, layout.encode(env.game.view(env.seat)))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"opponents": "nobody"}, "unknown agent 'nobody'; expected one of "),
        ({"opponents": ["random"] * 4}, "expected one opponent, or one for each of the 3 other seats, got 4"),
        ({"opponents": []}, "expected one opponent, or one for each of the 3 other seats, got 0"),
        ({"opponents": [5, 5, 5]}, "expected the name of an agent, an agent with reset and act, what makes one"),
        ({"opponents": lambda: 5}, "to make an agent with reset and act, got a int"),
        (
            {"opponents": lambda seen, masks: masks.argmax(1)},
            "a function of observations, masks and draws, or a League, got opponent <fun",
        ),
        ({"seat": 4}, "expected seat 'rotate', 'random' or 0 to 3, got 4"),
        ({"seat": "north"}, "expected seat 'rotate', 'random' or 0 to 3, got 'north'"),
        ({"on_illegal": "ignore"}, "expected on_illegal 'terminate' or 'raise', got 'ignore'"),
        ({"ruleset": "big3"}, "unknown ruleset 'big3'; did you mean big2?"),
        ({"dtype": "uint8"}, "expected dtype 'int8' or 'float32', got 'uint8'"),
        ({"render_mode": "video"}, "expected render_mode 'human', 'ansi', 'svg', 'rgb_array' or None, got 'video'"),
        ({"names": ["Ann"]}, "expected a name for each of the 4 seats, got 1"),
        ({"num_players": 5}, "big2 needs 2 to 4 players, got 5"),
        ({"scoring": "loser"}, "unknown scoring 'loser'; expected"),
    ],
)
def test_seat__refuses_arguments_it_cannot_serve(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(says)):
        SeatEnv(**arguments)


def test_illegal__moves_end_the_episode_with_a_penalty_and_the_reason() -> None:
    for penalty in (-1.0, -13.0):
        env = SeatEnv(illegal_reward=penalty)
        env.reset(options={"position": DRAWN, "seat": 2})
        before = copy.deepcopy(env.game)
        observation, reward, terminated, truncated, info = env.step(np.int64(1))
        assert (reward, terminated, truncated) == (penalty, True, False)
        assert info["illegal"] == "action 1: single D[8] does not beat pair D[6] H[6]"
        assert "winner" not in info
        assert not info["action_mask"].any()
        assert not env.action_masks().any()
        assert observation in env.observation_space
        assert env.game == before
        with pytest.raises(ResetNeeded, match=r"step\(\) after the end of the episode: call reset\(\) first"):
            env.step(14)
        env.reset()
        assert env.action_masks().any()


def test_illegal__moves_raise_and_change_nothing_when_asked_to() -> None:
    env = SeatEnv(on_illegal="raise")
    env.reset(options={"position": DRAWN, "seat": 2})
    before = copy.deepcopy(env.game)
    with pytest.raises(IllegalPlayError, match=r"action 1: single D\[8\] does not beat pair D\[6\] H\[6\]"):
        env.step(1)
    assert env.game == before
    assert not env.step(14)[2]


@pytest.mark.parametrize("on_illegal", ["terminate", "raise"])
def test_illegal__is_not_the_same_as_outside_the_space(on_illegal: str) -> None:
    env = SeatEnv(on_illegal=on_illegal)
    env.reset(seed=1)
    for action in (1379, -1, None, 2.0, "0"):
        with pytest.raises(ConfigError, match=r"expected an integer 0 to 1378 as|expected an action of 0 to 1378, got"):
            env.step(action)
    assert env.action_masks().any()


def test_seat__says_what_comes_too_early() -> None:
    env = SeatEnv()
    for call in (lambda: env.step(0), env.action_masks, env.render, lambda: env.game):
        with pytest.raises(ResetNeeded, match=r"before the first .*: call reset\(\) first"):
            call()


def test_reset__options_set_up_the_game_and_leave_the_stream_alone() -> None:
    env, other = SeatEnv(), SeatEnv()
    deck = BIG2.deck.shuffled(8)
    env.reset(seed=6, options={"deck": deck})
    assert env.game.start == Game.from_deck(BIG2, deck).start
    other.reset(seed=6)
    assert env.reset()[0].tolist() == other.reset()[0].tolist()
    for options, says in [
        ({"seat": 7}, "expected reset option seat 'rotate', 'random' or 0 to 3, got 7"),
        ({"hands": "x"}, "in reset option hands, got a str"),
        ({"deck": deck, "position": DRAWN}, "position, got deck and position"),
    ]:
        with pytest.raises(ConfigError, match=re.escape(says)):
            env.reset(options=options)
    with pytest.warns(UserWarning, match="known are deck, hands, position, seat"):
        env.reset(options={"chair": 2})


def test_reset__does_not_give_an_episode_without_a_decision() -> None:
    class Out(Drawn, Greedy):
        move = Greedy.act

    agents = [Out() for _ in range(25)]
    small = replace(BIG2, min_players=26, max_players=26, players=26, hand_size=2)  # who opens with a pair is out at once
    env = SeatEnv(agents, ruleset=small)
    for number in range(60):
        env.reset(seed=0 if number == 0 else None)
        assert env.action_masks().any()
        assert env.game.turn == env.seat
    assert len(agents[0].seeds) > 60  # some deals were dealt again
    with pytest.raises(ConfigError, match="the game that the reset options set up ended before the learner, seat 2, was asked"):
        SeatEnv(Greedy).reset(options={"hands": ["C[3] D[3]", "C[4]", "D[4]", "H[4]"], "seat": 2})
    env = SeatEnv(Greedy)
    with pytest.raises(ConfigError):
        env.reset(options={"hands": ["C[3]", "C[4]", "D[4]", "H[4]"], "seat": 2})
    with pytest.raises(ResetNeeded):
        env.step(0)


def test_scoring__is_what_the_learner_gets() -> None:
    for scoring in ("cards", CardsLeft()):
        env, rng = SeatEnv(scoring=scoring), np.random.default_rng(2)
        for seed in range(20):
            rewards, info = episode(env, rng, seed=seed)
            left = [hand.bit_count() for hand in env.game.position.hands]
            assert rewards[-1] == (sum(left) if info["winner"] == env.seat else -left[env.seat])


def test_render__names_the_learner_and_the_opponents(capsys: pytest.CaptureFixture[str]) -> None:
    env = SeatEnv(render_mode="ansi", seat=3)
    episode(env, np.random.default_rng(1), seed=1)
    turns = re.findall("輪到(.*)了\n", env.render())
    by_seat = {f"{['opponent_1', 'opponent_2', 'opponent_3', 'learner'][move.seat]}" for move in env.game.history}
    assert set(turns) == by_seat == {"learner", "opponent_1", "opponent_2", "opponent_3"}
    human = SeatEnv(render_mode="human", seat=3)
    capsys.readouterr()
    episode(human, np.random.default_rng(1), seed=1)
    assert capsys.readouterr().out == env.render()
    named = SeatEnv(render_mode="ansi", names=["我", "a", "b", "c"])
    named.reset(seed=1)
    assert "輪到我了" in named.render()


@pytest.mark.parametrize("make", [SeatEnv, raw_env])
def test_render__for_people_is_in_their_language(make: Any, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (make(render_mode="human", lang=lang) for lang in ("en", "zh-Hans"))
    for env in (first, second, second):
        env.reset(seed=1)
        if make is SeatEnv:
            episode(env, np.random.default_rng(1), seed=1)
        else:
            while not env.game.is_over:
                env.step(env.observe(env.agent_selection)["action_mask"].nonzero()[0][0])
    english, chinese, again = (part for part in re.split(r"(?<=\))\n", capsys.readouterr().out) if part)
    assert chinese == again
    for text, words in (
        (english, ("single", "pass", "trick won by", "won by")),
        (chinese, ("单张", "不出", "这一圈归", "获胜")),
    ):
        assert all(word in text for word in words)
        assert text.count("\n") >= len(env.game.history)
    with pytest.raises(ConfigError, match="expected en, zh-Hant, zh-Hans, got 'fr'"):
        make(render_mode="human", lang="fr")
    with pytest.raises(ConfigError, match="expected render_mode 'human' with lang 'en', got 'ansi'"):
        make(render_mode="ansi", lang="en")


@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")  # of torch about itself
@pytest.mark.long
@pytest.mark.release
def test_maskable_ppo__learns_to_beat_random_players() -> None:
    import torch
    from sb3_contrib import MaskablePPO

    torch.set_num_threads(1)

    def score(model: Any, games: int) -> float:
        """Mean payoff of a model over fixed games, its best action each time."""
        env, total = SeatEnv(scoring="cards", on_illegal="raise"), 0.0
        for number in range(games):
            observation, info = env.reset(seed=77 if number == 0 else None)
            done = False
            while not done:
                action, _ = model.predict(observation, action_masks=env.action_masks(), deterministic=True)
                observation, reward, done, _, info = env.step(action)
            total += reward
        assert "winner" in info
        return total / games

    env = SeatEnv(scoring="cards", dtype="float32", on_illegal="raise")  # a mask that were not used would raise
    small = {"n_steps": 512, "batch_size": 128, "n_epochs": 4, "learning_rate": 1e-3, "ent_coef": 0.0, "gamma": 1.0}
    model = MaskablePPO("MlpPolicy", env, policy_kwargs={"net_arch": [64]}, seed=1, device="cpu", **small)
    before = score(model, 100)
    model.learn(3072)
    assert score(model, 100) > max(before, 0) + 2
