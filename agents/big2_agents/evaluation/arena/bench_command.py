"""`big2 bench`: measure agents with the frozen protocols big2-bench and big2-positions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.table import Table

from big2_agents.evaluation.answers import price_of_environment
from big2_agents.evaluation.arena.bench import PROTOCOLS, BenchRow, Protocol, different, file_stem, table
from big2_agents.evaluation.arena.command import AGENTS_HELP, check_agents, play_units, protocols_of
from big2_agents.evaluation.arena.results import merge
from big2_agents.evaluation.arena.schedule import WHOLE, Shard
from big2_agents.evaluation.positions.measuring import measured
from big2_agents.evaluation.positions.regrets import RegretRow, answers_tables
from big2_agents.evaluation.positions.regrets import table as regret_table
from big2_env.agents.interface import aside, can_play, make_agent
from big2_env.base.errors import ConfigError
from big2_env.cli._endpoint_options import EndpointOptions, LlmPrice, files_beside, plays_models
from big2_env.cli._options import Lang, MoveLimit, RunOptions, grouped, print_table, words_of
from big2_env.climbing.rulesets import named
from big2_env.runs.progress import waiting
from big2_env.runs.rows import write_row

DEFAULT_OUT: Final = Path("bench_v3")


class Version(StrEnum):
    """A version of big2-positions (1 and 2) or of big2-bench (3 and 4)."""

    V1 = "v1"
    V2 = "v2"
    V3 = "v3"
    V4 = "v4"


@grouped
def command(
    agents: Annotated[list[str], typer.Argument(metavar="AGENT...", help=AGENTS_HELP)],
    *,
    ruleset: Annotated[
        str | None, typer.Option("--ruleset", "--game", help="Ruleset of the protocol.", show_default="all")
    ] = None,
    version: Annotated[
        Version | None,
        typer.Option(
            "--protocol",
            help="Version; v4, or v2 of the decisions, has the rulesets whose rules have changed.",
            show_default="v3, or v1 with --positions",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = DEFAULT_OUT,
    run: RunOptions,
    deals: Annotated[
        int | None, typer.Option(min=2, help="Number of deals; fewer than all make a preview only.", show_default="all")
    ] = None,
    shard: Annotated[str | None, typer.Option(metavar="I/N", help="Share of the deals to play, part I of N.")] = None,
    merge_: Annotated[bool, typer.Option("--merge", help="Merge of the results folders given instead of agents.")] = False,
    limit: MoveLimit = None,
    positions: Annotated[bool, typer.Option("--positions", help="Regret in frozen decisions instead of games.")] = False,
    number: Annotated[
        int | None,
        typer.Option(
            "--decisions",
            min=2,
            help="Number of decisions with --positions; fewer than all make a preview only.",
            show_default="all",
        ),
    ] = None,
    at_once: Annotated[
        int, typer.Option("--at-once", min=1, max=1024, help="Calls of llm:MODEL, or games with it, at a time.")
    ] = 32,
    endpoint: EndpointOptions,
    price: LlmPrice = None,
    as_json: Annotated[bool, typer.Option("--json", help="Result rows as JSON on standard output.")] = False,
    lang: Lang = None,
) -> None:
    """Measure agents with the frozen protocols big2-bench and big2-positions.

    Each agent meets random, greedy and heuristic players in every shipped ruleset, on the same 1,000 deals in all seats. It
    plays alone against copies of each, and together with copies of itself, two against two or against one. The results are the
    win rate and the mean payoff (par 0), with 95% intervals. Quote the protocol's hash with your results: it covers the deals,
    the rulesets and the opponents' choices. Rulesets that an agent cannot play are left out.

    The folder gets RULESET-AGENT.jsonl, with a line per finished deal, and at the end RULESET-AGENT.json with the result row.
    --resume continues a run that was stopped or killed; if the agent has changed since, use --overwrite. Several machines can
    share a run with --shard 1/3, 2/3 and 3/3; --merge combines their folders into the folder of a single run.

    With --positions, each agent makes 300 frozen decisions per ruleset instead. The result is its regret: the value of the best
    move minus the value of its own, in points. A language model needs 300 calls for it, where games need thousands. The files
    are then called positions-RULESET-AGENT.

    Examples:
        big2 bench greedy
        big2 bench heuristic --shard 1/2 --out part1
        big2 bench --merge part1 part2 --out bench_v3
        big2 bench greedy --protocol v4 --out bench_v4
        big2 bench learned learned-search:50ms --ruleset hong_kong --out results --resume
        big2 bench random greedy heuristic --positions --ruleset big2
        big2 bench llm:qwen3,legal --positions --ruleset big2 --llm-url http://localhost:8000/v1
    """
    tr = words_of(lang)
    run.check(out)
    if not merge_:
        agents = different(agents)
        plays_models(agents, jobs=run.jobs > 1, ray=run.ray, limit=limit)
    if positions:
        if deals or shard or merge_:
            raise ConfigError("--positions: expected no --deals, --shard or --merge, which are for games")
        price_of_environment()
        decided = f"big2-positions {version or Version.V1}"
        found = measured(agents, decided, ruleset, out, number, run.executor, limit, at_once, **run.kept, tr=tr)
        _print(found, [regret_table(found, tr), *answers_tables(found)], as_json)
        return
    if option := "--decisions" if number is not None else "--price" if price is not None else None:
        raise ConfigError(f"{option}: expected --positions too, got none")
    if (version := version or Version.V3) not in PROTOCOLS:
        raise ConfigError(f"expected --protocol {' or '.join(PROTOCOLS)} for games, got {version}")
    protocol = PROTOCOLS[version]
    number = protocol.deals if deals is None else deals
    if number > protocol.deals:
        raise ConfigError(f"expected at most {protocol.deals:,} deals, which {protocol.name} has, got --deals {number}")
    if merge_:
        if run.resume or run.jobs or run.ray or shard or ruleset or limit:
            raise ConfigError("--merge: expected --out, --overwrite and --json, got an option for playing")
        rows = _merged([Path(name) for name in agents], out, protocol, run.overwrite)
        _print(rows, [table(rows, protocol, tr)], as_json)
        return
    part = Shard.parse(shard) if shard else WHOLE
    asked = None if ruleset is None else named(ruleset)
    rulesets = list(protocol.scorings) if ruleset is None else [ruleset if asked is None else asked.name]
    wanted = [(name, agent, protocol.config_of(agent, name)) for name in rulesets for agent in agents]
    with aside():  # what agents print is no part of the rows
        made = {agent: make_agent(agent) for agent in agents}  # a name that is none is refused before anything is written
        if ruleset is None:
            rules = {name: protocol.rules(name) for name in rulesets}
            wanted = [each for each in wanted if can_play(made[each[1]], rules[each[0]], rules[each[0]].default_players)]
    for name, agent, config in wanted:
        check_agents([agent], protocol.rules(name), config.contests(), tr=tr)
    with waiting(tr("bench.checking")):
        for name in dict.fromkeys(name for name, _, _ in wanted):
            protocol.check_opponents(name)
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    executor = run.executor
    with executor.running():
        for name, agent, config in wanted:
            path = out / f"{file_stem(name, agent)}.jsonl"
            protocols = protocols_of({agent: made[agent]})
            config, threads = replace(config, protocols=protocols), at_once if protocols else None
            with files_beside(path) if protocols else nullcontext():
                play_units(path, config, number, executor, part, limit, **run.kept, at_once=threads, tr=tr)
            rows.append(_row(path, protocol))
    _print(rows, [table(rows, protocol, tr)], as_json)


def _merged(folders: list[Path], out: Path, protocol: Protocol, overwrite: bool) -> list[BenchRow]:
    """Return the rows of results that are spread over several folders.

    Raises:
        ConfigError: No results are found, or parts are missing.
    """
    files = (path.name for folder in folders for name in protocol.scorings for path in folder.glob(f"{name}-*.jsonl"))
    names = sorted({name for name in files if not name.endswith((".replies.jsonl", ".transcript.jsonl"))})
    if not names:
        raise ConfigError(f"expected folders with results of big2 bench, got none in {', '.join(map(str, folders))}")
    out.mkdir(parents=True, exist_ok=True)
    for name in names:
        merge([path for folder in folders if (path := folder / name).exists()], out / name, overwrite=overwrite)
    return [_row(out / name, protocol) for name in names]


def _row(path: Path, protocol: Protocol) -> BenchRow:
    """Return the row of a results file, and write it to the same folder."""
    row = BenchRow.of(path, protocol)
    write_row(path.with_suffix(".json"), row.as_json())
    return row


def _print(rows: Sequence[BenchRow | RegretRow], shown: Iterable[Table], as_json: bool) -> None:
    """Print rows of one protocol, as JSON or as their tables."""
    if as_json:
        print(json.dumps([row.as_json() for row in rows], ensure_ascii=False))
    else:
        for each in shown:
            print_table(each)
