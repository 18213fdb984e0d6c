"""RLCard: NFSP in all seats, with a curve of its exploitability or of its win rate.

    python agents/examples/rlcard_nfsp.py --ruleset mini6 --episodes 20000 --png nfsp.png
    python agents/examples/rlcard_nfsp.py --ruleset big2 --episodes 5000

On `mini6` and `mini8` the curve is the exact exploitability of the average policies, by OpenSpiel; on other rulesets it
is the win rate of one learner against random players. Needs RLCard, OpenSpiel and matplotlib:
`pip install '.[rlcard,openspiel,plots]'`. Tested with rlcard 1.2.0, open_spiel 2.0.2, torch 2.13.0.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import time
from typing import Any

import numpy as np
import pyspiel
import torch
from open_spiel.python.policy import tabular_policy_from_callable
from rlcard.agents import NFSPAgent, RandomAgent
from rlcard.utils import reorganize, tournament

from big2_env.climbing.ruleset import RuleSet
from big2_env.envs import openspiel, rlcard
from big2_env.envs.chance import deals


def exploitability(agents: list[NFSPAgent], ruleset: RuleSet) -> float:
    """Return the mean gain of a best response to the average policies, over both seats."""
    game, env = openspiel.load_game(ruleset), rlcard.make(ruleset, perfect_recall=True)

    def policy(state: Any) -> dict[int, float]:
        seat = state.current_player()
        env.game.game = state.table.game
        seen = env.get_state(seat)
        _, info = agents[seat].eval_step(seen)
        return dict(zip(seen["legal_actions"], info["probs"].values(), strict=True))

    return pyspiel.exploitability(game, tabular_policy_from_callable(game, policy).to_dict())


def win_rate(agents: list[NFSPAgent], ruleset: RuleSet, games: int, seed: int) -> float:
    """Return how often the learner of seat 0 wins against random players."""
    env = rlcard.make(ruleset, seed=seed, scoring="winner")
    others = [RandomAgent(env.num_actions) for _ in range(env.num_players - 1)]
    env.set_agents([agents[0], *others])
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
    parser.add_argument("--png", help="file for a picture of the curve")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)  # RLCard's agents use it
    env = rlcard.make(args.ruleset, seed=args.seed)
    is_small = bool(deals(env.ruleset, env.num_players))
    if is_small:
        env = rlcard.make(args.ruleset, seed=args.seed, perfect_recall=True)
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
    what, curve, start = "exploitability" if is_small else "win rate against random", [], time.perf_counter()
    for episode in range(args.episodes + 1):
        if episode % args.every == 0 or episode == args.episodes:
            if is_small:
                found = exploitability(agents, env.ruleset)
            else:
                found = win_rate(agents, env.ruleset, args.evaluation_games, args.seed + 1)
            curve.append((episode, found))
            print(f"{time.perf_counter() - start:5.0f} s, {episode:,} episodes, {what} {found:.3f}", flush=True)
        if episode == args.episodes:
            break
        with contextlib.redirect_stdout(io.StringIO()):  # RLCard prints a line per update
            for agent in agents:
                agent.sample_episode_policy()
            trajectories, payoffs = env.run(is_training=True)
            for agent, transitions in zip(agents, reorganize(trajectories, payoffs), strict=True):
                for transition in transitions:
                    agent.feed(transition)
    if args.png:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
        axes.plot(*zip(*curve, strict=True), marker=".")
        axes.set(xlabel="episodes", ylabel=what, title=f"NFSP on {env.name}", ylim=(0, None))
        figure.savefig(args.png)


if __name__ == "__main__":
    main()
