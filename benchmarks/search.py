"""Strength of the searching agent by thinking time: one searcher against three greedy or three heuristic players.

    OMP_NUM_THREADS=1 python benchmarks/search.py --deals 100 --record
    OMP_NUM_THREADS=1 python benchmarks/search.py --budgets 100,400 --rulesets big2 --opponents heuristic --deals 40

Every deal is played in all four seats. Intervals are 95% over deals: a deal with its four games is one observation.

| column | meaning |
| --- | --- |
| `three of` | agent in the other three seats |
| `budget` | time or playouts per decision, as in `search:BUDGET`; or the name of another agent |
| `games won, %` | share of games won; 25 is equal strength |
| `score per game` | mean payoff as the ruleset pays; 0 is equal strength |
| `CPU ms per decision` | CPU time of decisions with more than one legal play |

Budgets in milliseconds are wall-clock time, so they buy fewer playouts on a busy machine. Budgets in playouts do not depend
on the load. Needs nothing else; the first example takes about two hours on one core, the second a few minutes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row, around
from rich.console import Console
from rich.table import Table

from big2_agents.rule_based.search import SearchAgent
from big2_env.agents.interface import Agent, make_agent, play_out, reset_seats
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.rulesets import ruleset
from big2_env.climbing.view import View
from big2_env.runs.intervals import NORMAL_95
from big2_env.runs.origin import machine, versions


class Timed:
    """Agent that measures the CPU time of its decisions with more than one legal play.

    Args:
        agent: The agent to ask.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.seconds, self.choices = 0.0, 0

    def reset(self, seed: int) -> None:
        """Start a game."""
        self.agent.reset(seed)

    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return the agent's play."""
        before = time.thread_time()
        play = self.agent.act(view, legal)
        if len(list(legal)) > 1:
            self.seconds += time.thread_time() - before
            self.choices += 1
        return play


def measure(rules: str, budget: str, opponent: str, deals: int, seed: int) -> dict[str, Any]:
    """Measure one player against three others.

    Args:
        rules: Name of the ruleset.
        budget: Search budget, or an agent's name.
        opponent: Name of the agent in the other seats.
        deals: Number of deals, each played in four seats.
        seed: Seed of the first deal.

    Returns:
        Share of games won, mean score, half widths of their 95% intervals, and CPU milliseconds per decision.
    """
    player = Timed(SearchAgent(budget) if budget[0].isdigit() else make_agent(budget))
    others = [make_agent(opponent) for _ in range(3)]
    found = np.zeros((deals, 2))
    game_rules = ruleset(rules)
    if hasattr(player.agent, "prepare"):
        player.agent.prepare(Game.deal(game_rules, seed).view())
    for deal in range(-1, deals):  # the first deal loads the kernels
        if deal == 0:
            player.seconds, player.choices = 0.0, 0
        for seat in range(4):
            seats = [*others[:seat], player, *others[seat:]]
            game = Game.deal(game_rules, seed + deal)
            reset_seats(seats, game)
            outcome = play_out(game, seats)
            if deal >= 0:
                found[deal] += outcome.winner == seat, outcome.payoffs[seat]
    found /= 4
    half = NORMAL_95 * found.std(axis=0, ddof=1) / np.sqrt(deals)
    (wins, score), (wins_half, score_half) = found.mean(axis=0), half
    return {
        "ruleset": rules, "opponents": opponent, "player": budget, "deals": deals, "wins": wins, "wins ±": wins_half,
        "score": score, "score ±": score_half, "milliseconds": 1000 * player.seconds / player.choices,
    }  # fmt: skip


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield share of games won and score of each player."""
    for one in report["results"]:
        name = one["player"] if one["player"][0].isalpha() else f"search:{one['player']}"
        name = f"{name} against three {one['opponents']} in {one['ruleset']}"
        yield Row(f"wins of {name}", 100 * one["wins"], "%", around(100 * one["wins"], 100 * one["wins ±"]))
        yield Row(f"score of {name}", one["score"], "points per game", around(one["score"], one["score ±"]))


def main(
    deals: Annotated[int, typer.Option(min=2, help="Number of deals, each played in four seats.")] = 50,
    budgets: Annotated[str, typer.Option(help="Search budgets or agents, comma-separated.")] = "10ms,50ms,200ms",
    rulesets: Annotated[str, typer.Option(help="Rulesets, comma-separated.")] = "big2,hong_kong",
    opponents: Annotated[str, typer.Option(help="Agents in the other seats, comma-separated.")] = "greedy,heuristic",
    seed: Annotated[int, typer.Option(help="Seed of the first deal.")] = 20_000,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure the searching agent by budget."""
    recorder, results = Recorder("search"), []
    for rules in rulesets.split(","):
        for opponent in opponents.split(","):
            for budget in budgets.split(","):
                results.append(measure(rules, budget, opponent, deals, seed))
                Console(stderr=True).print(results[-1])
    table = Table("ruleset", "three of", "budget", "games won, %", "score per game", "CPU ms per decision")
    for row in results:
        wins = f"{100 * row['wins']:.1f} ± {100 * row['wins ±']:.1f}"
        score = f"{row['score']:+.2f} ± {row['score ±']:.2f}"
        table.add_row(row["ruleset"], row["opponents"], row["player"], wins, score, f"{row['milliseconds']:.1f}")
    Console(width=110).print(table)
    about = {"settings": {"deals": deals, "seed": seed}, "machine": machine(), "versions": versions(["numba", "numpy"])}
    recorder.save({**about, "results": results}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
