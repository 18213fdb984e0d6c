"""Strength of an agent in every climbing game: one agent against copies of another, on the same deals in all seats.

    python benchmarks/strength.py heuristic --deals 400 --out runs/strength --record
    python benchmarks/strength.py heuristic --game dou_dizhu --against greedy

Each game pays by its own settlement. A cell shows the mean payoff per game (0 is equal strength) and the share of games
that the agent's team won, with 95% intervals over deals, each played in all rotations. The folder of `--out` keeps the
games: the same command resumes a stopped run.

`big2 bench` measures the same against a frozen protocol; use it for results that others should be able to compare. Needs
nothing else; 400 deals of one game take from seconds (compiled rule players) to minutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row

from big2_agents.evaluation.arena.command import play_units
from big2_agents.evaluation.arena.report import Report, cell
from big2_agents.evaluation.arena.results import OWN, Config
from big2_agents.evaluation.arena.schedule import Schedule
from big2_env.base.language import language, words
from big2_env.climbing.rulesets import available_rulesets, ruleset
from big2_env.runs.executors import Local


def measure(agent: str, name: str, against: list[str], deals: int, out: Path, jobs: int) -> Report:
    """Play one game's deals and return the report of all results in its file.

    Args:
        agent: Agent to measure.
        name: Name of the ruleset.
        against: The other agents.
        deals: Number of deals.
        out: Folder of the results.
        jobs: Number of processes, 0 for one per core.
    """
    config = Config((agent, *against), name, OWN, 0, Schedule.ALONE.value)
    path = out / f"{name}.jsonl"
    play_units(path, config, deals, Local(jobs), resume=True, tr=words(language()))
    return Report.of(path)


def line(name: str, report: Report) -> str:
    """Return the line of a game in the table."""
    cells = [cell(found.standing, " / ") for found in report.rows]
    played = min(found.standing.wins.number for found in report.rows)
    return f"| `{name}` | {ruleset(name).zh} | {report.seats} | {played} | {' | '.join(cells)} |"


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield the agent's payoff and share of games won against each opponent, by game."""
    for game, records in report["results"].items():
        for one in records:
            if one["agent"] == report["agent"] and one["minus"] is None:
                name = f"{one['agent']} against {one['against']} in {game}"
                wins, low, high = (100 * one[key] for key in ("wins", "wins_low", "wins_high"))
                yield Row(f"wins of {name}", wins, "%", (low, high))
                yield Row(f"payoff of {name}", one["score"], "points per game", (one["score_low"], one["score_high"]))


def main(
    agent: Annotated[str, typer.Argument(help="Agent to measure, NAME or NAME:ARGUMENT.")] = "heuristic",
    game: Annotated[list[str] | None, typer.Option(help="Ruleset, repeatable; all by default.", show_default=False)] = None,
    against: Annotated[list[str] | None, typer.Option(help="Opponent, repeatable.", show_default="random, greedy")] = None,
    deals: Annotated[int, typer.Option(min=2, help="Deals per game.")] = 400,
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("strength"),
    jobs: Annotated[int, typer.Option(min=0, help="Number of processes; 0 for one per core.")] = 1,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Print a Markdown table of strength by game, line by line."""
    recorder, results = Recorder("strength"), dict[str, Any]()
    others = against or ["random", "greedy"]
    out.mkdir(parents=True, exist_ok=True)
    print(f"| game | | players | deals | {' | '.join(f'against {other}' for other in others)} |", flush=True)
    print("| --- | --- | --- | --- |" + " --- |" * len(others), flush=True)
    for name in game or available_rulesets():
        report = measure(agent, name, others, deals, out, jobs)
        results[name] = report.records()
        print(line(name, report), flush=True)
    recorder.save({"agent": agent, "results": results}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
