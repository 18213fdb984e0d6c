"""Decisions per second of an agent: `act(view, legal)` on turns of real games that leave a choice.

    python benchmarks/decisions.py learned --record
    python benchmarks/decisions.py heuristic search:400 --ruleset hong_kong --games 2

The views come from games in which the agent plays all seats.

| column | decisions per second |
| --- | --- |
| `at hand, CPU time` | of CPU time of this thread, with views made before |
| `at hand, wall clock` | of wall-clock time, with views made before |
| `with views made, CPU time` | of CPU time, each view made from its position within the measurement |

Needs nothing else; takes seconds, and minutes for `search`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row
from rich.table import Table
from side_by_side import wide_console

from big2_env.agents.interface import Agent, make_agent
from big2_env.agents.seeds import start_seed
from big2_env.climbing.game import Game
from big2_env.climbing.rulesets import ruleset as ruleset_named

SEED = 1


def turns_of(agent: Agent, ruleset: str, games: int) -> list[tuple[Game, int]]:
    """Return games of an agent in all seats, each with the number of a move that left a choice."""
    found = []
    for seed in range(SEED, SEED + games):
        game = Game.deal(ruleset_named(ruleset), seed)
        agent.reset(start_seed(game, game.turn))
        choices = []
        while not game.is_over:
            view = game.view()
            if len(view.legal_plays()) > 1:
                choices.append(len(game.history))
            game.push(agent.act(view, view.legal_plays()))
        found.extend((game, choice) for choice in choices)
    return found


def per_second(work: Callable[[], int], rounds: int, clock: Callable[[], float]) -> list[float]:
    """Return decisions per second in each round."""
    found = []
    for _ in range(rounds):
        start = clock()
        number = work()
        found.append(number / (clock() - start))
    return found


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield the decisions per second of CPU time, with views at hand."""
    for one in report["results"]:
        interval = min(one["rounds"]["own"]), max(one["rounds"]["own"])
        name = f"decisions of {one['name']} in {report['ruleset']} per second of CPU time, range of rounds"
        yield Row(name, one["medians"]["own"], "decisions per second", interval)


def main(
    agents: Annotated[list[str], typer.Argument(help="Agents to measure.")],
    ruleset: Annotated[str, typer.Option(help="Ruleset of the games.")] = "big2",
    games: Annotated[int, typer.Option(min=1, help="Games that the views come from.")] = 40,
    rounds: Annotated[int, typer.Option(min=1, help="Passes over all views; results are their medians.")] = 9,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure agents' decisions per second, with and without making their views."""
    recorder, results = Recorder("decisions"), []
    table = Table(
        "agent",
        "views",
        "at hand, CPU time",
        "at hand, wall clock",
        "with views made, CPU time",
        title=f"decisions/s, {ruleset}",
    )
    for name in agents:
        agent = make_agent(name)
        if prepare := getattr(agent, "prepare", None):  # otherwise plain Python answers until compiled code is ready
            prepare(Game.deal(ruleset_named(ruleset), SEED).view())
        replayed = []
        for game, choice in turns_of(agent, ruleset, games):
            copy = game.copy()
            while len(copy.history) > choice:
                copy.undo()
            replayed.append(copy)
        views = [(game.view(), game.legal_plays()) for game in replayed]

        def at_hand(agent: Agent = agent, views: list = views) -> int:  # type: ignore[type-arg]
            for view, legal in views:
                agent.act(view, legal)
            return len(views)

        def made(agent: Agent = agent, games: list[Game] = replayed) -> int:
            for game in games:
                view = game.view()
                agent.act(view, view.legal_plays())
            return len(games)

        figures = {
            "own": per_second(at_hand, rounds, time.thread_time),
            "clock": per_second(at_hand, rounds, time.perf_counter),
            "made": per_second(made, rounds, time.thread_time),
        }
        medians = {key: statistics.median(values) for key, values in figures.items()}
        table.add_row(name, f"{len(views):,}", *(f"{median:,.0f}" for median in medians.values()))
        results.append({"name": name, "views": len(views), "medians": medians, "rounds": figures})
    wide_console().print(table)
    recorder.save({"ruleset": ruleset, "games": games, "results": results}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
