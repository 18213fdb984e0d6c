"""Tianshou: masked DQN on many copies of `gymnasium.make(ID)`.

    python agents/examples/tianshou_dqn.py --decisions 50000

Needs Tianshou, which requires an older pandas: `pip install tianshou`, if necessary in its own environment.
Tested with tianshou 2.0.1, gymnasium 1.4.0, torch 2.13.0.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.algorithm_base import policy_within_training_step
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.utils.net.common import Net

import big2_env  # noqa: F401 (registers the ids)


class WithMask(gymnasium.Wrapper):
    """Wrapper that adds the mask to observations, under the keys that Tianshou expects."""

    def __init__(self, env: gymnasium.Env):
        super().__init__(env)
        mask = gymnasium.spaces.Box(0, 1, (int(env.action_space.n),), bool)
        self.observation_space = gymnasium.spaces.Dict({"obs": env.observation_space, "mask": mask})

    def reset(self, **options: Any) -> tuple[dict[str, np.ndarray], dict]:
        obs, info = self.env.reset(**options)
        return {"obs": obs, "mask": info["action_mask"].astype(bool)}, {}

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], float, bool, bool, dict]:
        obs, reward, terminated, truncated, info = self.env.step(action)
        return {"obs": obs, "mask": info["action_mask"].astype(bool)}, reward, terminated, truncated, {}


def make_env(opponents: str) -> WithMask:
    return WithMask(gymnasium.make("big2/Big2-v0", opponents=opponents, dtype="float32", skip_forced=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--decisions", type=int, default=50_000)
    parser.add_argument("--opponents", default="random")
    parser.add_argument("--rows", type=int, default=16, help="parallel games")
    parser.add_argument("--batch", type=int, default=256, help="decisions collected between updates")
    parser.add_argument("--evaluation-games", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)  # Tianshou's exploration uses it
    envs = DummyVectorEnv([partial(make_env, args.opponents) for _ in range(args.rows)])
    envs.seed(args.seed)
    one = make_env(args.opponents)
    seen = one.observation_space["obs"].shape
    policy = DiscreteQLearningPolicy(
        model=Net(state_shape=seen, action_shape=one.action_space.n, hidden_sizes=[128, 128]),
        action_space=one.action_space,
        observation_space=one.observation_space,
        eps_training=0.1,
    )
    optimizer = AdamOptimizerFactory(lr=1e-3)
    algorithm = DQN(policy=policy, optim=optimizer, gamma=1.0, n_step_return_horizon=3, target_update_freq=200)
    # A transition has two observations and two masks, 7 kB, so 20,000 transitions take 140 MB.
    collector = Collector(algorithm, envs, VectorReplayBuffer(20_000, args.rows), exploration_noise=True)
    collector.reset(reset_stats=False)

    start, shown, decisions, won = time.perf_counter(), 0.0, 0, []
    while decisions < args.decisions:
        algorithm.train()
        with policy_within_training_step(policy):
            found = collector.collect(n_step=args.batch)
            for _ in range(args.batch // 16):
                algorithm.update(buffer=collector.buffer, sample_size=128)
        decisions += found.n_collected_steps
        won += (found.returns > 0).tolist()
        seconds, last = time.perf_counter() - start, won[-1000:]
        if seconds - shown >= 5 or decisions >= args.decisions:
            shown = seconds
            rate = decisions / seconds
            print(f"{seconds:5.0f} s, {decisions:,} decisions, {rate:,.0f}/s, win rate {np.mean(last):.3f}", flush=True)

    algorithm.eval()
    evaluation = Collector(algorithm, DummyVectorEnv([partial(make_env, args.opponents) for _ in range(args.rows)]))
    evaluation.env.seed(args.seed + 10**6)
    evaluation.reset()
    found = evaluation.collect(n_episode=args.evaluation_games)
    print(f"evaluation: win rate {np.mean(found.returns > 0):.3f} in {args.evaluation_games} games on new deals, best actions")


if __name__ == "__main__":
    main()
