"""The environment of all seats: PettingZoo's own tests, whole games beside the rules, rewards, illegal acts, copies, spaces."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections import Counter
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from drawn_position import DRAWN
from gymnasium.error import ResetNeeded
from house_rules import BOMBS, DRAWING, LAST_OUT, LOCKED, TIERS
from outside_patterns import OUTSIDE

from big2_env import (
    HONG_KONG,
    CardsLeft,
    ConfigError,
    Game,
    IllegalPlayError,
    Refusal,
    RuleSet,
    StepTable,
    available_rulesets,
)
from big2_env.envs import aec
from big2_env.testing import check_masks

with warnings.catch_warnings():  # PettingZoo's checkers import a game of PettingZoo's in the way it deprecates
    warnings.filterwarnings("ignore", "The old environment creation API", DeprecationWarning)
    from pettingzoo.test import api_test, render_test, seed_test
from aec_states import everything, ids, moved

RULES = [*available_rulesets().values(), OUTSIDE]
KINDS = [aec.env, aec.raw_env]


@pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array:UserWarning",  # said of every dict whose environment is not on PettingZoo's list
    "ignore:Observation space for each agent probably should be:UserWarning",  # the same
    r"ignore:reset options \['options'\] are not known:UserWarning",  # the checker sends that option
)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rules", RULES, ids=ids)
def test_aec__passes_pettingzoos_api_test(rules: RuleSet, kind: Any) -> None:
    for dtype in ("int8", "float32"):
        api_test(kind(ruleset=rules, dtype=dtype), num_cycles=60)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rules", RULES, ids=ids)
def test_aec__passes_pettingzoos_seed_test(rules: RuleSet, kind: Any) -> None:
    seed_test(lambda: kind(ruleset=rules))


@pytest.mark.parametrize("kind", KINDS)
def test_aec__passes_pettingzoos_render_test(kind: Any, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(kind)
    assert "輪到player_0了" in capsys.readouterr().out


@pytest.mark.parametrize("rules", [OUTSIDE, BOMBS, LOCKED, LAST_OUT], ids=ids)
@pytest.mark.parametrize("kind", KINDS)
def test_aec__plays_whole_games_as_the_rules_do(rules: RuleSet, kind: Any) -> None:
    env, rng = kind(ruleset=rules), np.random.default_rng(1)
    layout, played = env.unwrapped.layout, Counter[str]()
    for seed in range(20):
        env.reset(seed=seed)
        game = Game.from_position(rules, env.unwrapped.game.start)
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            if terminated:
                assert game.outcome is not None
                assert reward == game.outcome.payoffs[int(agent[-1])]
                env.step(None)
                continue
            assert (agent, reward, truncated, info) == (f"player_{game.turn}", 0, False, {})
            assert np.array_equal(observation["observation"], layout.encode(game.view()))
            legal = game.legal_plays()
            assert set(np.flatnonzero(observation["action_mask"])) == set(env.unwrapped.actions.ids(legal))
            action = rng.choice(np.flatnonzero(observation["action_mask"]))
            play = env.unwrapped.actions.play(action, legal)
            played[play.pattern] += 1
            game.push(play)
            env.step(action)
        assert game.is_over
        assert env.agents == []
    assert len(played) >= 4
    assert rules is not OUTSIDE or {"triple", "two_pairs"} <= played.keys()


@pytest.mark.parametrize(
    ("scoring", "expected"),
    [(None, "winner"), ("winner", "winner"), ("cards", "cards"), (CardsLeft(), "cards"), (StepTable(((1, 5),)), "table")],
)
def test_rewards__reach_every_seat_when_the_game_ends(scoring: Any, expected: str) -> None:
    env = aec.raw_env(scoring=scoring)
    for seed in range(20):
        moved(env, seed, 10**6)
        left = [hand.bit_count() for hand in env.game.position.hands]
        winner = left.index(0)
        cost = {"winner": [1 / 3] * 4, "cards": left, "table": [5] * 4}[expected]
        paid = [-cost[seat] if seat != winner else sum(cost) - cost[winner] for seat in range(4)]
        assert all(env.terminations.values())
        assert not any(env.truncations.values())
        assert [env.rewards[f"player_{seat}"] for seat in range(4)] == pytest.approx(paid)
        got = {}
        for agent in env.agent_iter():
            _, got[agent], terminated, _, _ = env.last()
            assert terminated
            env.step(None)
        assert [got[f"player_{seat}"] for seat in range(4)] == pytest.approx(paid)
        assert env.agents == []


def test_rewards__of_a_ruleset_are_its_own_unless_told_otherwise() -> None:
    env = moved(aec.raw_env("hong_kong"), 3, 10**6)
    assert env.ruleset is HONG_KONG
    assert min(env.rewards.values()) < -1 / 3
    assert moved(aec.raw_env("hong_kong", scoring="winner"), 3, 10**6).ruleset == HONG_KONG.with_scoring("winner")


def test_step__refuses_what_is_not_legal_and_changes_nothing() -> None:
    env = aec.raw_env()
    env.reset(options={"position": DRAWN})  # seat 2 holds D[8] H[8] C[A], over a pair of sixes
    slots = env.actions.to_action
    before = everything(env)
    for action, error, says in [
        (slots((0,)), IllegalPlayError, rf"^player_2, action {slots((0,))}: single D\[8\] does not beat pair D\[6\] H\[6\]$"),
        (slots((1, 2)), IllegalPlayError, r"H\[8\] C\[A\]: no pattern of big2 \(single, pair, straight, full_house\)"),
        (slots((0, 3)), IllegalPlayError, "player_2, action 17: place 3: the hand has places 0 to 2"),
        (1379, ConfigError, "^player_2: expected an action of 0 to 1378, got 1379$"),
        (-1, ConfigError, "player_2: expected an action of 0 to 1378, got -1"),
        (None, ConfigError, "player_2: expected an integer 0 to 1378 as action, got None"),
        (14.0, ConfigError, "player_2: expected an integer 0 to 1378 as action, got 14.0"),
        ("14", ConfigError, "player_2: expected an integer 0 to 1378 as action, got '14'"),
        (np.array([14, 15]), ConfigError, "expected an integer 0 to 1378 as action"),
    ]:
        with pytest.raises(error, match=says):
            env.step(action)
        assert everything(env) == before
    env.step(np.int32(slots((0, 1))))
    assert everything(env) != before


def test_step__refuses_a_pass_of_whoever_leads() -> None:
    env = moved(aec.raw_env(), 2, 0)
    with pytest.raises(IllegalPlayError, match="pass: the leader must play") as caught:
        env.step(0)
    assert caught.value.refusal is Refusal.MUST_PLAY


def test_raw_env__says_what_comes_too_early_or_too_late() -> None:
    env = aec.raw_env()
    calls = (lambda: env.step(0), lambda: env.observe("player_0"), env.state, env.render, lambda: env.game, lambda: env.salt)
    for call in calls:
        with pytest.raises(ResetNeeded, match=r"before the first game: call reset\(\) first"):
            call()
    for name in ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos", "np_random"):
        with pytest.raises(AttributeError, match=rf"raw_env has no attribute '{name}': call reset\(\) first"):
            getattr(env, name)
    with pytest.raises(AttributeError, match=r"no attribute 'agents': call reset\(\) first"):
        _ = env.num_agents
    with pytest.raises(AttributeError, match=r"'raw_env' object has no attribute 'colour'$"):
        _ = env.colour
    moved(env, 1, 10**6)
    with pytest.raises(ValueError, match="when an agent is dead, the only valid action is None"):
        env.step(0)
    for _ in env.agent_iter():
        env.step(None)
    with pytest.raises(ResetNeeded, match=r"step\(\) after the last agent is done"):
        env.step(None)
    for agent in ("player_4", "seat", None, ["player_0"]):
        for ask in (env.observe, env.observation_space, env.action_space):
            with pytest.raises(ConfigError, match="expected agent player_0, player_1, player_2, player_3, got"):
                ask(agent)


def test_env__ends_the_game_of_whoever_moves_illegally() -> None:
    env = moved(aec.env(), 6, 9)
    actor = env.agent_selection
    illegal = int(np.flatnonzero(env.observe(actor)["action_mask"] == 0)[-1])
    env.step(illegal)
    rewards = {}
    for agent in env.agent_iter():
        observation, rewards[agent], terminated, _, _ = env.last()
        assert terminated
        assert not observation["action_mask"].any()
        env.step(None)
    assert rewards == {agent: -1 if agent == actor else 0 for agent in env.possible_agents}
    assert check_masks(env, games=1, seed=1) > 0  # the next game is as good as any


def test_env__has_pettingzoos_wrappers() -> None:
    env = aec.env()
    with pytest.raises(AttributeError, match="agents cannot be accessed before reset"):
        _ = env.agents
    with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before step"):
        env.step(0)
    env.reset(seed=1)
    with pytest.raises(AssertionError, match="action is not in action space"):
        env.step(1379)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("kind", KINDS)
def test_aec__is_copied_together_with_its_game(kind: Any, copied: Any) -> None:
    env = moved(kind(render_mode="ansi"), 8, 25)
    twin = copied(env)
    assert everything(twin.unwrapped) == everything(env.unwrapped)
    action = int(env.observe(env.agent_selection)["action_mask"].argmax())
    before = everything(twin.unwrapped)
    env.step(action)
    assert everything(twin.unwrapped) == before  # two games from here on
    twin.step(action)
    assert everything(twin.unwrapped) == everything(env.unwrapped)
    assert twin.render() == env.render()
    env.reset()
    twin.reset()  # the generators go on alike
    assert twin.unwrapped.game == env.unwrapped.game


def test_observe__gives_arrays_of_their_own_to_every_agent_at_any_time() -> None:
    env = moved(aec.raw_env(), 5, 12)
    before = everything(env)
    for agent in env.possible_agents:
        for array in (*env.observe(agent).values(), env.state()):
            array[:] = 1
    assert everything(env) == before
    moved(env, 5, 10**6)
    for _ in env.agent_iter():
        env.step(None)
    for agent in env.possible_agents:
        seen = env.observe(agent)
        assert seen in env.observation_space(agent)
        assert not seen["action_mask"].any()
        assert np.array_equal(seen["observation"], env.layout.encode(env.game.view(int(agent[-1]))))


@pytest.mark.parametrize("dtype", ["int8", "float32", np.float32])
@pytest.mark.parametrize("rules", [*RULES, TIERS, DRAWING], ids=ids)
def test_spaces__hold_what_comes_out(rules: RuleSet, dtype: Any) -> None:
    env = aec.raw_env(rules, dtype=dtype)
    for moves in (0, 20, 10**6):
        moved(env, 7, moves)
        assert env.state() in env.state_space
        assert env.state().dtype == env.state_space.dtype == np.dtype(dtype)
        for agent in env.possible_agents:
            seen, space = env.observe(agent), env.observation_space(agent)
            assert space is env.observation_space(agent)
            assert env.action_space(agent) is env.action_space(agent)
            assert seen in space
            assert list(space) == list(seen) == ["observation", "action_mask"]
            assert (seen["observation"].dtype, seen["action_mask"].dtype) == (np.dtype(dtype), np.int8)
            assert env.action_space(agent).n == env.actions.n == len(seen["action_mask"])
    assert len({id(env.action_space(agent)) for agent in env.possible_agents}) == len(env.possible_agents)


def test_metadata__is_what_pettingzoo_asks_for() -> None:
    env = aec.raw_env()
    assert isinstance(env, pettingzoo.AECEnv)
    assert (str(env), str(aec.env().unwrapped), str(aec.raw_env("hong_kong"))) == ("big2_v0", "big2_v0", "hong_kong_v0")
    assert env.metadata["is_parallelizable"] is False
    assert env.metadata["render_modes"] == ["human", "ansi", "svg", "rgb_array"]
    assert env.possible_agents == ["player_0", "player_1", "player_2", "player_3"]
    assert aec.raw_env.metadata["name"] == "big2_v0"


def test_aec__serves_a_ruleset_that_makes_the_first_play_itself() -> None:
    env = aec.raw_env(replace(HONG_KONG, auto_lead=True), render_mode="ansi")
    env.reset(seed=2)
    assert len(env.game.history) == 1
    assert "打出了 單張 D[3]" in env.render()
    assert check_masks(env) > 30


def test_aec__is_no_gymnasium_env() -> None:
    assert not isinstance(aec.raw_env(), gymnasium.Env)
