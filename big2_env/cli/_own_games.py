"""`big2 games --mine`: the games that a person has played."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.table import Table

from big2_env.cli._tables import let_be_wide
from big2_env.language import Words
from big2_env.play.own_tally import tally
from big2_env.play.saved import games_folder, saved_games
from big2_env.text.names import agent_words, points

LAST: Final = 20
"""How many games are listed one by one."""


def print_mine(tr: Words) -> None:
    """How the person has fared against whom, and the last games."""
    games = saved_games()
    console = Console(highlight=False)
    if not games:
        console.print(tr("mine.none", folder=games_folder()), markup=False)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for key in ("game", "opponents", "games", "wins", "payoff", "broken_off"):
        table.add_column(tr(f"mine.{key}"), justify="left" if key in ("game", "opponents") else "right")
    for one in tally(games):
        mean = points(one.payoff / one.games) if one.games else "-"
        counts = str(one.games), str(one.wins), mean, str(one.broken_off)
        table.add_row(tr.name("game", one.ruleset), ", ".join(agent_words(name, tr) for name in one.opponents) or "-", *counts)
    console.print(table)
    console.print()
    last = Table(box=None, pad_edge=False, header_style="bold")
    for key in ("started", "game", "acts", "result", "file"):
        last.add_column(tr(f"mine.{key}"), overflow="fold")
    for game in games[:LAST]:
        result = tr("mine.unfinished") if game.payoff is None else points(game.payoff)
        when = game.started[:16].replace("T", " ")
        last.add_row(when, tr.name("game", game.ruleset), str(game.acts), result, str(game.path))
    let_be_wide(console, last)
    console.print(last)
