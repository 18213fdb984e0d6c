"""How many decisions a second an agent takes: `act(view, legal)` over the turns of real games in which there is a choice.

python benchmarks/decisions.py learned --json decisions.json
python benchmarks/decisions.py heuristic search:400 --ruleset hong_kong --games 2
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from side_by_side import wide_console, write_json

from big2_env.agent_seeds import start_seed
from big2_env.agents import Agent, make_agent
from big2_env.climbing.game import Game
from big2_env.climbing.rulesets import ruleset as ruleset_named

SEED = 1


def turns_of(agent: Agent, ruleset: str, games: int) -> list[tuple[Game, int]]:
    """Games that an agent plays with itself, and after how many acts there was a choice."""
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
    """Decisions a second in each round."""
    found = []
    for _ in range(rounds):
        start = clock()
        number = work()
        found.append(number / (clock() - start))
    return found


def main(
    agents: Annotated[list[str], typer.Argument(help="The agents.")],
    ruleset: Annotated[str, typer.Option(help="The rules.")] = "big2",
    games: Annotated[int, typer.Option(min=1, help="How many games the views come from.")] = 40,
    rounds: Annotated[int, typer.Option(min=1, help="How often they are gone through.")] = 9,
    json: Annotated[Path | None, typer.Option(help="Write the figures there.")] = None,
) -> None:
    """Measure agents, with views at hand and with views made from positions."""
    results = []
    table = Table(
        "agent", "views", "at hand, own time", "by the clock", "with views made, own time", title=f"decisions/s, {ruleset}"
    )
    for name in agents:
        agent = make_agent(name)
        if prepare := getattr(agent, "prepare", None):  # plain Python would answer until compiled code is there
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
    if json is not None:
        write_json(json, {"ruleset": ruleset, "games": games, "results": results})


if __name__ == "__main__":
    typer.run(main)
