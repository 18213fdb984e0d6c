"""The card of a shipped model: where it comes from, how it was made, how strong it is, in Markdown from the run's own files."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Final

from big2_agents.train.hyper_parameters import RunParameters
from big2_env import __version__
from big2_env.runs.replacing import replacing


def sha256(path: Path) -> str:
    """The hash of a file, hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _table(rows: list[list[str]]) -> list[str]:
    head, *body = rows
    return ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *body]]


METHODS: Final = {
    "candidate-ppo": "A network that scores candidate plays, trained by self-play (PPO, `big2_agents.train.candidate_ppo`).",
    "ppo": "A network with an output for each action, trained from scratch by MaskablePPO (`big2_agents.train.ppo`).",
}
"""What each verb of `big2 train` makes."""


def write_card(args: RunParameters, files: Sequence[Path]) -> None:
    """Write the card of the weights of a finished run beside the first of them, with the ending `.md`."""
    text = card(args, files)
    with replacing(files[0].with_suffix(".md")) as new:
        new.write_text(text, encoding="utf-8")


def card(args: RunParameters, files: Sequence[Path]) -> str:
    """The card of the weights that a training run gave, from the run's `curve.csv`.

    Args:
        args: the run's hyper-parameters.
        files: the weights files.
    """
    path = args.out / "curve.csv"
    curve = []
    if path.exists():
        with path.open(newline="") as file:
            curve = list(csv.DictReader(file))
    lines = [
        f"# Learned player of `{args.ruleset}`",
        "",
        METHODS[args.method],
        "",
        f"* Command: `{_command(args)}`",
        f"* Made with big2_env {__version__}",
        *(f"* `{path.name}`: {path.stat().st_size:,} bytes, SHA-256 `{sha256(path)}`" for path in files),
    ]
    if curve:
        lines += [
            f"* Minutes: {float(curve[-1]['minutes']):.0f}; choices learned from: {int(curve[-1]['choices']):,}",
            "",
            "## Curve",
            "",
            f"Alone against three of a compiled rule player, best plays, {args.evaluation_deals:,} deals in all four seats, "
            "during training.",
            "",
            *_table(_points(curve)),
        ]
    return "\n".join(lines) + "\n"


def _command(args: RunParameters) -> str:
    """The command line that makes the run again; options with their defaults are left out."""
    words = ["big2 train", args.method, "--ruleset", args.ruleset, "--minutes", f"{args.minutes:g}", "--seed", str(args.seed)]
    for each in fields(args):
        value = getattr(args, each.name)
        if each.name not in ("ruleset", "minutes", "seed", "out") and value != each.default:
            name = each.name.replace("_", "-")
            words += [f"--{'' if value else 'no-'}{name}"] if isinstance(value, bool) else [f"--{name}", str(value)]
    return " ".join(words)


def _points(curve: Sequence[Mapping[str, str]]) -> list[list[str]]:
    """The rows of the curve's table, head first: every second evaluation, with the last one."""
    opponents = [name.removeprefix("wins_") for name in curve[0] if name.startswith("wins_")]
    points = [["minutes", "choices", *(f"{name}: wins, payoff" for name in opponents)]]
    for row in [row for i, row in enumerate(curve) if i % 2 == 0 or i == len(curve) - 1]:
        figures = [f"{float(row[f'wins_{n}']):.1%}, {float(row[f'payoff_{n}']):+.2f}" for n in opponents]
        points.append([f"{float(row['minutes']):.0f}", f"{int(row['choices']):,}", *figures])
    return points
