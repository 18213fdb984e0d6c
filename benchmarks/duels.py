"""Gain of trained weights over earlier ones on the same deals: against each other, and against players of another origin.

    OMP_NUM_THREADS=1 python benchmarks/duels.py runs/new/hong_kong.npz --ruleset hong_kong --record
    OMP_NUM_THREADS=1 python benchmarks/duels.py runs/new/hong_kong.npz --old runs/old/hong_kong.npz --deals 1000

Each deal is played from every seat by the best plays of the networks, without search. Two numbers are printed, in points per
game with 95% intervals over deals:

* Head to head: half of the difference between the score of one new player against copies of the old one and the score of one
  old player against copies of the new one.
* Against the held-out player, in rulesets that have one: the score of one new player against its copies, minus the score of
  one old player on the same deals. It was trained independently from random weights (`players/RULESET.card.json`) and is in
  no training.

Needs PyTorch. 10,000 deals take ten minutes on one core.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row, around
from rich.progress import track

from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.train.candidate_ppo import LEAGUE
from big2_agents.train.export import load_policy, shipped_path
from big2_agents.train.loop import mean_and_error
from big2_agents.train.network import Policy
from big2_agents.train.self_play import evaluate
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.runs.intervals import NORMAL_95

FIRST_DEAL = 30_000_000
"""Seed of the first deal."""
PIECE = 250
"""Deals played at once."""
PLAYERS = Path(__file__).parent / "players"
"""Folder of the held-out players."""


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield the gains."""
    for name, (gain, half) in report["gains"].items():
        yield Row(
            f"gain of {report['new']} over {report['old']} in {report['ruleset']}, {name}",
            gain,
            "points per game",
            around(gain, half),
        )


def main(
    new: Annotated[str, typer.Argument(help="New weights: a path, or `shipped`.")] = "shipped",
    old: Annotated[str, typer.Option(help="Earlier weights: a path, or `shipped`.")] = "shipped",
    held_out: Annotated[
        Path | None, typer.Option(help="Weights of the held-out player.", show_default="players/RULESET.npz")
    ] = None,
    ruleset: Annotated[str, typer.Option(help="Ruleset of the games.")] = "hong_kong",
    deals: Annotated[int, typer.Option(min=2, help="Deals, each in every seat.")] = 10_000,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Print the gain of new weights over old ones."""
    recorder, rules = Recorder("duels"), ruleset_named(ruleset)
    torch.set_num_threads(1)
    third = held_out or PLAYERS / f"{ruleset}.npz"
    one, other = (load_policy(shipped_path(str(path), rules), rules) for path in (new, old))
    apart = load_policy(str(third), rules) if held_out or third.exists() else None

    def payoffs(alone: Policy, others: Policy, start: int) -> Any:
        games = PlayedGames(rules, rules.default_players * min(PIECE, deals - start))
        return evaluate(games, alone, LEAGUE, FIRST_DEAL + start, {LEAGUE: others}).paid

    found: dict[str, list[Any]] = {}
    for start in track(range(0, deals, PIECE), "playing"):
        found.setdefault("head to head", []).append((payoffs(one, other, start) - payoffs(other, one, start)) / 2)
        if apart is not None:
            gain = payoffs(one, apart, start) - payoffs(other, apart, start)
            found.setdefault("against the held-out player", []).append(gain)
    gains: dict[str, tuple[float, float]] = {}
    for name, pieces in found.items():
        gain, error = mean_and_error(np.concatenate(pieces))
        gains[name] = gain, NORMAL_95 * error
        print(f"{name}: {gain:+.3f} ± {NORMAL_95 * error:.3f} points per game over {deals:,} deals", flush=True)
    recorder.save({"new": new, "old": old, "ruleset": ruleset, "deals": deals, "gains": gains}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
