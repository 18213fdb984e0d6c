"""`big2 bench`: an agent's figures under the frozen protocol big2-bench v1."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Final

import typer

from big2_agents.arena.bench import DEALS, SCORINGS, check_opponents, config_of
from big2_agents.arena.bench_rows import BenchRow, file_stem, table, write_row
from big2_agents.arena.command import AGENTS_HELP, check_agents, play_units
from big2_agents.arena.merging import merge
from big2_agents.arena.report import Report
from big2_agents.arena.report_tables import show
from big2_agents.arena.results import ResultsFile
from big2_agents.arena.schedule import WHOLE, Shard
from big2_env.cli._options import OnRay, executor_of
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.errors import ConfigError

DEFAULT_OUT: Final = Path("bench_v1")


def command(
    agents: Annotated[list[str], typer.Argument(metavar="AGENT...", help=AGENTS_HELP)],
    ruleset: Annotated[str | None, typer.Option(help="big2 or hong_kong.", show_default="both")] = None,
    out: Annotated[Path, typer.Option(help="The folder of the results.")] = DEFAULT_OUT,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the files of an earlier run.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Throw away the files of an earlier run.")] = False,
    jobs: Annotated[int, typer.Option(min=0, help="How many processes play; 0 for one on each core.")] = 0,
    ray: OnRay = None,
    deals: Annotated[int, typer.Option(min=2, max=DEALS, help="Only the first deals: a preview, no figure of v1.")] = DEALS,
    shard: Annotated[str | None, typer.Option(metavar="I/N", help="Play only the I-th of N parts of the deals.")] = None,
    merge_: Annotated[bool, typer.Option("--merge", help="Put folders of results together, given in place of agents.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
) -> None:
    """Measure agents by the frozen protocol big2-bench v1.

    Each agent sits alone against three random, three greedy, three heuristic agents, on the same 2,000 deals in all four seats.
    What is told is its share of wins (par 25 %) and its mean payoff (par 0), with 95 % intervals. Give the protocol's hash
    with your figures: it stands for the deals, the rulesets and the opponents' choices.

    The folder gets RULESET-AGENT.jsonl, a line for each deal as it is finished, and in the end RULESET-AGENT.json, the row.
    --resume goes on where a run was stopped or killed; results of an agent that has changed since need --overwrite. Several
    machines share a run by --shard 1/3, 2/3, 3/3; --merge puts their folders together to the one that a single run writes.

    Examples:
        big2 bench greedy
        big2 bench heuristic --shard 1/2 --out part1
        big2 bench --merge part1 part2 --out bench_v1
        big2 bench learned learned-search:50ms --ruleset hong_kong --out figures --resume
    """
    if resume and overwrite:
        raise ConfigError("expected --resume or --overwrite, got both")
    if merge_:
        if resume or shard or ruleset or jobs:
            raise ConfigError("--merge: expected --out, --overwrite and --json, got an option for playing")
        rows = _merged([Path(folder) for folder in agents], out, overwrite)
        _print(rows, as_json)
        return
    part = Shard.parse(shard) if shard else WHOLE
    rulesets = list(SCORINGS) if ruleset is None else [ruleset]
    wanted = [(name, agent, config_of(agent, name)) for name in rulesets for agent in agents]
    for name, _, config in wanted:
        check_agents(agents, ruleset_named(name), config.contests())
    for name in rulesets:
        check_opponents(name)
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    executor = executor_of(ray, jobs)
    with executor.running():
        for name, agent, config in wanted:
            path = out / f"{file_stem(name, agent)}.jsonl"
            with ResultsFile.resume(path, config) if resume else ResultsFile.create(path, config, overwrite) as results:
                play_units(config, results, deals, executor, part)
            rows.append(_row(path))
    _print(rows, as_json)


def _merged(folders: list[Path], out: Path, overwrite: bool) -> list[BenchRow]:
    """The rows of results that lie in parts in several folders.

    Raises:
        ConfigError: no results, or parts that do not make a whole.
    """
    names = sorted({path.name for folder in folders for path in folder.glob("*.jsonl")})
    if not names:
        raise ConfigError(f"expected folders with results of big2 bench, got none in {', '.join(map(str, folders))}")
    out.mkdir(parents=True, exist_ok=True)
    for name in names:
        merge([path for folder in folders if (path := folder / name).exists()], out / name, overwrite=overwrite)
    return [_row(out / name) for name in names]


def _row(path: Path) -> BenchRow:
    """The row of a results file, written beside it."""
    row = BenchRow.of(Report.of(path))
    write_row(row, path.with_suffix(".json"))
    return row


def _print(rows: list[BenchRow], as_json: bool) -> None:
    if as_json:
        print(json.dumps([row.as_json() for row in rows], ensure_ascii=False))
    else:
        show([table(rows)])
