"""Growth of resident memory over long runs, after a warm-up that loads compiled code and fills bounded caches.

    python benchmarks/memory.py --games 50000 --agents random,lowest,greedy,heuristic --record
    python benchmarks/memory.py --games 10000 --agents learned --ruleset big2 --ruleset dou_dizhu
    python benchmarks/memory.py --games 300 --agents search:50 --path views

| path | one game |
| --- | --- |
| `arena` | a game of `big2 arena`: compiled between rule-based agents, else move by move |
| `views` | a game in which each agent is asked for one view at a time, `act(view, legal)` |
| `aec` | an episode of the PettingZoo environment, with `AgentPolicy` at every seat |
| `rows` | an episode of a vector environment whose opponents are asked for one view at a time |
| `batch` | an episode of a self-play vector environment of 256 rows, with random actions |
| `session` | a deal at a person's table, with an agent playing for the person |

Each row is measured in a new process. Resident memory comes from `/proc/self/statm`, after a garbage collection and after
the C library has returned free memory. `blocks` counts the memory blocks that Python gained: it reveals a leak that fits
into memory that was free before. With `--limit`, the exit status is 1 if a row grows by more.

Needs Linux. Takes milliseconds per game of rule-based agents, more for others.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row
from rich.table import Table
from side_by_side import rulesets_asked, wide_console

from big2_agents.evaluation.arena.results import OWN, Config
from big2_agents.evaluation.arena.schedule import Schedule, units
from big2_agents.evaluation.arena.units import Table as ArenaTable
from big2_env.agents.interface import make_agent, play_out, reset_seats
from big2_env.base.errors import ConfigError
from big2_env.base.language import Language
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.runs.executors import Local
from big2_env.runs.origin import machine, versions
from big2_env.runs.progress import counting
from big2_env.tables.session.table_session import TableSession

STATM: Final = Path("/proc/self/statm")
SEED: Final = 5_000_000
RULE_AGENTS: Final = "random,lowest,greedy,heuristic"
SMALL: Final = 256
"""Rows of a batch."""
MIB: Final = 1 << 20
Work = Callable[[], int]
"""A function that plays some games and returns their number."""


class Case(NamedTuple):
    """Settings of one row of the table."""

    path: str
    ruleset: str
    agents: tuple[str, ...]
    games: int
    warm_up: int


class Found(NamedTuple):
    """Results of one row of the table."""

    case: Case
    warm: float
    """Resident MiB after the warm-up."""
    growth: float
    """Resident MiB that the games added."""
    blocks: int
    """Memory blocks of Python that the games added."""
    seconds: float
    """CPU seconds of the games."""


def arena(rules: RuleSet, agents: tuple[str, ...]) -> Work:
    """Return units of an arena between all ordered pairs of agents."""
    pair = agents if len(agents) > 1 else agents * 2
    config = Config(pair, rules.name, OWN, SEED, Schedule.PAIRS.value)
    table = ArenaTable(config, patience=0)
    for name in agents:
        prepare(name, rules)
    planned = units(10**9, config.contests())
    return lambda: len(table.play(next(planned)).games)


def prepare(name: str, rules: RuleSet) -> None:
    """Compile the code that an agent needs."""
    if ready := getattr(make_agent(name), "prepare", None):
        ready(Game.deal(rules, SEED).view())


def seated(rules: RuleSet, agents: tuple[str, ...]) -> Callable[[], tuple[int, list[str]]]:
    """Return a function that yields the number of the next game and the agent at each seat.

    Agents move to the next seat from game to game.
    """
    for name in agents:
        prepare(name, rules)
    number = -1

    def following() -> tuple[int, list[str]]:
        nonlocal number
        number += 1
        return number, list(islice(cycle(agents), number % len(agents), number % len(agents) + rules.default_players))

    return following


def views(rules: RuleSet, agents: tuple[str, ...]) -> Work:
    """Return games of agents that are made once for each seat."""
    following = seated(rules, agents)
    made = {(name, seat): make_agent(name) for name in agents for seat in range(rules.default_players)}

    def play() -> int:
        number, names = following()
        seats = [made[name, seat] for seat, name in enumerate(names)]
        game = Game.deal(rules, SEED + number)
        reset_seats(seats, game)
        play_out(game, seats)
        return 1

    return play


def aec(rules: RuleSet, agents: tuple[str, ...]) -> Work:
    """Return episodes of the AEC environment."""
    from big2_env.envs.aec import raw_env
    from big2_env.envs.aec_policy import AgentPolicy

    following, table = seated(rules, agents), raw_env(ruleset=rules)
    policies = {name: AgentPolicy(table, name) for name in agents}

    def play() -> int:
        number, names = following()
        at = dict(zip(table.possible_agents, names, strict=True))
        table.reset(seed=SEED + number)
        for player in table.agent_iter():
            over = table.terminations[player] or table.truncations[player]
            table.step(None if over else policies[at[player]]())
        return 1

    return play


def rows(rules: RuleSet, agents: tuple[str, ...]) -> Work:
    """Return episodes of a learner's rows, with opponents asked for one view at a time."""
    from big2_env.envs.opponents import AgentRows
    from big2_env.envs.vector import BatchEnv

    for name in agents:
        prepare(name, rules)
    players = rules.default_players
    opponents = [AgentRows(name, rules, players) for name in islice(cycle(agents), players - 1)]
    return episodes(BatchEnv(8, ruleset=rules, opponents=opponents, masks="ids", copy=False))


