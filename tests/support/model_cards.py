"""The measured rows of model cards, from the frozen protocol's files: `python tests/support/model_cards.py` updates the cards.

It also updates sizes and hashes of the weights, and writes pages and pictures again.
"""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from places import BENCHMARKS, ROOT

from big2_agents.evaluation.arena.bench import OPPONENTS, PROTOCOLS, BenchRow
from big2_agents.evaluation.arena.schedule import Schedule, contests
from big2_agents.models import models_folder
from big2_agents.train.card import ENDING, card_json, file_entry, render
from big2_env.climbing.rulesets import ruleset
from big2_env.runs.intervals import Estimate

COUNTS = ("no", "one", "two", "three", "four", "five", "six")


def cards() -> list[Path]:
    """Return the JSON files of the cards of all networks."""
    return sorted(
        path for path in models_folder().glob(f"*{ENDING}") if path.with_name(path.name.replace(ENDING, ".npz")).exists()
    )


def rounded(value: float) -> float:
    """Return a number with four significant digits."""
    return float(f"{value:.4g}")


def name_of_gain(name: str, opponent: str) -> str:
    """Return the name of a row about fitted weights.

    Args:
        name: The ruleset.
        opponent: Key of a gain in the file of the weights, such as "greedy" or "greedy than first".
    """
    against, _, _ = opponent.partition(" ")
    more = ", more than first" if opponent.endswith(" than first") else ""
    others = COUNTS[ruleset(name).default_players - 1]
    return f"{name}, one against {others} {against}{more}"


def version_of(name: str, agent: str) -> str:
    """Return the last version of the frozen protocol that has measured an agent in a ruleset."""
    return next(one for one in reversed(PROTOCOLS) if (BENCHMARKS / f"bench_{one}" / f"{name}-{agent}.json").exists())


def bench_rows(name: str, agent: str, version: str) -> list[tuple[str, float, list[float], str]]:
    """Return name, value, interval and unit of an agent's rows of a version of the frozen protocol in a ruleset.

    Values are not rounded, so that pages round them only once.
    """
    row = BenchRow.load(BENCHMARKS / f"bench_{version}" / f"{name}-{agent}.json")
    planned = contests(Schedule.BOTH, len(OPPONENTS) + 1, ruleset(name))
    found: dict[str, tuple[float, list[float], str]] = {}

    def add(contest: str, factor: float, unit: str, estimate: Estimate) -> None:
        mean, half = factor * estimate.mean, factor * estimate.half_width
        found[contest] = (mean, [mean - half, mean + half], unit)

    for number, contest in enumerate(planned):
        standings = row.against if number < len(OPPONENTS) else row.beside
        opponent = OPPONENTS[number % len(OPPONENTS)]
        own, others = contest.chairs.count(0), len(contest.chairs) - contest.chairs.count(0)
        where = f"{COUNTS[own]} against {COUNTS[others]} {opponent}"
        add(f"wins, {where}", 100, "%", standings[opponent].wins)
        add(f"points, {where}", 1, "points per game", standings[opponent].score)
    return [(contest, *values) for contest, values in found.items()]


def all_rows(name: str, agent: str) -> list[tuple[str, float, list[float], str, str]]:
    """Return the rows of an agent, each with its agent; after them those of the heuristic in the same seats, for comparison."""
    version = version_of(name, agent)
    found = [(*row, agent) for row in bench_rows(name, agent, version)]
    for contest, value, interval, unit in bench_rows(name, "heuristic", version):
        what, _, where = contest.partition(", ")
        found.append((f"{what} of heuristic, {where}", value, interval, unit, "heuristic"))
    return found


def updated(data: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return a card's data with the present files, and the protocol's rows; a row that changed is dated today."""
    commit = subprocess.run(["git", "rev-parse", "--short=7", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    origin = {"commit": commit.stdout.strip(), "processor": None, "load": None, "date": datetime.now(UTC).date().isoformat()}
    before = {row["name"]: row for row in data["results"]}
    results = []
    for name, value, interval, unit, agent in all_rows(data["ruleset"], data["agent"]):
        version = version_of(data["ruleset"], data["agent"])
        protocol = f"--protocol {version} " * (version != "v3")  # which commands take without an option
        command = f"big2 bench {agent} {protocol}--ruleset {data['ruleset']}"
        old, new = before.pop(name, {}), {"name": name, "value": value, "interval": interval, "unit": unit}
        results.append(old if new.items() <= old.items() else {**new, "command": command, **origin})
    files = [file_entry(folder / file["name"]) for file in data["files"]]
    return {**data, "files": files, "results": [*results, *before.values()]}


if __name__ == "__main__":
    for card in cards():
        card.write_text(card_json(updated(json.loads(card.read_text("utf-8")), card.parent)), "utf-8")
        render(card)
