"""`big2 arena`: compare agents on the same deals, in every seat."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final

import typer

from big2_agents.evaluation.answers import price_of_environment
from big2_agents.evaluation.arena.concurrent_games import played_at_once
from big2_agents.evaluation.arena.report import Report, as_json, check_png, tables, write_csv, write_parquet, write_png
from big2_agents.evaluation.arena.report_page import write_page
from big2_agents.evaluation.arena.results import MAX_DEALS, OWN, Config, UnitResult, merge, results_files
from big2_agents.evaluation.arena.schedule import (
    WHOLE,
    Contest,
    RunSeed,
    Schedule,
    Shard,
    Unit,
    choose,
    drawn_run,
    run_seed,
    units,
)
from big2_agents.evaluation.arena.stats import can_rate
from big2_agents.evaluation.arena.units import played
from big2_agents.evaluation.parquet import pyarrow
from big2_env.agents.interface import Agent, aside, check_seats
from big2_env.agents.isolated import IsolatedAgent, agent_maker
from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.language import Words
from big2_env.cli._endpoint_options import EndpointOptions, LlmPrice, files_beside, plays_models
from big2_env.cli._options import (
    TAGS,
    AgentSeed,
    Invented,
    Isolate,
    MoveLimit,
    RulesetName,
    RunOptions,
    check_found,
    counted,
    grouped,
    or_invented,
    print_table,
    words_of,
)
from big2_env.cli._seating import Players, print_seating, print_weights_notes
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.runs.atomic_files import check_writable
from big2_env.runs.executors import Executor
from big2_env.text.seating import seated

_OWN_FILE: Final = re.compile(r"arena(?:-([0-9]{1,9}))?\.jsonl")
"""Names of results files of runs without `--out`."""
DEFAULT_DEALS: Final = 1000
AGENTS_HELP: Final = "Agents to play: NAME, NAME:ARGUMENT or MODULE:CLASS."
"""Help of an argument that lists agents."""


@dataclass(frozen=True)
class ReportOptions:
    """Forms and files of the report."""

    as_json: Annotated[bool, typer.Option("--json", help="Report as JSON on standard output.")] = False
    csv: Annotated[Path | None, typer.Option(help="File for the report as CSV.")] = None
    parquet: Annotated[Path | None, typer.Option(help="File for the report as Parquet.")] = None
    png: Annotated[Path | None, typer.Option(help="File for the cross tables as a heat map.")] = None
    html: Annotated[Path | None, typer.Option(help="File for the report as one self-contained page.")] = None

    def writers(self, tr: Words) -> Sequence[tuple[Path, Callable[[Report, Path], None]]]:
        """Return each file with the function that writes it. They are checked before a run, not after it.

        Raises:
            OSError: A file cannot be written.
            ImportError: Parquet needs an extra.
        """

        def write_html(report: Report, path: Path) -> None:
            write_page(report, path, tr)

        wanted = ((self.csv, write_csv), (self.parquet, write_parquet), (self.png, write_png), (self.html, write_html))
        found = [(path, write) for path, write in wanted if path]
        for path, _ in found:
            check_writable(path)
        if self.parquet:
            pyarrow()
        return found


@grouped
def command(
    agents: Annotated[list[str], typer.Argument(metavar="AGENT...", help=AGENTS_HELP)],
    *,
    deals: Annotated[int | None, typer.Option(min=1, max=MAX_DEALS, help="Number of deals.", show_default="1000")] = None,
    seed: Annotated[
        str | None,
        typer.Option(
            metavar="N|drawn:N",
            help="Seed of the first deal, counting up; drawn:N repeats an earlier run.",
            show_default="drawn",
        ),
    ] = None,
    agent_seed: AgentSeed = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="Results file (JSONL), a line per finished deal.", show_default="a new file arena-N.jsonl"),
    ] = None,
    run: RunOptions,
    shard: Annotated[str | None, typer.Option(metavar="I/N", help="Share of the deals to play, part I of N.")] = None,
    merge_: Annotated[bool, typer.Option("--merge", help="Merge of the results files given instead of agents.")] = False,
    limit: MoveLimit = None,
    isolate: Isolate = False,
    schedule: Annotated[
        Schedule | None,
        typer.Option(
            help="Seating: table, pairs, alone (first agent only), teams (two against two), cross.",
            show_default="table if the agents fill one, else pairs",
        ),
    ] = None,
    ruleset: RulesetName = "big2",
    invented: Invented = None,
    players: Players = None,
    scoring: Annotated[
        str | None,
        typer.Option(help="Payoffs: own (the ruleset's), winner or cards.", show_default="own; with --resume the file's"),
    ] = None,
    reports: ReportOptions,
    endpoint: EndpointOptions,
    price: LlmPrice = None,
    at_once: Annotated[int, typer.Option("--at-once", min=1, max=1024, help="Games at a time with agents llm:MODEL.")] = 32,
    lang: Annotated[
        str | None,
        typer.Option("--lang", metavar=TAGS, help="Language of the --html page; tables are always in English."),
    ] = None,
) -> None:
    """Compare agents on the same deals, in every seat.

    Agents that fill a table sit in the given order, and every deal is played in all rotations. Otherwise they meet in pairs,
    each alone against copies of every other one. --schedule table repeats the agents around the table, and --players 2 makes it
    a table of two. --schedule cross makes two cross tables: one against copies, and two against two with partners opposite each
    other. Means and their 95% intervals count a deal with all its rotations as one observation. Differences of two agents are
    paired by deal, against the same opponents.

    The score is the ruleset's own payoff, unless --scoring names another. Tables show the score before wins, or after them in
    games that are only won or lost.

    --resume continues a run that was stopped or killed, or adds deals; nothing is lost or counted twice. Without --out, each
    run gets a file of its own, which is named at the start, and --resume continues the last one. The results do not depend on
    the number of processes. Deal k equals big2 match --seed (SEED + k). Without --seed, deal seeds are drawn at random, so no
    agent can look up its hand; the last line shows how to repeat the deals. Agents never receive a deal's seed: their own seeds
    follow from their hands and --agent-seed.

    Several machines can share a run with --shard 1/3, 2/3 and 3/3. --merge combines their files into the file of a single run.

    Examples:
        big2 arena heuristic greedy greedy greedy --deals 10000 --html arena.html
        big2 arena sb3:model.zip my_module:MyAgent greedy --deals 500 --limit 2
        big2 arena my_module:MyAgent heuristic --deals 500 --isolate
        big2 arena heuristic random --deals 9000 --seed 1 --shard 2/3 --out part2.jsonl
        big2 arena --merge part1.jsonl part2.jsonl part3.jsonl --out all.jsonl
        big2 arena heuristic random --out pair.jsonl --resume
        big2 arena heuristic random --game dou_dizhu --deals 4 --out landlords.jsonl
        big2 arena heuristic greedy lowest random --schedule cross --csv cross.csv --png cross.png
        big2 arena llm:qwen3 greedy --deals 20 --llm-url http://localhost:8000/v1
        big2 arena llm:qwen3 search greedy random --invented 7 --deals 20
    """
    tr = words_of(lang)
    is_named, out = out is not None, out or _own_file(is_new=not run.resume and not run.overwrite)
    run.check(out)
    rules = ruleset_named(or_invented(ruleset, invented))
    files = reports.writers(tr)

    def begin() -> None:
        check_rated()
        price_of_environment()
        if not is_named:
            print(f"big2: {tr('runs.results_in', file=out)}", file=sys.stderr)

    if merge_:
        if run.resume or run.jobs or run.ray or any((shard, limit, isolate, schedule, players, scoring, seed, agent_seed)):
            raise ConfigError("--merge: expected only --out, --overwrite, --deals and report files, got an option for playing")
        begin()
        merge([Path(file) for file in agents], out, deals=deals, overwrite=run.overwrite, rulesets={rules.name: rules})
    else:
        chosen = schedule or (choose(len(agents), rules) if players is None else Schedule.TABLE)
        named = agents
        if chosen is Schedule.TABLE:
            agents = seated(agents, rules, players)
        elif players is not None:
            raise ConfigError(f"--players: expected --schedule table, got {chosen.value}")
        begun = results_files({rules.name: rules}).read(out) if run.resume and out.is_file() else None
        payoffs = scoring or (OWN if begun is None else begun.scoring)
        config = Config.of(tuple(agents), rules, payoffs, _seeds(seed, begun, shard), chosen.value, agent_seed)
        planned = config.contests()
        part = Shard.parse(shard) if shard else WHOLE
        has_models = plays_models(agents, jobs=run.jobs > 1, ray=run.ray, isolate=isolate, limit=limit)
        with files_beside(out) if has_models else nullcontext():
            made = check_agents(agents, config.rules(), planned, isolate=isolate, tr=tr)
            protocols = protocols_of(made)
            config = replace(config, protocols=protocols)
            if reports.png:
                check_png(planned[0].kind)
            begin()
            print_seating(named, agents, tr)
            number, threads = deals or DEFAULT_DEALS, at_once if protocols else None
            play_units(out, config, number, run.executor, part, limit, **run.kept, isolate=isolate, at_once=threads, tr=tr)
    report = Report.of(out, {rules.name: rules})
    for path, write in files:
        write(report, path)
    if reports.as_json:
        print(json.dumps(as_json(report), ensure_ascii=False))
    else:
        for table in tables(report):
            print_table(table)
    if isinstance(report.config.seed, str):
        print(f"big2: {tr('runs.same_deals', seed=report.config.seed)}", file=sys.stderr)


def _own_file(is_new: bool) -> Path:
    """Return the results file of a run without `--out`: a new name, or the last file.

    Args:
        is_new: False to continue or replace the last file.
    """
    found = (_OWN_FILE.fullmatch(path.name) for path in Path().glob("arena*.jsonl"))
    number = max((int(one[1] or 1) for one in found if one), default=0) + is_new
    return Path("arena.jsonl" if number < 2 else f"arena-{number}.jsonl")


def _seeds(given: str | None, begun: Config | None, shard: str | None) -> RunSeed:
    """Return the seed of a run: as given, of the run to resume, or drawn.

    Raises:
        ConfigError: A shard has no seed, so it would play other deals than the other shards.
    """
    if given is not None:
        return run_seed(given)
    if begun is not None:
        return begun.seed
    if shard:
        raise ConfigError("--shard: expected --seed, the same number on every machine, got none")
    return drawn_run()


def check_agents(
    specs: Iterable[str], rules: RuleSet, planned: Iterable[Contest], *, isolate: bool = False, tr: Words
) -> dict[str, Agent]:
    """Make each agent once, before anything is played or written, and return the agents by name; isolated ones have ended.

    A line for each agent with weights for other rules goes to standard error.

    Args:
        specs: Specifications of the agents.
        rules: The rules of the game.
        planned: Contests of the run.
        isolate: True if agents run in their own processes.
        tr: Words of the language.

    Raises:
        ConfigError: An agent is unknown or cannot play the game.
        ImportError: An agent needs an extra.
    """
    seats = {len(contest.chairs) for contest in planned}
    made: dict[str, Agent] = {}
    with aside():
        for spec in sorted(set(specs)):
            made[spec] = agent = agent_maker(isolate)(spec)
            with closing(agent) if isinstance(agent, IsolatedAgent) else nullcontext():  # each table starts its own
                for number in seats:
                    check_seats([agent], rules, number)
                    print_weights_notes({spec: agent}, rules, number, tr)
    return made


def protocols_of(agents: Mapping[str, Agent]) -> dict[str, str]:
    """Return the protocols of the agents that wait for an endpoint, by name."""
    return {name: str(getattr(agent, "protocol", "")) for name, agent in agents.items() if getattr(agent, "waits", False)}


def check_rated() -> None:
    """Warn before the run if the report will have no ratings."""
    if not can_rate():
        print("big2: ratings are left out, they need openskill: pip install 'big2_env[arena]'", file=sys.stderr)


def play_units(
    path: Path,
    config: Config,
    deals: int,
    executor: Executor,
    shard: Shard = WHOLE,
    limit: float | None = None,
    *,
    resume: bool = False,
    overwrite: bool = False,
    isolate: bool = False,
    at_once: int | None = None,
    tr: Words,
) -> None:
    """Play the units that a results file lacks.

    Args:
        path: The results file.
        config: Configuration of the run.
        deals: Number of deals of the whole run.
        executor: Processes that play.
        shard: Part of the deals to play.
        limit: Maximum seconds per move; `None` for no limit.
        resume: Continue an existing file, without its incomplete last line.
        overwrite: Replace an existing file.
        isolate: Run each agent in its own process.
        at_once: Number of games at a time in this process, for agents that wait for an endpoint; None for other agents.
        tr: Words of the language.

    Raises:
        ConfigError: The file exists and is neither resumed nor overwritten, has another configuration or later deals, or is in
            use. An agent fails, exceeds the limit or makes an illegal move.
        NotationError: A line is malformed; the message has its number.
    """
    planned, wanted = config.contests(), shard.deals(deals)
    contests, done = len(planned), set[Unit]()

    def take(result: UnitResult) -> None:
        if (unit := result.unit) in done:
            raise NotationError(f"expected every unit once, got deal {unit.deal} of contest {unit.contest} twice")
        done.add(unit)

    with results_files().open(path, config, take, resume=resume, overwrite=overwrite) as write:
        check_found("deals", 1 + max((unit.deal for unit in done), default=-1), deals, path)
        begun, kept = sum(unit.deal in wanted for unit in done), len(done)
        todo = (unit for unit in units(deals, planned, shard) if unit not in done)
        try:
            with (
                counted("deals", begun // contests, len(wanted), path, tr) as advance,
                played(config, todo, executor, limit, isolate=isolate)
                if at_once is None
                else played_at_once(config, todo, at_once) as finished,
            ):
                for number, result in enumerate(finished, start=begun + 1):
                    write(result)
                    kept += 1
                    if number % contests == 0:
                        advance(1)
        except ConfigError as error:
            kept //= contests
            raise ConfigError(f"{error}; {kept} {'deal is' if kept == 1 else 'deals are'} kept in {path}") from error
