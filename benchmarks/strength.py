"""How strong an agent is in every game of the climbing family: alone against copies of others, on the same deals in all seats.

Each game pays by its own settlement. The intervals are 95 %, over deals, each played in all rotations. A run that was stopped
goes on where it was when the same command is given again.

    python benchmarks/strength.py heuristic --deals 400 --out strength
    python benchmarks/strength.py heuristic --game dou_dizhu --against greedy
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from big2_agents.arena.command import play_units
from big2_agents.arena.report import Report, cell
from big2_agents.arena.results import OWN, Config, ResultsFile
from big2_agents.arena.schedule import Schedule
from big2_env.climbing.rulesets import available_rulesets, ruleset
from big2_env.language import language, words
from big2_env.runs.executors import Local


def row(agent: str, name: str, against: list[str], deals: int, out: Path, jobs: int) -> str:
    """A line of the table: mean payoff and share of games won against each other agent."""
    config = Config((agent, *against), name, OWN, 0, Schedule.ALONE.value)
    path = out / f"{name}.jsonl"
    with ResultsFile.resume(path, config) as results:
        play_units(config, results, deals, Local(jobs), tr=words(language()))
    report = Report.of(path)
    cells = [cell(found.standing, " / ") for found in report.rows]
    played = min(found.standing.wins.number for found in report.rows)
    return f"| `{name}` | {ruleset(name).zh} | {report.seats} | {played} | {' | '.join(cells)} |"


def main(
    agent: Annotated[str, typer.Argument(help="NAME or NAME:ARGUMENT.")] = "heuristic",
    game: Annotated[list[str] | None, typer.Option(help="Games by name; without one, all.")] = None,
    against: Annotated[list[str] | None, typer.Option(help="The others; without one, random and greedy.")] = None,
    deals: Annotated[int, typer.Option(min=2, help="How many deals of each game.")] = 400,
    out: Annotated[Path, typer.Option(help="The folder of the results.")] = Path("strength"),
    jobs: Annotated[int, typer.Option(min=0, help="How many processes play; 0 for one on each core.")] = 1,
) -> None:
    """Print the table as Markdown, a line as soon as it is known."""
    others = against or ["random", "greedy"]
    out.mkdir(parents=True, exist_ok=True)
    print(f"| game | | players | deals | {' | '.join(f'against {other}' for other in others)} |", flush=True)
    print("| --- | --- | --- | --- |" + " --- |" * len(others), flush=True)
    for name in game or available_rulesets():
        print(row(agent, name, others, deals, out, jobs), flush=True)


if __name__ == "__main__":
    typer.run(main)
