"""REINFORCE with a recurrent policy: a GRU remembers the learner's earlier decisions of a game.

    python agents/examples/recurrent_policy.py --minutes 3

Each row of `make_vec` plays one game, and its hidden state begins at zero. For learning, the decisions of a game are one
sequence, padded to the length of the longest. An observation already contains all cards played so far, but not who passed on
which play: the memory can keep that. Needs torch.
"""

from __future__ import annotations

import argparse
import time

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

import big2_env  # noqa: F401 (registers the ids)


class RecurrentPolicy(nn.Module):
    """Logits of all actions from the observations of a game so far."""

    def __init__(self, size: int, num_actions: int, width: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(size, width), nn.ReLU())
        self.memory = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, num_actions)

    def forward(
        self, observations: torch.Tensor, masks: torch.Tensor, hidden: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return log probabilities, (games, steps, actions), and the hidden state after the last step.

        Args:
            observations: (games, steps, size).
            masks: Legal actions, bool (games, steps, actions).
            hidden: Hidden state before the first step; None at the start of the games.
        """
        outputs, hidden = self.memory(self.encoder(observations), hidden)
        return torch.log_softmax(self.head(outputs).masked_fill(~masks, -1e9), -1), hidden


@torch.no_grad()
def play(
    envs: gymnasium.vector.VectorEnv, policy: RecurrentPolicy, seed: int | None = None
) -> tuple[list[list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]], torch.Tensor]:
    """Play one game per row; return each game's observations, masks and actions by step, and each game's payoff."""
    games: list[list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]] = [[] for _ in range(envs.num_envs)]
    rewards, is_over, hidden = np.zeros(envs.num_envs, np.float32), np.zeros(envs.num_envs, bool), None
    observations, infos = envs.reset(seed=seed)
    while not is_over.all():
        seen, legal = torch.from_numpy(observations.copy()), torch.from_numpy(infos["action_mask"].astype(bool))
        log_probs, hidden = policy(seen[:, None], legal[:, None], hidden)
        actions = torch.multinomial(log_probs[:, 0].exp(), 1).squeeze(1)
        for row in np.flatnonzero(~is_over):  # finished rows already show their next game, which is ignored
            games[row].append((seen[row], legal[row], actions[row]))
        observations, reward, ended, _, infos = envs.step(actions.numpy())
        rewards[~is_over] += reward[~is_over]
        is_over |= ended
    return games, torch.from_numpy(rewards)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--opponents", default="random")
    parser.add_argument("--games", type=int, default=128, help="games between updates")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--evaluation-games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    options = {"opponents": args.opponents, "dtype": "float32", "skip_forced": True}
    envs = gymnasium.make_vec("big2/Big2-v0", num_envs=args.games, **options)
    policy = RecurrentPolicy(envs.single_observation_space.shape[0], int(envs.single_action_space.n), args.width)
    optimizer = torch.optim.Adam(policy.parameters(), lr=2e-3)
    envs.reset(seed=args.seed)

    start, shown, decisions, baseline, wins = time.perf_counter(), 0.0, 0, 0.0, []
    while not wins or time.perf_counter() - start < 60 * args.minutes:
        games, rewards = play(envs, policy)
        wins += (rewards > 0).tolist()
        advantage = (rewards - baseline)[:, None]
        baseline = 0.9 * baseline + 0.1 * float(rewards.mean())

        # (games, steps, ...): steps after the end of a game are padding, which `is_real` leaves out.
        seen, legal, actions = (
            pad_sequence([torch.stack([step[part] for step in game]) for game in games], batch_first=True) for part in range(3)
        )
        is_real = torch.arange(seen.shape[1]) < torch.tensor([len(game) for game in games])[:, None]
        log_probs, _ = policy(seen, legal | ~is_real[:, :, None])
        likelihood = log_probs.gather(2, actions[:, :, None]).squeeze(2)
        entropy = -(log_probs.exp() * log_probs).sum(2)  # a small bonus for exploration
        loss = -((advantage * likelihood + 0.003 * entropy) * is_real).sum() / is_real.sum()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        optimizer.step()

        decisions += int(is_real.sum())
        seconds = time.perf_counter() - start
        if seconds - shown >= 5:
            shown, rate = seconds, decisions / seconds
            print(f"{seconds:5.0f} s, {decisions:,} decisions, {rate:,.0f}/s, win rate {np.mean(wins[-2000:]):.3f}", flush=True)

    evaluation = gymnasium.make_vec("big2/Big2-v0", num_envs=args.evaluation_games, **options)
    won = float((play(evaluation, policy, seed=10**6)[1] > 0).float().mean())
    print(f"training: {decisions:,} decisions, win rate of its last {len(wins[-2000:]):,} games {np.mean(wins[-2000:]):.3f}")
    print(f"evaluation: win rate {won:.3f} in {args.evaluation_games:,} games on new deals")


if __name__ == "__main__":
    main()
