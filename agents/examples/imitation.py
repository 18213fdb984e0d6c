"""Imitation in plain PyTorch: masked behavior cloning from a data set of `big2 export`.

    big2 export heuristic --games 5000 --out data/heuristic
    python agents/examples/imitation.py data/heuristic

Prints the agreement with the agents on held-out games and the win rate of the network. Needs torch.
"""

from __future__ import annotations

import argparse

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

import big2_env  # noqa: F401 (registers the ids)
from big2_agents.data import load

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("folder")
parser.add_argument("--epochs", type=int, default=5)
parser.add_argument("--games", type=int, default=400, help="evaluation games against greedy players")
args = parser.parse_args()
torch.set_num_threads(1)
torch.manual_seed(1)

data = load(args.folder)
plan, rows = data.plan, data.rows()
env = gymnasium.make(
    "big2/Big2-v0", ruleset=plan.rules, num_players=plan.players, opponents="greedy", skip_forced=True, dtype="float32"
)
choices = rows.num_legal > 1  # there is nothing to learn from a forced pass
is_held_out = rows.game >= 0.9 * plan.games
size, num_actions = plan.observation_size, plan.num_actions
network = nn.Sequential(nn.Linear(size, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, num_actions))
optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)


def logits(which: np.ndarray) -> torch.Tensor:
    seen, legal = rows.observations(size, which), rows.masks(num_actions, which)
    return network(torch.from_numpy(seen).float()).masked_fill(~torch.from_numpy(legal), -1e9)


def agreement(which: np.ndarray) -> float:
    with torch.no_grad():
        same = [logits(part).argmax(1).numpy() == rows.action[part] for part in np.array_split(which, len(which) // 2048 + 1)]
    return float(np.concatenate(same).mean())


train, held_out = np.flatnonzero(choices & ~is_held_out), np.flatnonzero(choices & is_held_out)
for epoch in range(args.epochs):
    for batch in torch.randperm(len(train)).split(256):
        which = train[batch.numpy()]
        loss = cross_entropy(logits(which), torch.from_numpy(rows.action[which]).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch + 1}: agreement {agreement(held_out):.1%} in {len(held_out):,} held-out decisions", flush=True)

won = 0
for game in range(args.games):
    observation, info = env.reset(seed=10**6 + game)
    is_over, reward = False, 0.0
    while not is_over:
        with torch.no_grad():
            values = network(torch.from_numpy(observation)).masked_fill(torch.from_numpy(info["action_mask"]) == 0, -1e9)
        observation, reward, is_over, _, info = env.step(int(values.argmax()))
    won += reward > 0
print(f"win rate {won / args.games:.1%} in {args.games} games against {plan.players - 1} greedy players")
