"""`big2 solve`: an ending with all hands open, solved (解杀)."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from itertools import groupby
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from big2_env.cli._screen import QUIET, play_text, with_cards
from big2_env.climbing.game import Game
from big2_env.errors import ConfigError
from big2_env.notation import positions, records

SECONDS = 60.0
"""The time that a position has where nothing is said."""


def command(
    position: Annotated[str, typer.Argument(help="JSON, a file with it, or - for standard input: a position or a record.")],
    seat: Annotated[
        int | None, typer.Option(help="The seat that is to win, alone or with its team; by default the one to move.")
    ] = None,
    back: Annotated[int, typer.Option(min=0, help="Take back so many acts of a record first.")] = 0,
    seconds: Annotated[float, typer.Option(help="Leave it undecided after so long.")] = SECONDS,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON.")] = False,
) -> None:
    """Say whether a team can force the win with all hands open, and print the line.

    A team wins when one of its seats is out first: the landlord, or those who play against one, or in other games a seat alone
    against all others. "no forced win" is proven as well: the line then shows how the others answer, who always can. Whoever
    loses resists as long as possible. Positions are described in big2_env.notation.positions.

    Examples:
        big2 solve '{"ruleset": "big2", "hands": ["C[3] C[7] S[2]", "C[9] D[9]", "H[9] H[10]", "C[K] C[A]"]}'
        big2 solve ending.json --seconds 10
        big2 match heuristic greedy greedy random --seed 7 --log jsonl | big2 solve - --back 16 --json
    """
    from big2_env.solve import Verdict, solve

    game = _game(position, back)
    progress = _progress()
    found = solve(game, seat, seconds=seconds, progress=progress)
    if progress is not None:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    rules = game.ruleset
    if as_json:
        line = [[seat, records.play_text(rules, play) if play else play.pattern] for seat, play in found.line]
        data = {"verdict": found.verdict.value, "side": list(found.team), "line": line}
        print(json.dumps({**data, "positions": found.positions, "seconds": round(found.seconds, 4)}, ensure_ascii=False))
        return
    console = Console(highlight=False, soft_wrap=True)
    console.print(_table(game))
    team = " and ".join(_name(game, one) for one in found.team)
    console.print(Text(f"{found.verdict.value}: {team}", "bold"))
    for passes, moves in groupby(found.line, lambda move: move.play.is_pass):
        for move in () if passes else moves:
            console.print(Text.assemble(f"  {_name(game, move.seat)}: ", play_text(rules, move.play)))
        if passes:
            console.print(Text(f"  pass: {', '.join(_name(game, move.seat) for move in moves)}", QUIET))
    if found.verdict is Verdict.OPEN:
        console.print(Text(f"  nothing is proven after {seconds:g} s; --seconds gives more"))
    console.print(Text(f"{found.positions:,} positions, {found.seconds:.3f} s", QUIET))


def _game(source: str, back: int) -> Game:
    """The game that the command line names, some acts taken back."""
    if source == "-":
        given = b"" if sys.stdin is None else sys.stdin.buffer.read(positions.MAX_TEXT + 1)
        source = given.decode("utf-8-sig").strip()
        if not source.startswith("{"):
            raise ConfigError("standard input: allowed is a position or a record, a JSON object")
    game = positions.read(source)
    if back > len(game.history):
        raise ConfigError(f"--back {back}: allowed are the {len(game.history)} acts of the game")
    for _ in range(back):
        game.undo()
    return game


def _progress() -> Callable[[int], None] | None:
    """What shows how far the search is, for people alone."""
    if not sys.stderr.isatty():
        return None
    return lambda number: print(f"\r{number:,} positions", end="", file=sys.stderr, flush=True)


def _name(game: Game, seat: int) -> str:
    return f"seat {seat}{' (landlord 地主)' if seat == game.position.landlord else ''}"


def _table(game: Game) -> Text:
    """The open hands, and what has to be beaten."""
    rules, position = game.ruleset, game.position
    lines = [Text(f"{rules.name} {rules.zh}")]
    for seat, hand in enumerate(position.hands):
        marks = " to move" if seat == position.turn else ""
        lines.append(Text.assemble(f"{_name(game, seat)}{marks}: ", with_cards(rules.text(hand), signs=False)))
    if position.top is not None and position.top_seat is not None:
        lines.append(Text.assemble(f"to beat: {_name(game, position.top_seat)}'s ", play_text(rules, position.top)))
    return Text("\n").join(lines)
