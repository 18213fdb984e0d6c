"""RLlib: masked PPO in self-play, with one policy in all seats and each seat's own reward.

    python agents/examples/rllib_self_play.py --minutes 5

RLlib pins an older Gymnasium, so install it in its own environment:

    pip install 'big2_env[rllib]'   # ray[rllib] 2.60, gymnasium 1.2.2

Tested with ray 2.60.0, gymnasium 1.2.2, torch 2.13.0.
"""

from __future__ import annotations

import argparse
import logging
import time

import gymnasium
import numpy as np
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

import big2_env  # noqa: F401 (registers the ids)
from big2_env.envs.rllib import RllibEnv


def win_rate(policy: RLModule, games: int, opponents: str, seed: int) -> float:
    """Return the fraction of games won by one seat of the stochastic policy against given opponents."""
    env = gymnasium.make("big2/Big2-v0", opponents=opponents, skip_forced=True, dtype="float32")
    rng = np.random.default_rng(seed)
    won = 0
    for game in range(games):
        obs, info = env.reset(seed=seed + game)
        is_over, reward = False, 0.0
        while not is_over:
            seen = {"observations": obs[None], "action_mask": info["action_mask"][None].astype(np.float32)}
            batch = {"obs": {key: torch.from_numpy(array) for key, array in seen.items()}}
            logits = policy.forward_inference(batch)["action_dist_inputs"][0].double()
            chances = torch.softmax(logits, 0).numpy()
            obs, reward, is_over, _, info = env.step(rng.choice(len(chances), p=chances / chances.sum()))
        won += reward > 0
    return won / games


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--runners", type=int, default=0, help="processes that collect games; 0: this one")
    parser.add_argument("--batch", type=int, default=4000, help="decisions between updates")
    parser.add_argument("--evaluation-games", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    # "local" starts a new Ray even if another one is running.
    ray.init("local", num_cpus=args.runners + 1, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        model_config=DefaultModelConfig(fcnet_hiddens=[128, 128], fcnet_activation="relu"),
    )
    config = (
        PPOConfig()
        .environment(RllibEnv, env_config={"ruleset": "big2", "skip_forced": True})
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **_: "shared")
        .rl_module(rl_module_spec=module)
        .env_runners(num_env_runners=args.runners)
        .training(train_batch_size=args.batch, minibatch_size=min(args.batch, 500), num_epochs=3, gamma=1.0, lr=5e-4)
        .debugging(seed=args.seed)
    )
    learner = config.build_algo()
    start, decisions = time.perf_counter(), 0
    while True:
        result = learner.train()
        decisions = int(result["env_runners"]["num_env_steps_sampled_lifetime"])
        seconds = time.perf_counter() - start
        print(f"{seconds:5.0f} s, {decisions:,} decisions, {decisions / seconds:,.0f}/s", flush=True)
        if seconds >= 60 * args.minutes:
            break
    found = win_rate(learner.get_module("shared"), args.evaluation_games, "random", args.seed)
    print(f"evaluation: win rate {found:.3f} in {args.evaluation_games} games against three random players")
    learner.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
