"""`big2 solve`: an endgame with all hands open, solved (解杀)."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from big2_env.base.language import Words
from big2_env.cli._options import SOURCE_HELP, Back, Lang, RulesetName, shows_signs, stdin_bytes, words_of
from big2_env.climbing.game import Game
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.drawing.terminal import QUIET, coloured
from big2_env.notation import records
from big2_env.notation.sources import game_in
from big2_env.solve import Goal, Solution, Verdict, solve
from big2_env.text.events import play_text
from big2_env.text.names import points

SECONDS = 60.0
"""Seconds for a position by default."""


def command(
    source: Annotated[str, typer.Argument(metavar="GAME", help=f"{SOURCE_HELP} - is standard input.")],
    seat: Annotated[
        int | None, typer.Option(help="Seat that shall win, alone or with its team.", show_default="the one to move")
    ] = None,
    back: Back = 0,
    goal: Annotated[Goal, typer.Option(help="Goal of the team: first out, or the highest payoff.")] = Goal.FIRST_OUT,
    seconds: Annotated[float, typer.Option(help="Most seconds; the result is undecided after that.")] = SECONDS,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON.")] = False,
    ruleset: RulesetName = "big2",
    lang: Lang = None,
) -> None:
    """Solve an endgame with all cards open, and print what a team can force.

    A team is the landlord, the players against one, or in other games a single seat. Its goal is that one of its seats is out
    first, or with --goal settlement the highest payoff it can force. In 五瓜皮 and 七鬼 with three or more players the two
    differ. "no forced win" is proven too; the line then shows the others' defense. The losing side resists as long as possible.
    The module big2_env.notation.positions describes positions.

    Examples:
        big2 solve '{"ruleset": "big2", "hands": ["C[3] C[7] S[2]", "C[9] D[9]", "H[9] H[10]", "C[K] C[A]"]}'
        big2 solve ending.json --seconds 10
        big2 solve game.in --back 12
        big2 solve '{"ruleset": "wu_gua_pi", "hands": ["D[6]", "S[7] S[8]", "D[7]"]}' --seat 1 --goal settlement
        big2 match heuristic greedy greedy random --seed 7 --log jsonl | big2 solve - --back 16 --json
    """
    tr = words_of(lang)
    game = game_in(source, ruleset_named(ruleset), back=back, stdin=stdin_bytes()).game
    progress = _progress()
    found = solve(game, seat, goal=goal, seconds=seconds, progress=progress)
    if progress is not None:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    rules = game.ruleset
    if as_json:
        line = [[seat, records.play_text(rules, play) if play else play.pattern] for seat, play in found.line]
        data = {"verdict": found.verdict.value, "goal": found.goal.value, "side": list(found.team), "line": line}
        paid = {} if goal is Goal.FIRST_OUT else {"payoff": found.payoff}
        effort = {"positions": found.positions, "seconds": round(found.seconds, 4)}
        print(json.dumps({**data, **paid, **effort}, ensure_ascii=False))
        return
    console, signs = Console(highlight=False, soft_wrap=True), shows_signs()
    for shown in _table(game, tr):
        console.print(coloured(shown, signs=signs))
    console.print(Text(_verdict(game, found, tr), "bold"))
    for passes, moves in groupby(found.line, lambda move: move.play.is_pass):
        for move in () if passes else moves:
            text = tr("table.acted", name=_name(game, move.seat, tr), play=play_text(rules, move.play, tr))
            console.print(coloured(f"  {text}", signs=signs))
        if passes:
            names = tr("rules.list").join(_name(game, move.seat, tr) for move in moves)
            console.print(Text(f"  {tr('solve.pass', names=names)}", QUIET))
    if found.verdict is Verdict.OPEN:
        console.print(Text(f"  {tr('solve.no_time', seconds=f'{seconds:g}')}"))
    console.print(Text(tr("solve.effort", positions=f"{found.positions:,}", seconds=f"{found.seconds:.3f}"), QUIET))


def _verdict(game: Game, found: Solution, tr: Words) -> str:
    """Return the result in words."""
    team = tr("solve.and").join(_name(game, one, tr) for one in found.team)
    if found.payoff is not None:
        return tr("solve.paid", team=team, payoff=points(found.payoff))
    verdicts = {Verdict.FORCED: "forced", Verdict.NOT_FORCED: "not_forced", Verdict.OPEN: "open"}
    what = "" if found.goal is Goal.FIRST_OUT or found.verdict is Verdict.OPEN else "_gain"
    return tr(f"solve.{verdicts[found.verdict]}{what}", team=team)


def _progress() -> Callable[[int], None] | None:
    """Return a function that shows the progress of the search; `None` without a terminal."""
    if not sys.stderr.isatty():
        return None
    return lambda number: print(f"\r{number:,} positions", end="", file=sys.stderr, flush=True)


def _name(game: Game, seat: int, tr: Words) -> str:
    return tr("solve.landlord_seat" if seat == game.position.landlord else "solve.seat", seat=seat)


def _table(game: Game, tr: Words) -> Iterator[str]:
    """Yield the game, the open hands, and the play to beat."""
    rules, position = game.ruleset, game.position
    yield tr.game(rules.name, rules.zh)
    for seat, hand in enumerate(position.hands):
        name = _name(game, seat, tr)
        label = tr("solve.to_move", name=name) if seat == position.turn else name
        yield tr("state.line", label=label, text=rules.text(hand))
    if position.top is not None and position.top_seat is not None:
        yield tr("solve.to_beat", name=_name(game, position.top_seat, tr), play=play_text(rules, position.top, tr))
