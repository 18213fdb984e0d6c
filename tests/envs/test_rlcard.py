"""RLCard's agents run on the RLCard adapter, which shows each seat what it may know and pays every seat."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pyspiel
import pytest
import rlcard as rlcard_library
from open_spiel.python.policy import tabular_policy_from_callable
from quick_rlcard import agents
from rlcard.utils import reorganize, tournament

from big2_env import ConfigError, RuleSet, ruleset
from big2_env.climbing.actions import action_space
from big2_env.climbing.mini_games import MINI6, MINI12
from big2_env.envs import openspiel, rlcard
from big2_env.envs.rlcard import ActionFeatures, ClimbingEnv


class Anyone:
    """An agent that moves at random, from its state alone."""

    use_raw = False

    def __init__(self, seed: int = 0) -> None:
        self._rng = np.random.default_rng(seed)

    def step(self, state: dict[str, Any]) -> int:
        return int(self._rng.choice(list(state["legal_actions"])))

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        return self.step(state), {}


def seated(rules: str | RuleSet, **options: Any) -> ClimbingEnv:
    env = rlcard.make(rules, seed=5, **options)
    env.set_agents([Anyone(seat) for seat in range(env.num_players)])
    return env


@pytest.mark.parametrize("name", ["mini6", "big2", "dou_dizhu", "qi_gui_521", "tien_len"])
def test_run__gives_every_seat_its_moves_and_its_payoff(name: str) -> None:
    env = seated(name)
    trajectories, payoffs = env.run(is_training=True)
    outcome = env.game.game.outcome
    assert outcome is not None
    assert payoffs.tolist() == env.get_payoffs().tolist() == list(outcome.payoffs)
    moves = [text for _, text in env.action_recorder]
    assert moves == [text for _, text in env.get_state(0)["raw_obs"]["trace"]]
    assert len(moves) == sum(len(one) // 2 for one in trajectories)
    for seat, transitions in enumerate(reorganize(trajectories, payoffs)):
        for state, action, reward, after, done in transitions:
            assert action in state["legal_actions"]
            assert len(state["legal_actions"]) == len(state["raw_legal_actions"]) == len(state["raw_obs"]["actions"])
            assert state["obs"].shape == tuple(env.state_shape[seat])
            assert state["obs"].dtype == np.int8
            assert state["raw_obs"]["player"] == after["raw_obs"]["player"] == seat
            assert reward == (payoffs[seat] if done else 0)
            for legal, feature in state["legal_actions"].items():
                assert feature.shape == tuple(env.action_shape[seat])
                assert (env.get_action_feature(legal) == feature).all()
        assert transitions[-1][-1]


def test_states__hold_the_own_hand_only() -> None:
    env = seated("big2")
    _, player = env.reset()
    hands = env.get_perfect_information()["hands"]
    for seat in range(4):
        state = env.get_state(seat)
        assert state["raw_obs"]["hand"] == hands[seat]
        assert not any(hand in str(state) for other, hand in enumerate(hands) if other != seat)
        assert bool(state["legal_actions"]) == (seat == player)
        assert (state["obs"] == env.layout.encode(env.game.game.view(seat))).all()


def test_seeds__make_the_same_games() -> None:
    runs = [seated("big2", scoring="cards").run() for _ in range(2)]
    assert [one[1].tolist() for one in runs] == [runs[0][1].tolist()] * 2
    env = seated("big2")
    assert len({env.reset()[0]["raw_obs"]["hand"] for _ in range(5)}) == 5
    again = pickle.loads(pickle.dumps(env))
    assert again.reset()[0]["raw_obs"] == env.reset()[0]["raw_obs"]


def test_step_back__restores_the_state() -> None:
    env = seated("mini12", allow_step_back=True)
    state, player = env.reset()
    seen = []
    while not env.is_over():
        seen.append((state["raw_obs"], player, state["obs"].tostring()))
        state, player = env.step(env.agents[player].step(state))
    while seen:
        state, player = env.step_back()
        assert (state["raw_obs"], player, state["obs"].tostring()) == seen.pop()
    assert env.step_back() is False


def test_make__of_rlcard_takes_the_same_settings() -> None:
    config = {"game_ruleset": "mini6", "game_scoring": "cards", "seed": 3, "allow_step_back": True}
    env, ours = rlcard_library.make("big2", config=config), rlcard.make("mini6", scoring="cards", seed=3, allow_step_back=True)
    assert env.ruleset == ours.ruleset == MINI6.with_scoring("cards")
    assert env.reset()[0]["raw_obs"] == ours.reset()[0]["raw_obs"]
    assert env.num_actions == 4
    assert rlcard_library.make("big2").name == "big2"
    env.set_agents([Anyone(), Anyone()])
    assert sum(tournament(env, 4)) == pytest.approx(0)


def test_step__takes_texts_as_raw_actions() -> None:
    env = rlcard.make("big2", seed=1)
    state, player = env.reset()
    _, after = env.step(state["raw_legal_actions"][0], raw_action=True)
    assert after != player


@pytest.mark.parametrize("name", ["big2", "mini12", "dou_dizhu", "three_two_one"])
def test_action_features__differ_for_all_actions(name: str) -> None:
    space = action_space(ruleset(name))
    features, step = ActionFeatures(space), max(1, space.n // 2000)
    actions = [*range(0, space.n, step), space.n - 1]
    plays = {features.of(action).tobytes() for action in actions}
    unlike = len({space.label(action) for action in actions})
    assert len(plays) == unlike


def test_cfr__approaches_the_equilibrium() -> None:
    """RLCard's CFR, with one deal per iteration, measured exactly by OpenSpiel."""
    env = rlcard.make("mini6", seed=1, allow_step_back=True)
    agent, game = agents.CFRAgent(env), openspiel.load_game("mini6")

    def policy(state: Any) -> dict[int, float]:
        env.game.game = state.table.game
        seen = env.get_state(state.current_player())
        legal = list(seen["legal_actions"])
        known = agent.action_probs(seen["obs"].tostring(), legal, agent.average_policy)
        return {action: float(known[action]) for action in legal}

    np.random.seed(0)
    for _ in range(100):
        agent.train()
    assert pyspiel.exploitability(game, tabular_policy_from_callable(game, policy).to_dict()) < 0.25  # of random moves: 0.53


