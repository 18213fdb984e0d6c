"""RLCard: deep Monte Carlo (DMC) in all seats, with a curve of the win rate against random players.

    python agents/examples/rlcard_dmc.py --ruleset big2 --frames 400000 --actors 1 --png dmc.png

DMC regresses the payoff of a game on the state and the features of an action. RLCard's trainer plays in other processes and
saves networks while it learns; afterwards this script measures each of them in seat 0. Needs RLCard and matplotlib:
`pip install '.[rlcard,plots]'`. Tested with rlcard 1.2.0, torch 2.13.0.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from rlcard.agents import RandomAgent
from rlcard.agents.dmc_agent import DMCTrainer
from rlcard.utils import tournament

from big2_env.envs import rlcard


def win_rate(weights: Path, ruleset: str, games: int, seed: int) -> float:
    """Return how often a saved network wins in seat 0 against random players."""
    env = rlcard.make(ruleset, seed=seed, scoring="winner")
    learner = torch.load(weights, weights_only=False)  # RLCard saves the object; load only files of your own
    learner.set_device("cpu")
    env.set_agents([learner, *[RandomAgent(env.num_actions) for _ in range(env.num_players - 1)]])
    mean = tournament(env, games)[0]  # 1 for a win, -1 / (players - 1) for a loss
    loss = 1 / (env.num_players - 1)
    return (mean + loss) / (1 + loss)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--ruleset", default="big2")
    parser.add_argument("--frames", type=int, default=400_000, help="decisions to learn from")
    parser.add_argument("--actors", type=int, default=1, help="processes that play")
    parser.add_argument("--minutes-between", type=float, default=1.0, help="minutes between saved networks")
    parser.add_argument("--unroll", type=int, default=50, help="decisions per piece that an actor sends")
    parser.add_argument("--evaluation-games", type=int, default=400)
    parser.add_argument("--out", help="folder of the run; a temporary one by default")
    parser.add_argument("--png", help="file for a picture of the curve")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(args.out or temporary)
        trainer = DMCTrainer(
            rlcard.make(args.ruleset, seed=args.seed),
            savedir=str(folder),
            save_interval=args.minutes_between,
            num_actors=args.actors,
            num_threads=1,
            unroll_length=args.unroll,
            total_frames=args.frames,
        )
        start = time.perf_counter()
        trainer.start()
        for actor in torch.multiprocessing.active_children():
            actor.terminate()  # the trainer leaves its actors waiting
        print(f"{time.perf_counter() - start:.0f} s, {args.frames:,} decisions", flush=True)
        curve = []
        for weights in sorted((folder / "dmc").glob("0_*.pth"), key=lambda path: int(path.stem.partition("_")[2])):
            frames = int(weights.stem.partition("_")[2])
            found = win_rate(weights, args.ruleset, args.evaluation_games, args.seed + 1)
            curve.append((frames, found))
            print(f"{frames:,} decisions, win rate against random {found:.3f}", flush=True)
    if args.png:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
        axes.plot(*zip(*curve, strict=True), marker=".")
        axes.set(xlabel="decisions", ylabel="win rate against random", title=f"DMC on {args.ruleset}", ylim=(0, 1))
        figure.savefig(args.png)


if __name__ == "__main__":
    main()
