"""`big2 watch`: a person at the terminal watching agents."""

from __future__ import annotations

from typing import Annotated

import typer

from big2_env.base.language import language, words
from big2_env.cli import match
from big2_env.cli._options import Back, Lang, RulesetName
from big2_env.cli._seating import Players, print_seating
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.tables import terminal as tui
from big2_env.tables.prompt.terminal import has_table
from big2_env.tables.session.watching import Watching
from big2_env.text.seating import seated


def command(
    agents: match.Agents,
    seed: match.FirstSeed = None,
    ruleset: RulesetName = "big2",
    players: Players = None,
    source: match.From = None,
    back: Back = 0,
    plain: Annotated[bool, typer.Option("--plain", help="Print the game even if a table can be shown.")] = False,
    letters: Annotated[bool, typer.Option("--letters", help="Show C[3] instead of 3♣.")] = False,
    four_colours: Annotated[bool, typer.Option("--four-colors", help="Show clubs in green and diamonds in blue.")] = False,
    lang: Lang = None,
) -> None:
    """Watch agents play at a card table, at your own pace.

    Space pauses, the right arrow makes one move, + and - change the pace. All hands are open; Tab shows what one seat sees. v
    lists the values of the legal moves, n deals again, ? lists the rest. Without a terminal or textual (pip install
    'big2_env[tui]'), or with --plain, the game is printed as big2 match --log text prints it.

    Examples:
        big2 watch learned heuristic greedy random
        big2 watch learned-search --game dou_dizhu --seed 7
        big2 watch sb3:model.zip learned --players 4
        big2 watch heuristic --from game.jsonl:12
    """
    if not has_table(plain):
        given_options = {"ruleset": ruleset, "players": players, "source": source, "back": back, "lang": lang}
        match.command(agents=agents, seed=seed, log=match.LogFormat.TEXT, **given_options)
        return
    tongue, rules = language(lang), ruleset_named(ruleset)
    given = None if source is None else match.given_game(source, back, rules, players)
    rules = rules if given is None else given.game.ruleset
    table = seated(agents, rules, players if given is None else given.game.num_players)
    watching = Watching(rules, table, seed=seed)
    if given is not None:
        watching.start(given.game, watching.seed, given.deck)
    print_seating(agents, table, words(tongue))
    tui.show("climbing_watch", watching, lang=tongue, letters=letters, four_colours=four_colours)
