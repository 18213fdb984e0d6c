"""What agents play: a table of fingerprints by agent and ruleset, compared with the file `tests/data/behavior.json`.

    PYTHONPATH=tests/support python -m behavior
    PYTHONPATH=tests/support python -m behavior --write

The exit status is 1 if an agent chooses otherwise than in the file. An intended change rewrites the file with `--write`.

The network of `learned` computes in float32, so that its choice between two nearly equal scores may depend on the processor. A
difference of such an agent is marked in the table and does not fail.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, NamedTuple
from unittest.mock import patch

import typer
from places import DATA
from rich.console import Console
from rich.table import Table

from big2_agents.evaluation.arena.bench import fingerprint, positions
from big2_agents.models import learned_rulesets
from big2_env.agents.interface import make_agent
from big2_env.climbing.rulesets import own_rulesets
from big2_env.kernels.switch import Compilation
from big2_env.runs.progress import counting

FILE = DATA / "behavior.json"
SEED = 1_000_000


class Probe(NamedTuple):
    """How an agent is asked."""

    agent: str
    every: int
    """One of so many positions is asked about."""
    is_exact: bool = True
    """Whether every processor gives the same choices."""


PROBES = [
    Probe("random", 1),
    Probe("lowest", 1),
    Probe("greedy", 1),
    Probe("heuristic", 1),
    Probe("search:8", 60),
    Probe("learned", 12, is_exact=False),
]
DEALS = 4
"""Games from which the positions of a ruleset come."""
Found = dict[str, dict[str, str]]
"""Fingerprints by ruleset and agent."""


def probes_of(ruleset: str) -> list[Probe]:
    """The probes of a ruleset; `learned` needs weights."""
    return [probe for probe in PROBES if probe.agent != "learned" or ruleset in learned_rulesets()]


def fingerprints(rulesets: list[str]) -> Iterator[tuple[str, str, str]]:
    """The ruleset, the agent and its fingerprint, for all agents in each ruleset.

    Nothing starts to compile in the background: it takes longer than all answers together.
    """
    with patch.object(Compilation, "start"):
        for name in rulesets:
            rules = own_rulesets()[name]
            for probe in probes_of(name):
                games = islice(positions(rules, SEED, DEALS), 0, None, probe.every)
                yield name, probe.agent, fingerprint(make_agent(probe.agent), games)


def read(path: Path) -> Found:
    """The fingerprints in a file; none if there is no file."""
    found: Found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def print_table(found: Found, kept: Found) -> None:
    """Print a row for each ruleset; `!` marks a fingerprint that is not the one in the file."""
    table = Table("ruleset", *(probe.agent for probe in PROBES), title="choices of agents")
    for name, by_agent in found.items():
        marks = {agent: "" if digits == kept.get(name, {}).get(agent) else " !" for agent, digits in by_agent.items()}
        shown = {agent: digits + marks[agent] for agent, digits in by_agent.items()}
        table.add_row(name, *(shown.get(probe.agent, "") for probe in PROBES))
    Console(width=160).print(table)


def command(
    ruleset: Annotated[list[str] | None, typer.Option(help="A ruleset; several times.", show_default="all")] = None,
    write: Annotated[bool, typer.Option("--write", help="Rewrite the file.")] = False,
    file: Annotated[Path, typer.Option(help="The file with the expected fingerprints.")] = FILE,
) -> None:
    """Print the fingerprints of all agents and compare them with a file."""
    known = list(own_rulesets())
    if unknown := sorted(set(ruleset or ()) - set(known)):
        raise typer.BadParameter(f"unknown ruleset: {', '.join(unknown)}; expected some of {', '.join(known)}")
    asked, kept = ruleset or known, read(file)
    found: Found = {name: {} for name in asked}
    with counting("fingerprints", sum(len(probes_of(name)) for name in asked)) as advance:
        for name, agent, digits in fingerprints(asked):
            found[name][agent] = digits
            advance(1)
    if write:
        merged = {name: kept.get(name, {}) | found.get(name, {}) for name in known if name in found or name in kept}
        file.write_text(json.dumps(merged, indent=1) + "\n", encoding="utf-8")
        kept = merged
    print_table(found, kept)
    exact = {probe.agent for probe in PROBES if probe.is_exact}
    changed = [
        f"{agent} in {name}"
        for name in asked
        for agent, digits in found[name].items()
        if agent in exact and digits != kept.get(name, {}).get(agent)
    ]
    if changed:
        print(
            f"expected the choices of {file.name}, got others of {', '.join(changed)}; if the change is intended, run "
            "PYTHONPATH=tests/support python -m behavior --write"
        )
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(command)