def test_dqn_nfsp_and_dmc__learn_from_every_ruleset() -> None:
    import torch
    from rlcard.agents.dmc_agent.model import DMCModel

    torch.manual_seed(0)
    for name, games in (("mini6", 8), ("big2", 2)):
        env = rlcard.make(name, seed=2)
        shape, size = env.state_shape[0], env.num_actions
        options = {"num_actions": size, "state_shape": shape, "device": torch.device("cpu")}
        dqn = agents.DQNAgent(mlp_layers=[8], replay_memory_init_size=20, batch_size=8, train_every=10, **options)
        nfsp = agents.NFSPAgent(
            hidden_layers_sizes=[8], q_mlp_layers=[8], min_buffer_size_to_learn=4, q_replay_memory_init_size=8, batch_size=4,
            q_batch_size=4, anticipatory_param=0.9, train_every=10, q_train_every=10, q_epsilon_decay_steps=100, **options,
        )  # fmt: skip
        env.set_agents([dqn, nfsp, *[Anyone()] * (env.num_players - 2)])
        for _ in range(games):
            nfsp.sample_episode_policy()
            trajectories, payoffs = env.run(is_training=True)
            for learner, transitions in zip((dqn, nfsp), reorganize(trajectories, payoffs), strict=False):
                for transition in transitions:
                    learner.feed(transition)
        assert dqn.total_t >= 8
        assert nfsp.total_t >= 8
        model = DMCModel(env.state_shape, env.action_shape, mlp_layers=[8], device="cpu")
        env.set_agents(model.get_agents())
        trajectories, payoffs = env.run(is_training=True)
        state, action = trajectories[0][:2]
        value = model.get_agent(0).forward(
            torch.from_numpy(state["obs"][None]).float(), torch.from_numpy(env.get_action_feature(action)[None]).float()
        )
        assert value.shape == (1,)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: rlcard.make("big2", allow_step_back=True), "a mini game of at most 12 cards, got big2 with 52"),
        (lambda: ClimbingEnv({"game_rules": "big2"}), "expected game_ruleset, game_num_players, .*, got game_rules"),
        (lambda: rlcard.make("big2", num_players=5), "big2 needs 2 to 4 players, got 5"),
        (lambda: rlcard.make(MINI12).step(99), "expected one of the legal actions .*, got 99"),
        (lambda: rlcard.make("mini6").step("C[3]", raw_action=True), r"expected one of single .*, got 'C\[3\]'"),
    ],
)
def test_errors__say_what_is_expected(call: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        call()
