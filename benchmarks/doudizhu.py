"""斗地主 without its auction: how often an agent wins as the landlord and as both farmers, and what it gains.

Each deal is played twice: the agent is the landlord, seat 0 with 20 cards, and then both farmers. The winning percentage (WP)
is that of its games; the average difference in points (ADP) is what its side gets a game in all: 1 from or for each farmer,
doubled by each bomb and by a spring. These are the two measures of Zha et al., arXiv 2106.06135, where par is 50 % and 0 for
equal agents. Intervals are 95 %, a deal with its two games being one observation.

One opponent comes from outside: `rlcard` is RLCard's rule player `doudizhu-rule-v1`, which sees here what it sees there. It
chooses by the names that RLCard has for plays, so the few that are not among these are not offered to it.

    OMP_NUM_THREADS=1 python benchmarks/doudizhu.py learned --deals 10000 --json doudizhu.json
    OMP_NUM_THREADS=1 python benchmarks/doudizhu.py heuristic --against rlcard --deals 1000
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import typer
from rich.table import Table
from side_by_side import machine, versions, wide_console, write_json

from big2_env.agents import Agent, make_agent, play_out, reset_seats
from big2_env.cards import iter_cards
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.rulesets import ruleset
from big2_env.climbing.view import View
from big2_env.errors import ConfigError
from big2_env.runs.executors import Local
from big2_env.runs.intervals import NORMAL_95
from big2_env.runs.progress import counting

RULES: Final = ruleset("dou_dizhu")
LANDLORD: Final = 0
RANKS: Final = "3456789TJQKA2BR"
"""RLCard's letters for the ranks, those of the jokers last."""
PIECE: Final = 20
"""Deals that a process plays at once."""


def letters(mask: int) -> str:
    """Cards as RLCard writes them: a letter each, in the order of the ranks."""
    return "".join(RANKS[card.rank] for card in sorted(iter_cards(mask), key=lambda card: card.rank))


class RLCardRules:
    """RLCard's `doudizhu-rule-v1` as an agent.

    Raises:
        ImportError: RLCard is not installed.
    """

    def __init__(self) -> None:
        from rlcard.games.doudizhu.utils import CARD_TYPE
        from rlcard.models.doudizhu_rule_models import DouDizhuRuleAgentV1

        self._player, self._names = DouDizhuRuleAgentV1(), CARD_TYPE[0]
        self._seed = 0

    def reset(self, seed: int) -> None:
        """Start a game."""
        self._seed = seed % 2**32

    def act(self, view: View, legal: LegalPlays) -> Play:
        """What the rule player plays of what RLCard knows."""
        if view.bidding:
            raise ConfigError("expected a game without its auction: RLCard's rule player has no bids")
        plays = {letters(play.mask) or "pass": play for play in legal}
        known = {name: play for name, play in plays.items() if name == "pass" or name in self._names}
        trace = [(move.seat, letters(move.play.mask) or "pass") for move in view.history[len(view.said) :]]
        raw = {
            "trace": trace,
            "actions": list(known),
            "current_hand": letters(view.hand),
            "landlord": LANDLORD,
            "self": view.seat,
        }
        if view.top is not None and letters(view.top.mask) not in self._names:
            return known.get("pass", next(iter(known.values())))
        np.random.seed((self._seed + len(trace)) % 2**32)
        return known[str(self._player.step({"raw_obs": raw}))]


@cache
def player(name: str, chair: int) -> Agent:
    """The agent of a name, RLCard's rule player among them; one for each chair, for all deals of a process."""
    return RLCardRules() if name == "rlcard" else make_agent(name)


def dealt(seed: int) -> Game:
    """A deal whose auction has made seat 0 the landlord, for a stake of 1."""
    game = Game.deal(RULES, seed)
    while game.position.bidding:
        acts = list(game.legal_plays())
        game.push(acts[0] if game.turn == LANDLORD else acts[-1])
    return game


def play_deal(agents: tuple[str, str], seed: int) -> list[float]:
    """Whether the first agent wins, and what its side gets: as the landlord, as the farmers."""
    found: list[float] = []
    for landlord in (0, 1):
        seats = [player(agents[landlord if seat == LANDLORD else 1 - landlord], seat) for seat in range(3)]
        game = dealt(seed)
        reset_seats(seats, game)
        payoff = play_out(game, seats).payoffs[LANDLORD] * (1 if landlord == 0 else -1)
        found += [payoff > 0, payoff]
    return found


def play_piece(piece: tuple[str, str, int, int]) -> list[list[float]]:
    """The deals of some seeds."""
    agent, other, first, last = piece
    return [play_deal((agent, other), seed) for seed in range(first, last)]


def measure(agent: str, other: str, deals: int, first: int, jobs: int) -> dict[str, Any]:
    """An agent's figures against another, with half of the width of their intervals."""
    ends = range(first, first + deals, PIECE)
    pieces = [(agent, other, start, min(start + PIECE, first + deals)) for start in ends]
    rows: list[list[float]] = []
    with counting(f"deals against {other}", deals) as advance, Local(jobs).map(play_piece, pieces) as results:
        for result in results:
            rows += result
            advance(len(result))
    both = np.array(rows).reshape(deals, 2, 2)
    over = {"landlord": both[:, 0], "farmers": both[:, 1], "both": both.mean(axis=1)}
    found: dict[str, Any] = {"agent": agent, "against": other, "deals": deals, "first deal": first}
    for side, values in over.items():
        half = NORMAL_95 * values.std(axis=0, ddof=1) / math.sqrt(deals)
        found[side] = {"WP": values[:, 0].mean(), "WP ±": half[0], "ADP": values[:, 1].mean(), "ADP ±": half[1]}
    return found


def main(
    agent: Annotated[str, typer.Argument(help="NAME or NAME:ARGUMENT.")] = "learned",
    against: Annotated[list[str] | None, typer.Option(help="The others; without one, rlcard, heuristic, greedy.")] = None,
    deals: Annotated[int, typer.Option(min=2, help="How many deals, each played twice.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first deal.")] = 3_000_000,
    jobs: Annotated[int, typer.Option(min=0, help="How many processes play; 0 for one on each core.")] = 1,
    json: Annotated[Path | None, typer.Option(help="Where to write the results.")] = None,
) -> None:
    """Measure and print."""
    rows = []
    table = Table("against", "deals", "side", "WP, %", "ADP")
    for other in against or ["rlcard", "heuristic", "greedy"]:
        try:
            rows.append(measure(agent, other, deals, seed, jobs))
        except ImportError as error:
            print(f"left out: {other} (not installed: {error.name or error})")
            continue
        for side in ("landlord", "farmers", "both"):
            found = rows[-1][side]
            wins = f"{100 * found['WP']:.1f} ± {100 * found['WP ±']:.1f}"
            table.add_row(other, f"{deals:,}", side, wins, f"{found['ADP']:+.2f} ± {found['ADP ±']:.2f}")
    wide_console().print(table)
    if json:
        about = {"machine": machine(), "versions": versions(["big2_env", "numba", "numpy", "rlcard"])}
        write_json(json, {**about, "results": rows})


if __name__ == "__main__":
    typer.run(main)
