"""TorchRL: masked PPO on `GymEnv`.

    python agents/examples/torchrl_ppo.py --minutes 3

Needs TorchRL: `pip install torchrl`. Tested with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0.
"""

from __future__ import annotations

import argparse
import time

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import Binary
from torchrl.envs import ExplorationType, GymEnv, TransformedEnv, set_exploration_type
from torchrl.envs.gym_like import default_info_dict_reader
from torchrl.envs.transforms import ActionMask, Compose, DTypeCastTransform
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import big2_env  # noqa: F401 (registers the ids)


def make_env(opponents: str) -> TransformedEnv:
    env = GymEnv("big2/Big2-v0", opponents=opponents, dtype="float32", skip_forced=True, categorical_action_encoding=True)
    # These lines pass the mask from `info` to TorchRL.
    mask = Binary(env.action_spec.n, dtype=torch.int8)
    env.set_info_dict_reader(default_info_dict_reader(["action_mask"], spec=[mask]))
    return TransformedEnv(env, Compose(DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"]), ActionMask()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--opponents", default="random")
    parser.add_argument("--batch", type=int, default=2048, help="decisions between updates")
    parser.add_argument("--evaluation-games", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    env = make_env(args.opponents)
    env.set_seed(args.seed)
    size, num_actions = env.observation_spec["observation"].shape[-1], env.action_spec.n

    def network(outputs: int) -> nn.Module:
        return nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, outputs))

    actor = ProbabilisticActor(
        TensorDictModule(network(num_actions), in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        spec=env.action_spec,
        return_log_prob=True,
    )
    critic = ValueOperator(network(1), in_keys=["observation"])
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.01, normalize_advantage=True)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    collector = Collector(env, actor, frames_per_batch=args.batch, total_frames=-1, auto_register_policy_transforms=False)

    start, decisions, won = time.perf_counter(), 0, []
    for batch in collector:
        decisions += batch.numel()
        won += (batch["next", "reward"][batch["next", "done"]] > 0).tolist()
        for _ in range(3):
            with torch.no_grad():
                advantage(batch)
            for rows in torch.randperm(batch.numel()).split(512):
                found = loss(batch.reshape(-1)[rows])
                total = found["loss_objective"] + found["loss_critic"] + found["loss_entropy"]
                optimizer.zero_grad()
                total.backward()
                optimizer.step()
        collector.update_policy_weights_()
        seconds, last = time.perf_counter() - start, won[-1000:]
        rate = decisions / seconds
        print(
            f"{seconds:5.0f} s, {decisions:,} decisions, {rate:,.0f}/s, win rate {sum(last) / max(1, len(last)):.3f}",
            flush=True,
        )
        if seconds >= 60 * args.minutes:
            break
    collector.shutdown()

    env = make_env(args.opponents)
    env.set_seed(args.seed + 10**6)
    with torch.no_grad(), set_exploration_type(ExplorationType.RANDOM):  # samples actions, as in training
        wins = [float(env.rollout(100, actor)["next", "reward"].sum()) > 0 for _ in range(args.evaluation_games)]
    print(f"evaluation: win rate {sum(wins) / len(wins):.3f} in {args.evaluation_games} games on new deals")


if __name__ == "__main__":
    main()
