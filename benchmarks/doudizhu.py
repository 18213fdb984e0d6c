"""Strength of an agent in 斗地主 without its auction, as the landlord and as both farmers.

    OMP_NUM_THREADS=1 python benchmarks/doudizhu.py learned --deals 10000 --record
    OMP_NUM_THREADS=1 python benchmarks/doudizhu.py heuristic --against rlcard --deals 1000

Each deal is played twice: the agent is the landlord, seat 0 with 20 cards, and then both farmers. The measures follow Zha
et al., arXiv 2106.06135:

| column | meaning |
| --- | --- |
| `WP` | winning percentage; 50% on both sides together is equal strength |
| `ADP` | average difference in points: payoff of the agent's side per game; 0 is equal strength |

Each farmer pays or gets 1 point, doubled by each bomb and by a spring. Intervals are 95% over deals: a deal with its two
games is one observation. The farmers have an advantage, since no one has bid for the landlord's hand.

`--against rlcard` is RLCard's rule player `doudizhu-rule-v1`, which sees here what it sees in RLCard. It names plays as
RLCard does, so the few plays without such a name are not offered to it. Needs `rlcard` for this opponent. 10,000 deals of
`learned` take some minutes per opponent on one core.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, Final

import numpy as np
import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row, around
from rich.table import Table
from side_by_side import wide_console

from big2_env.agents.interface import Agent, make_agent, play_out, reset_seats
from big2_env.base.cards import iter_cards
from big2_env.base.errors import ConfigError
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.rulesets import ruleset
from big2_env.climbing.view import View
from big2_env.runs.executors import Local
from big2_env.runs.intervals import NORMAL_95
from big2_env.runs.origin import machine, versions
from big2_env.runs.progress import counting

RULES: Final = ruleset("dou_dizhu")
LANDLORD: Final = 0
ROLES: Final = ("landlord", "farmers", "both")
RANKS: Final = "3456789TJQKA2BR"
"""RLCard's letters for the ranks, jokers last."""
PIECE: Final = 20
"""Deals in one task of a process."""


def letters(mask: int) -> str:
    """Return cards as RLCard writes them: one letter each, in the order of the ranks."""
    return "".join(RANKS[card.rank] for card in sorted(iter_cards(mask), key=lambda card: card.rank))


class RLCardRules:
    """RLCard's `doudizhu-rule-v1` as an agent.

    Raises:
        ImportError: If RLCard is not installed.
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
        """Return the rule player's choice among the plays that RLCard knows."""
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
    """Return the agent of a name, or RLCard's rule player; each chair keeps its own for all deals of a process."""
    return RLCardRules() if name == "rlcard" else make_agent(name)


def dealt(seed: int) -> Game:
    """Return a deal after an auction that made seat 0 the landlord for a stake of 1."""
    game = Game.deal(RULES, seed)
    while game.position.bidding:
        moves = list(game.legal_plays())
        game.push(moves[0] if game.turn == LANDLORD else moves[-1])
    return game


def play_deal(agents: tuple[str, str], seed: int) -> list[float]:
    """Return whether the first agent won and what its side got, as the landlord and then as the farmers."""
    found: list[float] = []
    for landlord in (0, 1):
        seats = [player(agents[landlord if seat == LANDLORD else 1 - landlord], seat) for seat in range(3)]
        game = dealt(seed)
        reset_seats(seats, game)
        payoff = play_out(game, seats).payoffs[LANDLORD] * (1 if landlord == 0 else -1)
        found += [payoff > 0, payoff]
    return found


def play_piece(piece: tuple[str, str, int, int]) -> list[list[float]]:
    """Play the deals of a range of seeds."""
    agent, other, first, last = piece
    return [play_deal((agent, other), seed) for seed in range(first, last)]


def measure(agent: str, other: str, deals: int, first: int, jobs: int) -> dict[str, Any]:
    """Measure an agent against another.

    Args:
        agent: Agent to measure.
        other: Its opponent.
        deals: Number of deals, each played twice.
        first: Seed of the first deal.
        jobs: Number of processes, 0 for one per core.

    Returns:
        WP and ADP by side, with half widths of their 95% intervals.
    """
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


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield WP and ADP by opponent and side."""
    for one in report["results"]:
        for side in ROLES:
            found = one[side]
            name = f"{one['agent']} against {one['against']}, {'both sides' if side == 'both' else side}"
            yield Row(f"wins of {name}", 100 * found["WP"], "%", around(100 * found["WP"], 100 * found["WP ±"]))
            yield Row(f"points of {name}", found["ADP"], "points per game", around(found["ADP"], found["ADP ±"]))


def main(
    agent: Annotated[str, typer.Argument(help="Agent to measure, NAME or NAME:ARGUMENT.")] = "learned",
    against: Annotated[
        list[str] | None, typer.Option(help="Opponent, repeatable.", show_default="rlcard, heuristic, greedy")
    ] = None,
    deals: Annotated[int, typer.Option(min=2, help="Number of deals, each played twice.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first deal.")] = 3_000_000,
    jobs: Annotated[int, typer.Option(min=0, help="Number of processes; 0 for one per core.")] = 1,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure an agent on both sides of 斗地主."""
    recorder, results = Recorder("doudizhu"), []
    table = Table("against", "deals", "side", "WP, %", "ADP")
    for other in against or ["rlcard", "heuristic", "greedy"]:
        try:
            results.append(measure(agent, other, deals, seed, jobs))
        except ImportError as error:
            print(f"left out: {other} (not installed: {error.name or error})")
            continue
        for side in ROLES:
            found = results[-1][side]
            wins = f"{100 * found['WP']:.1f} ± {100 * found['WP ±']:.1f}"
            table.add_row(other, f"{deals:,}", side, wins, f"{found['ADP']:+.2f} ± {found['ADP ±']:.2f}")
    wide_console().print(table)
    about = {"machine": machine(), "versions": versions(["big2_env", "numba", "numpy", "rlcard"])}
    recorder.save({**about, "results": results}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
