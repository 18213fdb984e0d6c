"""Stable-Baselines3: MaskablePPO on many parallel games, with VecMonitor, checkpoints and evaluation callbacks.

    python agents/examples/sb3_callbacks.py --decisions 200000 --out runs/sb3
    python agents/examples/sb3_callbacks.py --decisions 400000 --out runs/sb3   # continues

The folder receives monitor files, regular checkpoints and evaluations (`--every`), and `best_model.zip`. Needs the extra `sb3`.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import CheckpointCallback
from stable_baselines3.common.vec_env import VecMonitor

from big2_agents.evaluation import evaluate
from big2_agents.evaluation.callback import DealEvalCallback
from big2_env.envs.sb3 import LegalPolicy, SeatVecEnv

# SeatVecEnv already reports episodes. VecMonitor reports the same and writes them to a file.
warnings.filterwarnings("ignore", message="The environment is already wrapped")


def newest(folder: Path) -> tuple[int, Path | None]:
    """Return the number of decisions of the latest checkpoint, and its path."""
    found = [(int(path.stem.split("_")[1]), path) for path in folder.glob("ppo_*_steps.zip")]
    return max(found, default=(0, None))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--decisions", type=int, default=200_000)
    parser.add_argument("--out", type=Path, default=Path("runs/sb3"))
    parser.add_argument("--rows", type=int, default=64, help="parallel games")
    parser.add_argument("--every", type=int, default=50_000, help="decisions between checkpoints and evaluations")
    parser.add_argument("--evaluation-games", type=int, default=500, help="each deal is played from every seat")
    parser.add_argument("--opponents", default="random")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    args.out.mkdir(parents=True, exist_ok=True)

    done, checkpoint = newest(args.out)
    env = VecMonitor(SeatVecEnv(args.rows, args.opponents), str(args.out / f"{done}"))  # one file per call
    env.seed(args.seed)
    deals, first = max(1, args.evaluation_games // 4), args.seed + 10**6
    steps = max(1, args.every // args.rows)  # callbacks count steps of all rows together
    callbacks = [
        CheckpointCallback(steps, str(args.out), name_prefix="ppo"),
        DealEvalCallback(
            args.opponents,
            n_eval_deals=deals,
            eval_freq=steps,
            log_path=args.out,
            best_model_save_path=args.out,
            seed=first,
        ),
    ]
    if checkpoint is None:
        settings = {"n_steps": 32, "batch_size": 512, "n_epochs": 4, "gamma": 1.0, "learning_rate": 1e-3}
        model = MaskablePPO(LegalPolicy, env, seed=args.seed, **settings)
    else:
        model = MaskablePPO.load(checkpoint, env)
        print(f"continues from {checkpoint}")
    model.learn(max(0, args.decisions - model.num_timesteps), callbacks, reset_num_timesteps=False)

    print(f"{model.num_timesteps:,} decisions: {evaluate(model, args.opponents, deals, seed=first)}")
    env.close()


if __name__ == "__main__":
    main()
