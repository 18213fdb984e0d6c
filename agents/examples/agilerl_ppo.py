"""AgileRL: masked PPO on `gymnasium.make_vec(ID)`; AgileRL finds the masks in the infos by itself.

    python agents/examples/agilerl_ppo.py --minutes 3

AgileRL requires an older PettingZoo and many packages, so install it in its own environment: `pip install agilerl peft` (2.58.0
imports peft without declaring it).
Tested with agilerl 2.58.0, gymnasium 1.4.0, pettingzoo 1.26.1, torch 2.13.0.
"""

from __future__ import annotations

import argparse
import time

import gymnasium
import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.rollouts.on_policy import collect_rollouts

import big2_env  # noqa: F401 (registers the ids)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--opponents", default="random")
    parser.add_argument("--rows", type=int, default=64, help="parallel games")
    parser.add_argument("--batch", type=int, default=2048, help="decisions between updates")
    parser.add_argument("--evaluation-games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    options = {"opponents": args.opponents, "dtype": "float32", "skip_forced": True}
    envs = gymnasium.make_vec("big2/Big2-v0", num_envs=args.rows, **options)
    agent = PPO(
        envs.single_observation_space,
        envs.single_action_space,
        net_config={"encoder_config": {"hidden_size": [128, 128]}},
        batch_size=min(512, args.batch),
        learn_step=args.batch,
        num_envs=args.rows,
        lr=1e-3,
        gamma=1.0,
    )
    envs.reset(seed=args.seed)
    start, decisions, won, where = time.perf_counter(), 0, [], {}
    while not decisions or time.perf_counter() - start < 60 * args.minutes:
        scores, *stand = collect_rollouts(agent, envs, args.batch // args.rows, **where)
        where = dict(zip(("last_obs", "last_done", "last_scores", "last_info"), stand, strict=True))
        agent.learn()
        decisions += args.batch // args.rows * args.rows
        won += [score > 0 for score in scores]
        seconds, last = time.perf_counter() - start, won[-1000:]
        print(
            f"{seconds:5.0f} s, {decisions:,} decisions, {decisions / seconds:,.0f}/s, win rate {np.mean(last):.3f}", flush=True
        )

    games = args.evaluation_games
    evaluation = gymnasium.make_vec("big2/Big2-v0", num_envs=games, **options)
    obs, infos = evaluation.reset(seed=args.seed + 10**6)
    is_over, is_won = np.zeros((2, games), bool)
    while not is_over.all():  # the first game of each row
        actions = agent.get_action(obs, action_mask=infos["action_mask"])[0]
        obs, rewards, ended, _, infos = evaluation.step(actions)
        is_won |= ended & ~is_over & (rewards > 0)
        is_over |= ended
    print(f"evaluation: win rate {is_won.mean():.3f} in {games} games on new deals")


if __name__ == "__main__":
    main()
