"""What thinking time buys the searching player: alone against three greedy or three heuristic players, by budget.

Every deal is played in all four seats; the interval takes a deal as one observation. Budgets in milliseconds are wall-clock
time: on a machine that others use as well they buy less, so processor time is measured beside them; budgets in play-outs do not
depend on that.

    OMP_NUM_THREADS=1 python benchmarks/search.py --deals 100 --json search.json
    OMP_NUM_THREADS=1 python benchmarks/search.py --budgets 100,400 --rulesets big2 --opponents heuristic --deals 40
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from side_by_side import machine, versions, write_json

from big2_agents.search import SearchAgent
from big2_env.agents import Agent, make_agent, play_out, reset_seats
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.rulesets import ruleset
from big2_env.climbing.view import View
from big2_env.runs.intervals import NORMAL_95


class Timed:
    """A player with the processor time that its real choices took."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.seconds, self.choices = 0.0, 0

    def reset(self, seed: int) -> None:
        """Start a game."""
        self.agent.reset(seed)

    def act(self, view: View, legal: LegalPlays) -> Play:
        """What the player plays."""
        before = time.thread_time()
        play = self.agent.act(view, legal)
        if len(list(legal)) > 1:
            self.seconds += time.thread_time() - before
            self.choices += 1
        return play


def measure(rules: str, budget: str, opponent: str, deals: int, seed: int) -> dict[str, Any]:
    """The results of one player, a search budget or an agent's name, alone against three others."""
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


def main(
    deals: Annotated[int, typer.Option(min=2, help="Deals, each played in four seats.")] = 50,
    budgets: Annotated[str, typer.Option(help="Budgets as in search:BUDGET, and agents to compare with.")] = "10ms,50ms,200ms",
    rulesets: Annotated[str, typer.Option(help="Rulesets.")] = "big2,hong_kong",
    opponents: Annotated[str, typer.Option(help="Who sits at the other three seats.")] = "greedy,heuristic",
    seed: Annotated[int, typer.Option(help="Seed of the first deal.")] = 20_000,
    json: Annotated[Path | None, typer.Option(help="Where to write the results.")] = None,
) -> None:
    """Measure and print."""
    rows = []
    for rules in rulesets.split(","):
        for opponent in opponents.split(","):
            for budget in budgets.split(","):
                rows.append(measure(rules, budget, opponent, deals, seed))
                Console(stderr=True).print(rows[-1])
    table = Table("ruleset", "three of", "budget", "games won, %", "score a game", "processor, ms a decision")
    for row in rows:
        wins = f"{100 * row['wins']:.1f} ± {100 * row['wins ±']:.1f}"
        score = f"{row['score']:+.2f} ± {row['score ±']:.2f}"
        table.add_row(row["ruleset"], row["opponents"], row["player"], wins, score, f"{row['milliseconds']:.1f}")
    Console(width=110).print(table)
    if json:
        about = {"settings": {"deals": deals, "seed": seed}, "machine": machine(), "versions": versions(["numba", "numpy"])}
        write_json(json, {**about, "results": rows})


if __name__ == "__main__":
    typer.run(main)
