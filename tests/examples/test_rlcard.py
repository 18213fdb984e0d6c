"""The RLCard environment of the script shows each seat what it may know and pays every seat; RLCard's agents run in it."""

from __future__ import annotations

import runpy
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from places import ROOT
from quick_rlcard import agents
from rlcard.utils import reorganize

from big2_env import ruleset
from big2_env.base.errors import IllegalPlayError
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.envs import openspiel

SCRIPT = ROOT / "agents" / "examples" / "rlcard_nfsp.py"
RlcardEnv = runpy.run_path(str(SCRIPT))["RlcardEnv"]


def seated(name: str, **options: Any) -> Any:
    env = RlcardEnv(name, seed=5, **options)
    env.set_agents([agents.RandomAgent(env.num_actions)] * env.num_players)
    return env


@pytest.mark.parametrize("name", ["mini6", "big2", "dou_dizhu", "qi_gui_521", "tien_len"])
def test_run__gives_every_seat_its_moves_and_its_payoff(name: str) -> None:
    np.random.seed(0)
    env = seated(name)
    trajectories, payoffs = env.run(is_training=True)
    game = env.table.game
    assert game.outcome is not None
    assert payoffs.tolist() == list(game.outcome.payoffs)
    assert min(payoffs) < 0 < max(payoffs)
    assert len(game.history) == sum(len(one) // 2 for one in trajectories)
    for seat, transitions in enumerate(reorganize(trajectories, payoffs)):
        for state, action, reward, _, done in transitions:
            assert action in state["legal_actions"]
            assert state["obs"].shape == tuple(env.state_shape[seat])
            assert env.get_action_feature(action).shape == tuple(env.action_shape[seat])
            assert reward == (payoffs[seat] if done else 0)
        assert not transitions or transitions[-1][-1]


def test_states__hold_what_the_seat_sees() -> None:
    env, layout = seated("big2"), ObservationLayout(ruleset("big2"), 4)
    _, player = env.reset()
    for seat in range(4):
        state = env.get_state(seat)
        assert (state["obs"] == layout.encode(env.table.game.view(seat))).all()
        assert list(state["legal_actions"]) == (env.table.legal_ids() if seat == player else [])


def test_recall__is_the_information_state_of_openspiel() -> None:
    """The script trains on the one and measures on the other."""
    np.random.seed(0)
    env = seated("mini6", recall=True)
    state, player = env.reset()
    start = openspiel.load_game("mini6").new_initial_state()
    dealt = [start.child(deal) for deal, _ in start.chance_outcomes()]
    (spiel,) = (one for one in dealt if one.table.game.position.hands == env.table.game.position.hands)
    while not env.is_over():
        assert state["obs"].tolist() == spiel.information_state_tensor(player)
        assert list(state["legal_actions"]) == spiel.legal_actions()
        action = env.agents[player].step(state)
        spiel.apply_action(action)
        state, player = env.step(action)
    assert env.get_payoffs().tolist() == spiel.returns()


def test_seeds__make_the_same_games() -> None:
    env = seated("big2")
    deals = [env.table.game.start.hands for _ in range(5) if env.reset()]
    assert len(set(deals)) == 5
    env.seed(5)
    assert [env.table.game.start.hands for _ in range(5) if env.reset()] == deals


def test_step__refuses_an_illegal_action() -> None:
    env = seated("mini12")
    state, player = env.reset()
    illegal = next(action for action in range(env.num_actions) if action not in state["legal_actions"])
    with pytest.raises(IllegalPlayError):
        env.step(illegal)
    assert env.get_player_id() == player


@pytest.mark.parametrize(("name", "games"), [("mini6", 8), ("big2", 2)])
def test_dqn_and_dmc__learn(name: str, games: int) -> None:
    import torch
    from rlcard.agents.dmc_agent.model import DMCModel

    np.random.seed(0)
    torch.manual_seed(0)
    env = seated(name)
    options = {"num_actions": env.num_actions, "state_shape": env.state_shape[0], "device": torch.device("cpu")}
    dqn = agents.DQNAgent(mlp_layers=[8], replay_memory_init_size=20, batch_size=8, train_every=10, **options)
    env.set_agents([dqn] * env.num_players)
    for _ in range(games):
        trajectories, payoffs = env.run(is_training=True)
        for transitions in reorganize(trajectories, payoffs):
            for transition in transitions:
                dqn.feed(transition)
    assert dqn.total_t >= 16
    assert dqn.train_t
    model = DMCModel(env.state_shape, env.action_shape, mlp_layers=[8], device="cpu")
    env.set_agents(model.get_agents())
    trajectories, _ = env.run(is_training=True)
    state, action = trajectories[0][:2]
    feature = env.get_action_feature(action)
    value = model.get_agent(0).forward(*(torch.from_numpy(one[None]).float() for one in (state["obs"], feature)))
    assert value.shape == (1,)


def test_script__says_how_to_install_rlcard() -> None:
    without = f"import runpy, sys; sys.modules['rlcard'] = None; runpy.run_path({str(SCRIPT)!r})"
    done = subprocess.run([sys.executable, "-c", without], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("this script needs RLCard: pip install rlcard gitpython torch (")
