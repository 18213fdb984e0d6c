"""What a search for weights found, as a file that can be kept."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from big2_agents.fit.fitting import FIELD, Fit
from big2_agents.fit.parameters import FitParameters
from big2_agents.formula import WeightsFile
from big2_env import __version__
from big2_env.runs.intervals import Estimate


def file_of(fit: Fit) -> WeightsFile:
    """The best weights of a search, measured."""
    made: dict[str, Any] = {
        "command": command_of(fit.args),
        "version": __version__,
        "generations": fit.iteration,
        "games": fit.games,
        "minutes": round(fit.minutes, 1),
        "field": list(dict.fromkeys(FIELD)),
    }
    gain = {name: _data(found) for name, found in fit.measure().items()}
    return WeightsFile(fit.rules.name, fit.weights, made, gain)


def command_of(args: FitParameters) -> str:
    """The command line that makes a run again; options with their defaults are left out."""
    words = ["big2 train weights", "--ruleset", args.ruleset, "--minutes", f"{args.minutes:g}"]
    for each in fields(args):
        value = getattr(args, each.name)
        if each.name not in ("ruleset", "minutes", "out") and value != each.default:
            words += [f"--{each.name.replace('_', '-')}", str(value)]
    return " ".join(words)


def _data(found: Estimate) -> dict[str, Any]:
    return {"mean": round(found.mean, 4), "half_width": round(found.half_width, 4), "deals": found.number}
