"""Card of trained weights: their origin, training and strength, in Markdown from the files of the run."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from big2_agents.train.hyper_parameters import LearnerParameters
from big2_env import __version__
from big2_env.runs.atomic_files import replace_file


def sha256(path: Path) -> str:
    """Return the hash of a file, hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _table(rows: list[list[str]]) -> list[str]:
    head, *body = rows
    return ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *body]]


METHODS: Final = {
    "candidate-ppo": "A network that scores candidate plays, trained by self-play (PPO, `big2_agents.train.candidate_ppo`).",
    "ppo": "A network with an output for each action, trained from scratch by MaskablePPO (`big2_agents.train.ppo`).",
}
"""Descriptions of the networks that the verbs of `big2 train` make."""


def write_card(
    args: LearnerParameters | Sequence[LearnerParameters], files: Sequence[Path], config: str = "", *, has_auction: bool = False
) -> None:
    """Write the card of the weights of a finished run, named after the first file, with the ending `.md`.

    Args:
        args: Hyper-parameters of the run, or of each phase; minutes count from the start of the run.
        files: The weights files.
        config: The config file that the run was made by, if any.
        has_auction: Whether games start with an auction; otherwise the card leaves out what concerns auctions.
    """
    text = card(args, files, config, has_auction=has_auction)
    with replace_file(files[0].with_suffix(".md")) as new:
        new.write_text(text, encoding="utf-8")


def card(
    args: LearnerParameters | Sequence[LearnerParameters], files: Sequence[Path], config: str = "", *, has_auction: bool = False
) -> str:
    """Return the card of a run's weights, from its `progress.csv` and `curve.csv`; arguments as of `write_card`."""
    phases = [args] if isinstance(args, LearnerParameters) else args
    args = phases[-1]
    lines = [
        f"# Learned player of `{args.ruleset}`",
        "",
        METHODS[args.method],
        "",
        f"* Command: `{args.command_line(config)}`",
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
    "opponent_share": "share of games with it",
    "solo_share": "of those alone",
    "team_share": "of these for partners too",
    "random_auctions": "random auctions",
    "games": "games a round",
    "learning_rate": "rate",
    "ent_coef": "entropy",
    "win_bonus": "bonus for winning",
    "playout_weight": "played out",
}
"""Hyper-parameters in the table of phases, with their headings."""
OF_AUCTIONS: Final = ("team_share", "random_auctions")
"""Hyper-parameters that matter only in games with an auction."""


def _phases(phases: Sequence[LearnerParameters], progress: Sequence[Mapping[str, str]], has_auction: bool) -> list[list[str]]:
    """Return the rows of the table of phases, heading first."""
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


def _points(curve: Sequence[Mapping[str, str]]) -> list[list[str]]:
    """Return the rows of the curve's table, heading first: every second evaluation, with the last one."""
    opponents = [name.removeprefix("wins_") for name in curve[0] if name.startswith("wins_")]
    points = [["minutes", "choices", *(f"{name}: wins, payoff" for name in opponents)]]
    for row in [row for i, row in enumerate(curve) if i % 2 == 0 or i == len(curve) - 1]:
        cells = [f"{float(row[f'wins_{n}']):.1%}, {float(row[f'payoff_{n}']):+.2f}" for n in opponents]
        points.append([f"{float(row['minutes']):.0f}", f"{int(row['choices']):,}", *cells])
    return points
