"""The user's own games: results by game and opponents, and the last ones, for `big2 games --mine`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.table import Table

from big2_env.base.language import Words
from big2_env.cli._options import print_table
from big2_env.tables.session.saved import games_folder, saved_games, tally
from big2_env.text.names import agent_words, points

LAST: Final = 20
"""Number of recent games that are listed."""


def print_mine(tr: Words) -> None:
    """Print the user's results by game and opponents, and the last games. Everything fits 80 columns."""
    games = saved_games()
    console = Console(highlight=False)
    if not games:
        console.print(tr("mine.none", folder=games_folder()), markup=False)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for key in ("game", "opponents", "games", "wins", "payoff", "broken_off"):
        table.add_column(tr(f"mine.{key}"), justify="left" if key in ("game", "opponents") else "right", overflow="fold")
    for one in tally(games):
        mean = points(one.payoff / one.games) if one.games else "-"
        counts = str(one.games), str(one.wins), mean, str(one.broken_off)
        table.add_row(tr.name("game", one.ruleset), opponents_text(one.opponents, tr) or "-", *counts)
    print_table(table, console)
    console.print()
    last = Table(box=None, pad_edge=False, header_style="bold")
    for key in ("started", "game", "acts", "result", "file"):
        is_number = key in ("acts", "result")
        last.add_column(tr(f"mine.{key}"), justify="right" if is_number else "left", overflow="fold", no_wrap=key != "game")
    for game in games[:LAST]:
        result = "-" if game.payoff is None else points(game.payoff)
        when = game.started[5:16].replace("T", " ")
        last.add_row(when, tr.name("game", game.ruleset), str(game.moves), result, game.path.name)
    print_table(last, console)
    console.print(f"\n{tr('mine.folder', folder=games_folder())}", markup=False, soft_wrap=True)


def opponents_text(opponents: Sequence[str], tr: Words) -> str:
    """Return opponents by name, equal ones once with their number.

    >>> from big2_env.base.language import Language, words
    >>> opponents_text(["greedy", "lowest", "greedy"], words(Language.EN))
    '2 × Greedy, Thrifty'
    """
    counts = Counter(agent_words(name, tr) for name in opponents)
    return ", ".join(f"{count} × {name}" if count > 1 else name for name, count in counts.items())
