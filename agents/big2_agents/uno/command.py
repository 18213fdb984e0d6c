"""`big2 uno strength`: compiled UNO players against each other."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from big2_agents.uno.match import match
from big2_agents.uno.players import PLAYERS
from big2_env.cli._options import OnRay, executor_of
from big2_env.cli._uno_play import Options, Preset, parse_rules
from big2_env.runs.progress import counting

Name = Annotated[str, typer.Option(help=f"One of {', '.join(PLAYERS)}, search or search:TRIES.")]


def command(
    player: Name = "learned",
    against: Annotated[list[str] | None, typer.Option(help="Its opponents; by default article and rule-v1.")] = None,
    players: Annotated[list[int] | None, typer.Option(help="Players at the table; by default 2, then 4.")] = None,
    games: Annotated[int, typer.Option(min=1, help="Games of each match.")] = 100_000,
    preset: Preset = "article",
    option: Options = None,
    seed: Annotated[int, typer.Option(help="Seed of the first deal.")] = 0,
    jobs: Annotated[int, typer.Option(min=0, max=1024, help="How many threads play; 0 for one on each core.")] = 0,
    ray: OnRay = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Measure a player against others: wins and points left, the same deals in every seat.

    The player sits once at each seat of each deal, its opponents at all the others. article is the automatic player, rule-v1
    RLCard's, learned one that uses what its seat may know; search plays each act out by that one, in as many guesses of the
    hidden cards as search:100 says. Intervals are of 95 %; a deal with all its seats is one observation.

    Examples:
        big2 uno strength --games 20000
        big2 uno strength --against random --players 3 --games 9000 --rules table
        big2 uno strength --player search:10 --against learned --players 2 --games 40
    """
    found = []
    executor = executor_of(ray, jobs)
    with executor.running():
        for number in players or [2, 4]:
            rules = parse_rules(preset, number, option)
            for other in against or ["article", "rule-v1"]:
                with counting(f"{number} players, {other}", 2 * games) as advance:
                    result, same = (
                        match(rules, one, other, games, seed=seed, executor=executor, progress=advance)
                        for one in (player, other)
                    )
                found.append((number, other, result, same))
    if as_json:
        print(
            json.dumps(
                [{"players": n, "against": name, **asdict(one), "their_left": same.left} for n, name, one, same in found]
            )
        )
        return
    for number, other, one, same in found:
        print(f"{player} against {other}, {number} players, {one.games:,} games:")
        print(f"  wins {one.wins:.2%} ± {one.wins_margin:.2%}, even is {1 / number:.2%}")
        theirs = f"of {other} in its place {same.left:.2f} ± {same.left_margin:.2f}"
        print(f"  points left {one.left:.2f} ± {one.left_margin:.2f}; {theirs}")
