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
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.callbacks import CheckpointCallback
from stable_baselines3.common.vec_env import VecMonitor

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
    parser.add_argument("--evaluation-games", type=int, default=500)
    parser.add_argument("--opponents", default="random")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    args.out.mkdir(parents=True, exist_ok=True)

    done, checkpoint = newest(args.out)
    env = VecMonitor(SeatVecEnv(args.rows, args.opponents), str(args.out / f"{done}"))  # one file per call
    evaluation_env = VecMonitor(SeatVecEnv(args.rows, args.opponents))
    env.seed(args.seed)
    evaluation_env.seed(args.seed + 10**6)
    steps = max(1, args.every // args.rows)  # callbacks count steps of all rows together
    callbacks = [
        CheckpointCallback(steps, str(args.out), name_prefix="ppo"),
        MaskableEvalCallback(
            evaluation_env,
            n_eval_episodes=args.evaluation_games,
            eval_freq=steps,
            log_path=str(args.out),
            best_model_save_path=str(args.out),
            deterministic=False,
            verbose=1,
        ),
    ]
    if checkpoint is None:
        settings = {"n_steps": 32, "batch_size": 512, "n_epochs": 4, "gamma": 1.0, "learning_rate": 1e-3}
        model = MaskablePPO(LegalPolicy, env, seed=args.seed, **settings)
    else:
        model = MaskablePPO.load(checkpoint, env)
        print(f"continues from {checkpoint}")
    model.learn(max(0, args.decisions - model.num_timesteps), callbacks, reset_num_timesteps=False)

    mean, deviation = evaluate_policy(model, evaluation_env, args.evaluation_games, deterministic=False)
    print(f"{model.num_timesteps:,} decisions: payoff {mean:+.3f}, deviation {deviation:.3f}, in {args.evaluation_games} games")
    env.close()
    evaluation_env.close()


if __name__ == "__main__":
    main()
