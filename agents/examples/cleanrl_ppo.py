"""PPO with action masks in one file, in the style of CleanRL's `ppo.py`, on `gymnasium.make_vec(ID)`.

    python agents/examples/cleanrl_ppo.py --minutes 3

The learner has one seat against fixed opponents in many parallel games. The script prints its win rate during training, and in
a separate evaluation on new deals at the end. Needs torch.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, fields

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import big2_env  # noqa: F401 (registers the ids)


@dataclass
class Args:
    env_id: str = "big2/Big2-v0"
    opponents: str = "random"
    """agent in the other seats"""
    minutes: float = 3.0
    """wall-clock time of training"""
    updates: int = 0
    """updates after which to stop; 0: no limit"""
    num_envs: int = 128
    num_steps: int = 32
    """decisions per row between updates"""
    learning_rate: float = 1e-3
    """initial rate, decayed linearly to 0"""
    gamma: float = 1.0
    """a game has about ten decisions and one reward at its end"""
    gae_lambda: float = 0.95
    num_minibatches: int = 4
    update_epochs: int = 3
    clip_coef: float = 0.2
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    width: int = 128
    evaluation_games: int = 4000
    seed: int = 1
    torch_threads: int = 1
    """small networks are fastest on one thread"""


def parse_args() -> Args:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for field in fields(Args):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(field.default), default=field.default)
    return Args(**vars(parser.parse_args()))


def layer(inputs: int, outputs: int, std: float = 2**0.5) -> nn.Linear:
    linear = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(linear.weight, std)
    nn.init.zeros_(linear.bias)
    return linear


class Agent(nn.Module):
    def __init__(self, observation_size: int, num_actions: int, width: int):
        super().__init__()
        self.body = nn.Sequential(layer(observation_size, width), nn.ReLU(), layer(width, width), nn.ReLU())
        self.actor = layer(width, num_actions, std=0.01)
        self.critic = layer(width, 1, std=1.0)

    def forward(self, obs: torch.Tensor, mask: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """Return the policy over legal actions, and the value."""
        hidden = self.body(obs)
        logits = self.actor(hidden).masked_fill(~mask, -1e9)
        return Categorical(logits=logits, validate_args=False), self.critic(hidden).squeeze(-1)


def make_envs(args: Args, num_envs: int) -> gymnasium.vector.VectorEnv:
    # skip_forced skips decisions with only one legal action: four of ten, mostly passes.
    return gymnasium.make_vec(args.env_id, num_envs=num_envs, opponents=args.opponents, dtype="float32", skip_forced=True)


@torch.no_grad()
def evaluate(agent: Agent, args: Args) -> float:
    """Return the fraction of games on new deals won by the stochastic policy: the first game of each row."""
    envs = make_envs(args, args.evaluation_games)  # one game per row: counting the first games to end would favor short ones
    obs, infos = envs.reset(seed=args.seed + 10**6)
    is_over, is_won = np.zeros((2, args.evaluation_games), bool)
    while not is_over.all():
        policy, _ = agent(torch.from_numpy(obs), torch.from_numpy(infos["action_mask"]).bool())
        obs, rewards, ended, _, infos = envs.step(policy.sample().numpy())
        is_won |= ended & ~is_over & (rewards > 0)
        is_over |= ended
    envs.close()
    return float(is_won.mean())


def recent(won: list[np.ndarray]) -> np.ndarray:
    """Return the results of the last fifth of the updates.

    The learning rate decays to 0, so these games were played by nearly the same policy as the one evaluated at the end.
    """
    return np.concatenate(won[-max(1, len(won) // 5) :])


def main() -> None:
    args = parse_args()
    torch.set_num_threads(args.torch_threads)
    torch.manual_seed(args.seed)
    envs = make_envs(args, args.num_envs)
    size, num_actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    agent = Agent(size, num_actions, args.width)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    shape = (args.num_steps, args.num_envs)
    all_obs, all_masks = torch.zeros((*shape, size)), torch.zeros((*shape, num_actions), dtype=torch.bool)
    all_actions = torch.zeros(shape, dtype=torch.long)
    all_logprobs, all_rewards, all_dones, all_values = (torch.zeros(shape) for _ in range(4))

    won: list[np.ndarray] = []  # by update, True for each game that was won
    next_obs, infos = envs.reset(seed=args.seed)
    next_obs, next_done = torch.from_numpy(next_obs), torch.zeros(args.num_envs)
    next_mask = torch.from_numpy(infos["action_mask"]).bool()
    start, shown, update = time.perf_counter(), 0.0, 0
    while time.perf_counter() - start < 60 * args.minutes and not (args.updates and update >= args.updates):
        update += 1
        done = max((time.perf_counter() - start) / (60 * args.minutes), (update - 1) / args.updates if args.updates else 0.0)
        optimizer.param_groups[0]["lr"] = (1.0 - min(done, 1.0)) * args.learning_rate
        won.append(np.zeros(0, bool))
        for step in range(args.num_steps):
            with torch.no_grad():
                policy, all_values[step] = agent(next_obs, next_mask)
                action = policy.sample()
            all_obs[step], all_masks[step], all_dones[step] = next_obs, next_mask, next_done
            all_actions[step], all_logprobs[step] = action, policy.log_prob(action)
            obs, reward, ended, _, infos = envs.step(action.numpy())
            won[-1] = np.append(won[-1], reward[ended] > 0)
            all_rewards[step] = torch.from_numpy(reward)
            # A row that ends shows its next game at once, so `obs` never belongs to a finished game.
            next_obs, next_done = torch.from_numpy(obs), torch.from_numpy(ended).float()
            next_mask = torch.from_numpy(infos["action_mask"]).bool()

        with torch.no_grad():  # generalized advantage estimation
            next_value = agent(next_obs, next_mask)[1]
            advantages, last = torch.zeros(shape), torch.zeros(args.num_envs)
            for step in reversed(range(args.num_steps)):
                is_last = step == args.num_steps - 1
                goes_on = 1.0 - (next_done if is_last else all_dones[step + 1])
                value = next_value if is_last else all_values[step + 1]
                delta = all_rewards[step] + args.gamma * value * goes_on - all_values[step]
                advantages[step] = last = delta + args.gamma * args.gae_lambda * goes_on * last
            returns = (advantages + all_values).flatten()

        obs, masks, actions = all_obs.flatten(0, 1), all_masks.flatten(0, 1), all_actions.flatten()
        old_logprobs, flat_advantages = all_logprobs.flatten(), advantages.flatten()
        for _ in range(args.update_epochs):
            for rows in torch.randperm(len(actions)).chunk(args.num_minibatches):
                policy, value = agent(obs[rows], masks[rows])
                ratio = (policy.log_prob(actions[rows]) - old_logprobs[rows]).exp()
                advantage = flat_advantages[rows]
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
                policy_loss = -torch.min(advantage * ratio, advantage * clipped).mean()
                value_loss = 0.5 * (value - returns[rows]).pow(2).mean()
                loss = policy_loss - args.ent_coef * policy.entropy().mean() + args.vf_coef * value_loss
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()

        seconds = time.perf_counter() - start
        if seconds - shown >= 5 or update == 1:
            shown, decisions = seconds, update * all_actions.numel()
            rate = decisions / seconds
            print(f"{seconds:5.0f} s, {decisions:,} decisions, {rate:,.0f}/s, win rate {recent(won).mean():.3f}", flush=True)

    envs.close()
    decisions = update * all_actions.numel()
    last = recent(won)
    print(f"training: {decisions:,} decisions, win rate of its last {len(last):,} games {last.mean():.3f}")
    print(f"evaluation: win rate {evaluate(agent, args):.3f} in {args.evaluation_games:,} games on new deals")


if __name__ == "__main__":
    main()
