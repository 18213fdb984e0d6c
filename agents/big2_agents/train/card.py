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


def write_card(
    args: RunParameters | Sequence[RunParameters], files: Sequence[Path], config: str = "", *, has_auction: bool = False
) -> None:
    """Write the card of the weights of a finished run beside the first of them, with the ending `.md`.

    Args:
        args: the run's hyper-parameters, or those of each phase; minutes count from the begin of the run.
        files: the weights files.
        config: the config file that the run was made by, if it was.
        has_auction: whether an auction begins the games; only then the card has what concerns auctions.
    """
    text = card(args, files, config, has_auction=has_auction)
    with replacing(files[0].with_suffix(".md")) as new:
        new.write_text(text, encoding="utf-8")


def card(
    args: RunParameters | Sequence[RunParameters], files: Sequence[Path], config: str = "", *, has_auction: bool = False
) -> str:
    """The card of the weights that a training run gave, from the run's `progress.csv` and `curve.csv`.

    Arguments as of `write_card`.
    """
    phases = [args] if isinstance(args, RunParameters) else args
    args = phases[-1]
    lines = [
        f"# Learned player of `{args.ruleset}`",
        "",
        METHODS[args.method],
        "",
        f"* Command: `{_command(args, config)}`",
        f"* Made with big2_env {__version__}",
        *(f"* `{path.name}`: {path.stat().st_size:,} bytes, SHA-256 `{sha256(path)}`" for path in files),
        "",
        "## Phases",
        "",
        *_table(_phases(phases, _rows(args.out / "progress.csv"), has_auction)),
    ]
    if curve := _rows(args.out / "curve.csv"):
        lines += [
            "",
            "## Curve",
            "",
            f"Alone against agents of one name, best plays, {args.evaluation_deals:,} deals in every seat, during training. "
            "Minutes are those of training alone.",
            "",
            *_table(_points(curve)),
        ]
    return "\n".join(lines) + "\n"


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


PHASE_COLUMNS: Final = {
    "opponents": "field",
    "share": "share of games with it",
    "alone": "of those alone",
    "partners": "of these for partners too",
    "drawn": "auctions left to chance",
    "games": "games a round",
    "learning_rate": "rate",
    "entropy": "entropy",
    "win_bonus": "bonus for winning",
    "play_out": "played out",
}
"""Hyper-parameters that the table of phases shows, with its heads."""
OF_AUCTIONS: Final = ("partners", "drawn")
"""Those of games that an auction begins."""


def _phases(phases: Sequence[RunParameters], progress: Sequence[Mapping[str, str]], has_auction: bool) -> list[list[str]]:
    """The rows of the table of phases, head first."""
    names = [name for name in PHASE_COLUMNS if hasattr(phases[0], name) and (has_auction or name not in OF_AUCTIONS)]
    rows, before = [["minutes", "choices", *(PHASE_COLUMNS[name] for name in names)]], 0
    for phase in phases:
        done = [row for row in progress if phase is phases[-1] or float(row["minutes"]) <= phase.minutes]
        choices = int(done[-1]["choices"]) if done else 0
        values = (getattr(phase, name) for name in names)
        shown = (f"{value:g}" if isinstance(value, float) else str(value) for value in values)
        rows.append([f"to {phase.minutes:g}", f"{choices - before:,}", *shown])
        before = choices
    return rows


def _command(args: RunParameters, config: str) -> str:
    """The command line that makes the run again; options with their defaults are left out."""
    words = ["big2 train", args.method]
    if config:
        return " ".join([*words, "--config", config])
    words += ["--ruleset", args.ruleset, "--minutes", f"{args.minutes:g}", "--seed", str(args.seed)]
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