def batch(rules: RuleSet, agents: tuple[str, ...]) -> Work:
    """Return episodes of self-play with random actions; the agents are ignored."""
    from big2_env.envs.vector import BatchEnv

    return episodes(BatchEnv(SMALL, ruleset=rules, mode="self_play", masks="ids"))


def episodes(envs: Any) -> Work:
    """Return steps of a vector environment with random actions."""
    envs.engine.finish_compiling()
    envs.reset(seed=SEED)

    def step() -> int:
        _, _, ended, _, _ = envs.step(envs.random_actions())
        return int(ended.sum())

    return step


def session(rules: RuleSet, agents: tuple[str, ...]) -> Work:
    """Return deals at one table, with the screens that a person sees."""
    following = seated(rules, agents)
    _, (own, *others) = following()
    table, person = TableSession(rules, others, seed=SEED, auto_pass=False), make_agent(own)

    def play() -> int:
        person.reset(table.seed)
        while not table.is_over:
            table.scene(Language.EN)
            if table.advance() is None:
                table.play(person.act(table.view, table.legal))
        table.next_deal()
        return 1

    return play


PATHS: Final[dict[str, Callable[[RuleSet, tuple[str, ...]], Work]]] = {
    "arena": arena,
    "views": views,
    "aec": aec,
    "rows": rows,
    "batch": batch,
    "session": session,
}


def resident() -> float:
    """Return resident memory in MiB, without garbage and free memory of the C library."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / MIB


def measure(case: Case) -> Found:
    """Play the games of a case and measure the growth of memory."""
    work = PATHS[case.path](ruleset_named(case.ruleset), case.agents)
    play(work, case.warm_up)
    warm, blocks, start = resident(), sys.getallocatedblocks(), time.process_time()
    play(work, case.games)
    seconds = time.process_time() - start
    growth = resident() - warm
    return Found(case, warm, growth, sys.getallocatedblocks() - blocks, seconds)


def play(work: Work, games: int) -> None:
    """Play at least the given number of games."""
    while games > 0:
        games -= work()


def growths(report: dict[str, Any]) -> Iterator[Row]:
    """Yield the growth of memory in each case."""
    for one in report["results"]:
        path, ruleset, agents, games, _ = one["case"].values()
        yield Row(f"growth of memory over {games:,} games, {path} {ruleset} {','.join(agents)}", one["growth"], "MiB")


def main(
    games: Annotated[int, typer.Option(min=1, help="Games per row after the warm-up.")] = 2000,
    warm_up: Annotated[int | None, typer.Option(min=1, help="Games of the warm-up.", show_default="a fifth")] = None,
    ruleset: Annotated[list[str] | None, typer.Option(help="Ruleset, repeatable.", show_default="all")] = None,
    agents: Annotated[
        list[str] | None, typer.Option(help="Agents of a table, A,B,...; repeatable.", show_default=RULE_AGENTS)
    ] = None,
    path: Annotated[
        list[str] | None, typer.Option(help=f"Path, repeatable: {', '.join(PATHS)}.", show_default="arena, views")
    ] = None,
    limit: Annotated[float | None, typer.Option(min=0, help="Largest growth in MiB with exit status 0.")] = None,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure the growth of memory by path, ruleset and agents."""
    recorder = Recorder("memory")
    paths = path or ["arena", "views"]
    if unknown := sorted(set(paths) - set(PATHS)):
        raise typer.BadParameter(f"unknown path: {', '.join(unknown)}; expected some of {', '.join(PATHS)}")
    if not STATM.exists():
        raise typer.BadParameter(f"expected a system with {STATM}, got {sys.platform}")
    tables = [tuple(text.split(",")) for text in agents or [RULE_AGENTS]]
    try:
        for name in {name for names in tables for name in names}:
            make_agent(name)
    except ConfigError as error:
        raise typer.BadParameter(str(error)) from error
    before = warm_up or max(1, games // 5)
    cases = [Case(path, name, names, games, before) for path in paths for name in rulesets_asked(ruleset) for names in tables]
    console, table = wide_console(), Table(title=f"resident memory, {games:,} games after {before:,}")
    table.add_column("path")
    table.add_column("ruleset", no_wrap=True)
    table.add_column("agents", no_wrap=True)
    for column in ("after warm-up, MiB", "growth, MiB", "blocks", "CPU, s"):
        table.add_column(column, justify="right")
    found = []
    with counting("rows", len(cases)) as advance:
        for case in cases:
            # A limit makes the executor work in a process of its own.
            with Local(1, limit=24 * 3600.0).map(measure, [case]) as measured:
                one = next(measured)
            found.append(one)
            figures = f"{one.warm:.1f}", f"{one.growth:+.2f}", f"{one.blocks:+,}", f"{one.seconds:.1f}"
            table.add_row(case.path, case.ruleset, ",".join(case.agents), *figures)
            print(f"{case.path} {case.ruleset} {','.join(case.agents)}: {' '.join(figures)}", file=sys.stderr, flush=True)
            advance(1)
    console.print(table)
    about = {"machine": machine(), "versions": versions({"big2_env", "numpy", "numba"})}
    results = [one._asdict() | {"case": one.case._asdict()} for one in found]
    recorder.save({**about, "results": results}, growths, json, record)
    if limit is not None and (over := [one for one in found if one.growth > limit]):
        names = ", ".join(f"{one.case.path} {one.case.ruleset} {','.join(one.case.agents)}" for one in over)
        console.print(f"expected growth of at most {limit:g} MiB, got more in {names}", soft_wrap=True)
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
