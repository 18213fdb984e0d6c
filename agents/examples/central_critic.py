"""Self-play with a centralized critic: actors see their own cards, the critic sees all hands in `state()`.

    python agents/examples/central_critic.py --minutes 3

All four seats of the AEC environment share one actor, which learns from its own decisions and payoffs (A2C). The critic
predicts the payoffs of all seats from the state before a move. Only training uses it, so it may see what no player sees, and
less of a result looks like luck. Needs torch.
"""

from __future__ import annotations

import argparse
import time

import gymnasium
import numpy as np
import torch
from torch import nn

from big2_env.envs.aec import raw_env


def network(inputs: int, outputs: int, width: int) -> nn.Sequential:
    """Return a network with one hidden layer."""
    return nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, outputs))


def log_probs_of(actor: nn.Module, observations: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Return the log probabilities of all actions; illegal ones have probability 0."""
    return torch.log_softmax(actor(observations).masked_fill(~masks, -1e9), 1)


@torch.no_grad()
def play(
    env: raw_env, actor: nn.Module, seed: int
) -> tuple[list[tuple[np.ndarray, np.ndarray, np.ndarray, int, int]], np.ndarray]:
    """Play a game; return observation, mask, state, seat and action of every decision, and the payoffs of the seats."""
    env.reset(seed=seed)
    steps = []
    while env.agents and not env.terminations[env.agent_selection]:
        seen = env.observe(env.agent_selection)
        observation, mask = seen["observation"], seen["action_mask"].astype(bool)
        log_probs = log_probs_of(actor, torch.from_numpy(observation)[None], torch.from_numpy(mask)[None])
        action = int(torch.multinomial(log_probs[0].exp(), 1))
        steps.append((observation, mask, env.state(), env.possible_agents.index(env.agent_selection), action))
        env.step(action)
    return steps, np.array([env.rewards[agent] for agent in env.possible_agents], np.float32)


@torch.no_grad()
def evaluate(actor: nn.Module, games: int, opponents: str) -> float:
    """Return the fraction of games on new deals won by one seat against three opponents."""
    envs = gymnasium.make_vec("big2/Big2-v0", num_envs=games, opponents=opponents, dtype="float32")
    is_over, is_won = np.zeros((2, games), bool)
    observations, infos = envs.reset(seed=10**6)
    while not is_over.all():
        log_probs = log_probs_of(actor, torch.from_numpy(observations), torch.from_numpy(infos["action_mask"].astype(bool)))
        observations, rewards, ended, _, infos = envs.step(torch.multinomial(log_probs.exp(), 1).squeeze(1).numpy())
        is_won |= ended & ~is_over & (rewards > 0)
        is_over |= ended
    return float(is_won.mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--games", type=int, default=16, help="games between updates")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--opponents", default="random", help="agent of the evaluation")
    parser.add_argument("--evaluation-games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    env = raw_env(dtype="float32", skip_forced=True)
    env.reset(seed=args.seed)
    agent = env.agent_selection
    size, num_actions = env.observe(agent)["observation"].shape[0], int(env.action_space(agent).n)
    actor = network(size, num_actions, args.width)
    critic = network(env.state().shape[0], len(env.possible_agents), args.width)
    optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=2e-3)

    start, shown, decisions, played, explained = time.perf_counter(), 0.0, 0, 0, 0.0
    while not played or time.perf_counter() - start < 60 * args.minutes:
        games = [play(env, actor, args.seed + played + n) for n in range(args.games)]
        played += args.games
        observations, masks, states = (
            torch.from_numpy(np.stack([step[part] for steps, _ in games for step in steps])) for part in range(3)
        )
        seats, actions = (torch.tensor([step[part] for steps, _ in games for step in steps]) for part in (3, 4))
        payoffs = torch.from_numpy(np.concatenate([np.tile(paid, (len(steps), 1)) for steps, paid in games]))

        values = critic(states)
        own = torch.arange(len(seats)), seats
        advantage = (payoffs - values.detach())[own]
        log_probs = log_probs_of(actor, observations, masks)
        likelihood = log_probs.gather(1, actions[:, None]).squeeze(1)
        entropy = -(log_probs.exp() * log_probs).sum(1).mean()  # a small bonus for exploration
        loss = -(advantage * likelihood).mean() - 0.003 * entropy + (payoffs - values).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

        decisions += len(actions)
        explained = 1 - float(advantage.var() / (payoffs[own].var() + 1e-9))
        seconds = time.perf_counter() - start
        if seconds - shown >= 5:
            shown, rate = seconds, decisions / seconds
            print(f"{seconds:5.0f} s, {decisions:,} decisions, {rate:,.0f}/s, critic explains {explained:.2f}", flush=True)

    print(f"training: {decisions:,} decisions in {played:,} games, critic explains {explained:.2f} of the variance of payoffs")
    won = evaluate(actor, args.evaluation_games, args.opponents)
    print(f"evaluation: win rate {won:.3f} in {args.evaluation_games:,} games on new deals against {args.opponents}")


if __name__ == "__main__":
    main()
