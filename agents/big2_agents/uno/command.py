"""`big2 uno strength`: matches between compiled UNO players."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from big2_agents.uno.duel import Duel, run_of
from big2_agents.uno.match import deals_of
from big2_agents.uno.players import PLAYERS
from big2_env.base.language import Words
from big2_env.cli._options import (
    AgentSeed,
    Lang,
    Out,
    RunOptions,
    check_found,
    grouped,
    say_stopped,
    words_of,
)
from big2_env.games.uno.command import Options, Preset, parse_rules
from big2_env.runs.intervals import Estimate
from big2_env.runs.progress import counting
from big2_env.runs.resumable import kept

Name = Annotated[str, typer.Option(help=f"Player: {', '.join(PLAYERS)}, search or search:TRIES.")]


@grouped
def command(
    *,
    player: Name = "learned",
    against: Annotated[list[str] | None, typer.Option(help="Opponent; repeatable.", show_default="automatic, rule-v1")] = None,
    players: Annotated[
        list[int] | None, typer.Option(help="Number of players at the table; repeatable.", show_default="2, 4")
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="Number of games per match.")] = 100_000,
    preset: Preset = "article",
    option: Options = None,
    seed: Annotated[int, typer.Option(help="Seed of the first deal.")] = 0,
    agent_seed: AgentSeed = 0,
    out: Out = None,
    work: RunOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Results as JSON on standard output.")] = False,
    lang: Lang = None,
) -> None:
    """Measure a UNO player against others by wins and points left, on the same deals in every seat.

    In each deal the player sits once at each seat, with its opponents at all others. Players are automatic,
    rule-v1 (RLCard's), random, learned (trained, with its seat's knowledge), and search. search plays every move out with
    learned players; search:100 tries it on 100 guesses of the hidden cards. Intervals are 95%, and a deal with all its seats
    is one observation.

    --resume continues a run with --out that was stopped or killed. A stopped run prints its results so far.

    Examples:
        big2 uno strength --games 20000
        big2 uno strength --against random --players 3 --games 9000 --rules table
        big2 uno strength --games 4000 --out strength.jsonl
        big2 uno strength --games 8000 --out strength.jsonl --resume
        big2 uno strength --player search:10 --against learned --players 2 --games 40
    """
    tr = words_of(lang)
    work.check(out)
    others = dict.fromkeys(against or ["automatic", "rule-v1"])
    duels = [
        Duel(parse_rules(preset, number, option), player, other)
        for number in dict.fromkeys(players or [2, 4])
        for other in others
    ]
    totals = {name: total for duel in duels for name, total in duel.totals().items()}
    executor = work.executor
    with kept(out, run_of(duels, seed, agent_seed), totals, **work.kept), executor.running():
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
    """Print the results of duels."""
    if as_json:
        print(json.dumps([duel.as_json() for duel in duels]))
        return
    for duel in duels:
        number, one, same = duel.rules.players, duel.result, duel.same_result
        wins, left = Estimate(one.wins, one.wins_margin, one.games), Estimate(one.left, one.left_margin, one.games)
        names = {"player": duel.player, "other": duel.other}
        print(tr("figures.strength_title", players=number, games=f"{one.games:,}", **names))
        print(tr("figures.strength_wins", share=f"{wins:.2%}", even=f"{1 / number:.2%}"))
        theirs = f"{Estimate(same.left, same.left_margin, same.games):.2f}" if same else tr("figures.not_played")
        print(tr("figures.strength_left", left=f"{left:.2f}", other=duel.other, theirs=theirs))
