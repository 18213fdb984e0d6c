"""`big2 uno strength`: compiled UNO players against each other."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from big2_agents.uno.duel import Duel, run_of
from big2_agents.uno.match import deals_of
from big2_agents.uno.players import PLAYERS
from big2_env.cli._options import (
    AgentSeed,
    Lang,
    OnRay,
    Out,
    Overwrite,
    Resume,
    check_found,
    check_kept,
    executor_of,
    say_stopped,
    words_of,
)
from big2_env.cli.uno import Options, Preset, parse_rules
from big2_env.language import Words
from big2_env.runs.progress import counting
from big2_env.runs.resumable import kept

Name = Annotated[str, typer.Option(help=f"One of {', '.join(PLAYERS)}, search or search:TRIES.")]


def command(
    player: Name = "learned",
    against: Annotated[list[str] | None, typer.Option(help="Its opponents; by default article and rule-v1.")] = None,
    players: Annotated[list[int] | None, typer.Option(help="Players at the table; by default 2, then 4.")] = None,
    games: Annotated[int, typer.Option(min=1, help="Games of each match.")] = 100_000,
    preset: Preset = "article",
    option: Options = None,
    seed: Annotated[int, typer.Option(help="Seed of the first deal.")] = 0,
    agent_seed: AgentSeed = 0,
    out: Out = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
    jobs: Annotated[int, typer.Option(min=0, max=1024, help="How many threads play; 0 for one on each core.")] = 0,
    ray: OnRay = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    lang: Lang = None,
) -> None:
    """Measure a player against others: wins and points left, the same deals in every seat.

    The player sits once at each seat of each deal, its opponents at all the others. article is the automatic player, rule-v1
    RLCard's, learned one that uses what its seat may know; search plays each act out by that one, in as many guesses of the
    hidden cards as search:100 says. Intervals are of 95 %; a deal with all its seats is one observation.

    The same command with --resume goes on where a run with --out was stopped or killed. A run that is stopped prints what it
    has found so far.

    Examples:
        big2 uno strength --games 20000
        big2 uno strength --against random --players 3 --games 9000 --rules table
        big2 uno strength --games 4000 --out strength.jsonl
        big2 uno strength --games 8000 --out strength.jsonl --resume
        big2 uno strength --player search:10 --against learned --players 2 --games 40
    """
    tr = words_of(lang)
    check_kept(out, resume, overwrite)
    duels = [
        Duel(parse_rules(preset, number, option), player, other)
        for number in dict.fromkeys(players or [2, 4])
        for other in dict.fromkeys(against or ["article", "rule-v1"])
    ]
    totals = {name: total for duel in duels for name, total in duel.totals().items()}
    executor = executor_of(ray, jobs)
    with kept(out, run_of(duels, seed, agent_seed), totals, resume=resume, overwrite=overwrite), executor.running():
        for duel in duels:
            check_found("games", duel.played, max(games, deals_of(duel.rules, games) * duel.rules.players), out)
        try:
            for duel in duels:
                with counting(duel.name, 2 * games, duel.done) as advance:
                    duel.play(games, seed=seed, salt=agent_seed, executor=executor, progress=advance)
        except KeyboardInterrupt:
            done = sum(duel.done for duel in duels)
            say_stopped("games", done, 2 * games * len(duels), out, tr)
            _show([duel for duel in duels if duel.played], as_json, tr)
            raise
    _show(duels, as_json, tr)


def _show(duels: list[Duel], as_json: bool, tr: Words) -> None:
    """Print what duels have found."""
    if as_json:
        print(json.dumps([duel.as_json() for duel in duels]))
        return
    for duel in duels:
        number, one, same = duel.rules.players, duel.result, duel.same_result
        names = {"player": duel.player, "other": duel.other}
        print(tr("figures.strength_title", players=number, games=f"{one.games:,}", **names))
        print(tr("figures.strength_wins", share=f"{one.wins:.2%} ± {one.wins_margin:.2%}", even=f"{1 / number:.2%}"))
        theirs = f"{same.left:.2f} ± {same.left_margin:.2f}" if same else tr("figures.not_played")
        left = f"{one.left:.2f} ± {one.left_margin:.2f}"
        print(tr("figures.strength_left", left=left, other=duel.other, theirs=theirs))
