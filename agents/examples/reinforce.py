"""REINFORCE in plain PyTorch: policy gradients on one page, as a first look at the environments.

    python agents/examples/reinforce.py --minutes 2

The policy is a network with one logit per action. Actions are sampled from the softmax over the legal ones. After each batch of
games, actions of won games become more likely, and actions of lost games less likely. Needs torch.
"""

from __future__ import annotations

import argparse
import time

import gymnasium
import numpy as np
import torch
from torch import nn

import big2_env  # noqa: F401 (registers the ids)


def legal_logits(policy: nn.Module, observations: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Return the logits, with such low values for illegal actions that their probability is 0."""
    return policy(observations).masked_fill(~masks, -1e9)


@torch.no_grad()
def play(envs: gymnasium.vector.VectorEnv, policy: nn.Module, seed: int | None = None) -> tuple[np.ndarray, ...]:
    """Play one game per row; return the learner's observations, masks and actions, the row of each, and each row's payoff."""
    seen, legal, chosen, rows = [], [], [], []
    rewards, is_over = np.zeros(envs.num_envs, np.float32), np.zeros(envs.num_envs, bool)
    observations, infos = envs.reset(seed=seed)
    while not is_over.all():
        masks = infos["action_mask"].astype(bool)
        chances = torch.softmax(legal_logits(policy, torch.from_numpy(observations), torch.from_numpy(masks)), 1)
        actions = torch.multinomial(chances, 1).squeeze(1).numpy()
        running = np.flatnonzero(~is_over)  # finished rows already show their next game, which is ignored
        seen.append(observations[running])
        legal.append(masks[running])
        chosen.append(actions[running])
        rows.append(running)
        # The other three seats play inside `step`. The reward is 0 until the game ends, on any seat's move.
        observations, reward, ended, _, infos = envs.step(actions)
        rewards[running] += reward[running]
        is_over |= ended
    return (*map(np.concatenate, (seen, legal, chosen, rows)), rewards)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--opponents", default="random")
    parser.add_argument("--games", type=int, default=128, help="games between updates")
    parser.add_argument("--evaluation-games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    options = {"opponents": args.opponents, "dtype": "float32", "skip_forced": True}
    envs = gymnasium.make_vec("big2/Big2-v0", num_envs=args.games, **options)
    size, num_actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    policy = nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, num_actions))
    optimizer = torch.optim.Adam(policy.parameters(), lr=2e-3)
    envs.reset(seed=args.seed)

    start, shown, decisions, baseline, wins = time.perf_counter(), 0.0, 0, 0.0, []
    while not wins or time.perf_counter() - start < 60 * args.minutes:
        observations, masks, actions, rows, rewards = play(envs, policy)
        wins += list(rewards > 0)
        # The baseline reduces variance: without it learning is far slower. All actions of a game get its undiscounted result,
        # since a game has only about ten decisions.
        advantage = torch.from_numpy(rewards - baseline)[rows]
        baseline = 0.9 * baseline + 0.1 * float(rewards.mean())

        logits = legal_logits(policy, torch.from_numpy(observations), torch.from_numpy(masks))
        chances = torch.log_softmax(logits, 1)
        likelihood = chances.gather(1, torch.from_numpy(actions)[:, None]).squeeze(1)
        entropy = -(chances.exp() * chances).sum(1).mean()  # a small bonus for exploration
        loss = -(advantage * likelihood).mean() - 0.003 * entropy
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

        decisions += len(actions)
        seconds = time.perf_counter() - start
        if seconds - shown >= 5:
            shown = seconds
            rate = decisions / seconds
            print(f"{seconds:5.0f} s, {decisions:,} decisions, {rate:,.0f}/s, win rate {np.mean(wins[-2000:]):.3f}", flush=True)

    evaluation = gymnasium.make_vec("big2/Big2-v0", num_envs=args.evaluation_games, **options)
    won = np.mean(play(evaluation, policy, seed=10**6)[-1] > 0)
    print(f"training: {decisions:,} decisions, win rate of its last {len(wins[-2000:]):,} games {np.mean(wins[-2000:]):.3f}")
    print(f"evaluation: win rate {won:.3f} in {args.evaluation_games:,} games on new deals")


if __name__ == "__main__":
    main()
