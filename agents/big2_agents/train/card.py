"""The card of a shipped model: where it comes from, how it was made, how strong it is, in Markdown from the run's own files."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path


def sha256(path: Path) -> str:
    """The hash of a file, hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _table(rows: list[list[str]]) -> list[str]:
    head, *body = rows
    return ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *body]]


METHODS = {
    "strong": "A network that scores candidate plays, trained from nothing by self-play (PPO, `big2_agents.train.strong`).",
    "ppo": "A network with an output for each action, trained from nothing by MaskablePPO (`big2_agents.train.ppo`).",
}
"""What each verb of `big2 train` makes."""


def card(
    run: Path, files: list[Path], *, commit: str, notes: str, tables: Mapping[str, list[list[str]]], method: str = "strong"
) -> str:
    """The card of the weights that a training run gave.

    Args:
        run: the folder of the run, with `args.json` and `curve.csv`.
        files: the weights files.
        commit: the revision that the run was made with.
        notes: what a reader must know beyond the figures.
        tables: further tables by their title, each a list of rows with the head first.
        method: the verb of `big2 train` that made them.
    """
    args = json.loads((run / "args.json").read_text())
    with (run / "curve.csv").open(newline="") as file:
        curve = list(csv.DictReader(file))
    opponents = [name.removeprefix("wins_") for name in curve[0] if name.startswith("wins_")]
    shown = [row for i, row in enumerate(curve) if i % 2 == 0 or i == len(curve) - 1]
    points = [["minutes", "choices", *(f"{name}: wins, payoff" for name in opponents)]]
    for row in shown:
        figures = [f"{float(row[f'wins_{n}']):.1%}, {float(row[f'payoff_{n}']):+.2f}" for n in opponents]
        points.append([f"{float(row['minutes']):.0f}", f"{int(row['choices']):,}", *figures])
    command = f"big2 train {method} --ruleset {args['ruleset']} --minutes {args['minutes']:.0f} --seed {args['seed']}"
    for name in ("guests", "win_bonus", "play_out"):
        if name in args:
            command += f" --{name.replace('_', '-')} {args[name]}"
    lines = [
        f"# Learned player of `{args['ruleset']}`",
        "",
        METHODS[method],
        "",
        f"* Command: `{command}`",
        f"* Revision: {commit}",
        f"* Minutes: {float(curve[-1]['minutes']):.0f} on one core; choices learned from: {int(curve[-1]['choices']):,}",
        *(f"* `{path.name}`: {path.stat().st_size:,} bytes, SHA-256 `{sha256(path)}`" for path in files),
        "",
        notes,
        "",
        "## Curve",
        "",
        f"Alone against three of a compiled rule player, best plays, {args['evaluation_deals']:,} deals in all four seats, "
        "during training.",
        "",
        *_table(points),
    ]
    for title, rows in tables.items():
        lines += ["", f"## {title}", "", *_table(rows)]
    return "\n".join(lines) + "\n"
