"""`big2 arena`: agents compared on the same deals, in every seat."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Final

import typer

from big2_agents.arena.report import Report, as_json
from big2_agents.arena.report_files import check_parquet, check_png, write_csv, write_parquet, write_png
from big2_agents.arena.report_tables import show, tables
from big2_agents.arena.results import MAX_DEALS, Config, ResultsFile
from big2_agents.arena.schedule import Schedule, Unit, choose, units
from big2_agents.arena.units import played
from big2_env.agents import make_agent
from big2_env.cli import RULES_HELP
from big2_env.cli._options import OnRay, executor_of
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.errors import ConfigError
from big2_env.runs.executors import Executor
from big2_env.runs.progress import counting
from big2_env.runs.replacing import check_place

DEFAULT_OUT: Final = Path("arena.jsonl")


def command(
    agents: Annotated[list[str], typer.Argument(metavar="AGENT...", help="The agents: NAME or NAME:ARGUMENT.")],
    deals: Annotated[int, typer.Option(min=1, max=MAX_DEALS, help="How many deals.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the first deal; the next one's is one higher.")] = 0,
    out: Annotated[Path, typer.Option(help="Where the results go, a line for each deal as it is finished.")] = DEFAULT_OUT,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the file of an earlier run.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Throw away the file of an earlier run.")] = False,
    jobs: Annotated[int, typer.Option(min=0, help="How many processes play; 0 for one on each core.")] = 0,
    ray: OnRay = None,
    schedule: Annotated[
        Schedule | None,
        typer.Option(
            help="table: all at one. pairs: each alone against copies of each other. alone: the first one only. "
            "teams: two against two. cross: pairs and teams.",
            show_default="table where the agents fill one, else pairs",
        ),
    ] = None,
    ruleset: Annotated[str, typer.Option("--ruleset", "--game", help=RULES_HELP)] = "big2",
    scoring: Annotated[str, typer.Option(help="What the score counts: cards, winner, or own, as the game pays.")] = "cards",
    as_json_: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    csv: Annotated[Path | None, typer.Option(help="Write the report's numbers there, as CSV.")] = None,
    parquet: Annotated[Path | None, typer.Option(help="The same as Parquet.")] = None,
    png: Annotated[Path | None, typer.Option(help="Draw the cross tables there, coloured by score.")] = None,
) -> None:
    """Compare agents on the same deals, in every seat.

    Agents that fill a table sit at it in the order given, and every deal is played in all rotations of it. Two agents (or any
    other number) meet in pairs: each alone against copies of each other one. --schedule cross makes two cross tables of them,
    one alone against copies and two against two, opposite each other. The means and their 95 % intervals take a deal with all
    its rotations as one observation; differences of two agents are taken deal by deal, against the same others.

    The same command with --resume goes on where a run was stopped, killed or had fewer deals; nothing is lost or counted twice.
    The results do not depend on the number of processes. Deal k is the one of big2 match --seed (SEED + k).

    Examples:
        big2 arena heuristic greedy greedy greedy --deals 10000
        big2 arena heuristic random --out pair.jsonl --resume
        big2 arena heuristic random --game dou_dizhu --scoring own --deals 4 --out landlords.jsonl
        big2 arena heuristic greedy first random --schedule cross --csv cross.csv --png cross.png
    """
    if resume and overwrite:
        raise ConfigError("--resume and --overwrite: allowed is one of them")
    rules = ruleset_named(ruleset)
    chosen = schedule or choose(len(agents), rules)
    config = Config.of(tuple(agents), rules, scoring, seed, chosen.value)
    planned = config.contests()
    for spec in set(agents):
        make_agent(spec)  # a name that is none is refused before anything is written
    for place in filter(None, (csv, parquet, png)):
        check_place(place)
    if parquet:
        check_parquet()
    if png:
        check_png(planned[0].kind)
    file = ResultsFile.resume(out, config) if resume else ResultsFile.create(out, config, overwrite)
    with file as results:
        play_units(config, results, deals, executor_of(ray, jobs))
    report = Report.of(out, {rules.name: rules})
    for path, write in ((csv, write_csv), (parquet, write_parquet), (png, write_png)):
        if path:
            write(report, path)
    if as_json_:
        print(json.dumps(as_json(report), ensure_ascii=False))
    else:
        show(tables(report))


def play_units(config: Config, results: ResultsFile, deals: int, executor: Executor) -> None:
    """Play the units of so many deals that a file does not hold yet.

    Raises:
        ConfigError: the file holds a later deal.
    """
    planned = config.contests()
    last = max((unit.deal for unit in results.done), default=-1)
    if last >= deals:
        raise ConfigError(f"{results.path} has {last + 1} deals: allowed is --deals {last + 1} or more")
    total = deals * len(planned)
    todo = (unit for unit in units(deals, planned) if unit not in results.done)
    try:
        _play(config, results, todo, total, executor)
    except KeyboardInterrupt:
        print(f"big2: stopped with {len(results.done)} of {total} units; go on with --resume", file=sys.stderr)
        raise


def _play(config: Config, results: ResultsFile, todo: Iterable[Unit], total: int, executor: Executor) -> None:
    """Play the units and write each as it comes, with a progress bar where somebody is looking."""
    with (
        counting("deals", total, len(results.done)) as advance,
        played(config, todo, executor) as finished,
    ):
        for result in finished:
            results.add(result)
            advance(1)
