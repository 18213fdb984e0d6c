"""RLCard: NFSP in all seats, with its exploitability or its win rate.

    python agents/examples/rlcard_nfsp.py --ruleset mini6 --episodes 20000
    python agents/examples/rlcard_nfsp.py --ruleset big2 --episodes 5000

On `mini6` and `mini8` the script prints the exact exploitability of the average policies, by OpenSpiel; on other rulesets the
win rate of one learner against random players. `RlcardEnv` also runs RLCard's DQN and DMC. Needs RLCard, and OpenSpiel
for mini games: `pip install '.[openspiel]' rlcard gitpython torch`. Tested with rlcard 1.2.0, open_spiel 2.0.2, torch 2.13.0.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import time
from typing import Any

import numpy as np

from big2_env.envs.aec import raw_env
from big2_env.envs.chance import Recall, deals

try:
    import torch
    from rlcard.agents import NFSPAgent, RandomAgent
    from rlcard.envs import Env
    from rlcard.utils import reorganize, tournament
except ImportError as error:
    raise SystemExit(f"this script needs RLCard: pip install rlcard gitpython torch ({error})") from error


def state_of(obs: np.ndarray, legal: list[int]) -> dict[str, Any]:
    """Return a state as RLCard's agents take it; without features of actions they use one-hot vectors."""
    return {"obs": obs, "legal_actions": dict.fromkeys(legal), "raw_legal_actions": legal}


class RlcardEnv(Env):
    """RLCard environment of a ruleset, with the actions and observations of the PettingZoo environment.

    `recall` adds all moves in order to the observations (perfect recall). `run` is RLCard's own.
    """

    def __init__(self, ruleset: str, *, seed: int, scoring: str | None = None, recall: bool = False) -> None:
        # not the constructor of `Env`, which needs one of RLCard's games
        self.table = raw_env(ruleset, scoring=scoring, masks="ids")
        self.game = self  # `run` asks it whether it is over
        self.names, self.num_players = self.table.possible_agents, self.table.max_num_agents
        self.num_actions = self.table.actions.n
        self.recall = Recall(self.table.ruleset, self.num_players) if recall else None
        size = (self.recall or self.table.layout).size
        self.state_shape, self.action_shape = [[size]] * self.num_players, [[self.num_actions]] * self.num_players
        self.seed(seed)

    def seed(self, seed: int | None = None) -> None:
        self.table.reset(seed=seed)

    def reset(self) -> tuple[dict[str, Any], int]:
        self.table.reset()
        return self.get_state(self.get_player_id()), self.get_player_id()

    def step(self, action: int, raw_action: bool = False) -> tuple[dict[str, Any], int]:
        self.table.step(action)
        return self.get_state(self.get_player_id()), self.get_player_id()

    def get_player_id(self) -> int:
        return self.names.index(self.table.agent_selection)

    def get_state(self, player_id: int) -> dict[str, Any]:
        obs = self.table.observe(self.names[player_id])["observation"]
        if self.recall is not None:
            obs = np.zeros(self.recall.size, np.int8)
            self.recall.encode(self.table.game, player_id, obs)
        return state_of(obs, self.table.legal_ids() if player_id == self.get_player_id() else [])

    def is_over(self) -> bool:
        return all(self.table.terminations.values())

    def get_payoffs(self) -> np.ndarray:
        return np.array([self.table.rewards[name] for name in self.names])


def exploitability(agents: list[NFSPAgent], ruleset: str) -> float:
    """Return the mean gain of a best response to the average policies, over both seats."""
    import pyspiel
    from open_spiel.python.policy import tabular_policy_from_callable

    from big2_env.envs import openspiel

    def policy(state: Any) -> dict[int, float]:
        seat = state.current_player()
        seen = state_of(np.array(state.information_state_tensor(seat)), state.legal_actions())
        return agents[seat].eval_step(seen)[1]["probs"]

    game = openspiel.load_game(ruleset)
    return pyspiel.exploitability(game, tabular_policy_from_callable(game, policy).to_dict())


def win_rate(agents: list[NFSPAgent], ruleset: str, games: int, seed: int) -> float:
    """Return how often the learner of seat 0 wins against random players."""
    env = RlcardEnv(ruleset, seed=seed, scoring="winner")
    env.set_agents([agents[0], *[RandomAgent(env.num_actions)] * (env.num_players - 1)])
    mean = tournament(env, games)[0]  # 1 for a win, -1 / (players - 1) for a loss
    loss = 1 / (env.num_players - 1)
    return (mean + loss) / (1 + loss)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--ruleset", default="mini6")
    parser.add_argument("--episodes", type=int, default=20_000)
    parser.add_argument("--every", type=int, default=2_000, help="episodes between evaluations")
    parser.add_argument("--width", type=int, default=64, help="units of each of two layers")
    parser.add_argument("--evaluation-games", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)  # RLCard's agents use it
    env = RlcardEnv(args.ruleset, seed=args.seed)
    is_small = bool(deals(env.table.ruleset, env.num_players))
    if is_small:
        env = RlcardEnv(args.ruleset, seed=args.seed, recall=True)
    agents = [
        NFSPAgent(
            num_actions=env.num_actions,
            state_shape=env.state_shape[seat],
            hidden_layers_sizes=[args.width] * 2,
            q_mlp_layers=[args.width] * 2,
            anticipatory_param=0.1,
            rl_learning_rate=0.01,
            sl_learning_rate=0.01,
            train_every=16,
            q_train_every=16,
            q_discount_factor=1.0,
            q_epsilon_decay_steps=args.episodes,
            reservoir_buffer_capacity=100_000,
            min_buffer_size_to_learn=256,
            batch_size=128,
            device=torch.device("cpu"),
        )
        for seat in range(env.num_players)
    ]
    env.set_agents(agents)
    start = time.perf_counter()
    for episode in range(args.episodes + 1):
        if episode % args.every == 0 or episode == args.episodes:
            if is_small:
                found = f"exploitability {exploitability(agents, args.ruleset):.3f}"
            else:
                rate = win_rate(agents, args.ruleset, args.evaluation_games, args.seed + 1)
                found = f"win rate against random {rate:.3f}"
            print(f"{time.perf_counter() - start:5.0f} s, {episode:,} episodes, {found}", flush=True)
        if episode == args.episodes:
            break
        with contextlib.redirect_stdout(io.StringIO()):  # RLCard prints a line per update
            for agent in agents:
                agent.sample_episode_policy()
            trajectories, payoffs = env.run(is_training=True)
            for agent, transitions in zip(agents, reorganize(trajectories, payoffs), strict=True):
                for transition in transitions:
                    agent.feed(transition)


if __name__ == "__main__":
    main()
