"""`big2 puzzles`: endings with all hands open and a forced win (殘局), to play and to make."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from big2_env.base.errors import ConfigError, quoted
from big2_env.base.language import language
from big2_env.base.rng import drawn_seed
from big2_env.cli import Family, standard_input
from big2_env.cli._options import KeptOptions, Lang, RulesetName, counted, grouped, print_table, words_of
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.tables import terminal as tui
from big2_env.tables.prompt.terminal import has_table
from big2_env.tables.puzzles.puzzle import GRADES


@grouped
def _make(
    out: Annotated[Path, typer.Option(help="Result file (JSON lines) that --resume can continue.")],
    *,
    ruleset: RulesetName = "big2",
    count: Annotated[int, typer.Option(min=1, max=10_000, help="Number of puzzles.")] = 100,
    seed: Annotated[int, typer.Option(min=0, max=2**32, help="Seed of the first deal; later deals count up.")] = 0,
    earlier: KeptOptions,
    lang: Lang = None,
) -> None:
    """Find puzzles in games of strong agents, and write them with their proofs.

    A puzzle has all hands open. The seat to move has a forced win, alone or with its team, but only with one or two of its
    legal moves. The solver proves this, and how many plays it takes. Each game gives at most one puzzle. Agents are asked for
    their moves too, and see only their own hand. Grades from 1 to 5 count plays, decisions with one winning move, and agents'
    failures. Ctrl-C loses nothing. The search ends after 30 games per puzzle, even with fewer puzzles.

    Examples:
        big2 puzzles make --ruleset big2 --count 20 --out big2.jsonl
        big2 puzzles make --ruleset big2 --count 40 --out big2.jsonl --resume
    """
    from big2_env.runs.resumable import opened
    from big2_env.tables.puzzles.making import Maker
    from big2_env.tables.puzzles.puzzle import MAX_LINE, as_data

    tr = words_of(lang)
    earlier.check(out)
    maker = Maker(ruleset_named(ruleset), count, seed)
    found = maker.found
    with (
        opened(out, maker.header, block=maker.take, max_line=4 * MAX_LINE, **earlier.kept) as write,
        counted("puzzles", len(found), count, out, tr) as advance,
    ):
        for puzzle in maker.run():
            if puzzle is not None:
                write(as_data(puzzle))
                advance(1)
    typer.echo(tr("puzzles.made", count=len(found), path=out))


def _play(
    key: Annotated[
        str | None, typer.Argument(help="Puzzle, such as big2-5, as the table shows it.", show_default="a random one")
    ] = None,
    ruleset: Annotated[
        str, typer.Option("--ruleset", "--game", help="Ruleset that big2 puzzles list names, or that made the --from file.")
    ] = "big2",
    grade: Annotated[int | None, typer.Option(min=1, max=GRADES, help="Difficulty.", show_default="all")] = None,
    source: Annotated[Path | None, typer.Option("--from", help="File of big2 puzzles make.")] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Use the prompt even if a table can be shown.")] = False,
    letters: Annotated[bool, typer.Option("--letters", help="Show C[3] instead of 3♣.")] = False,
    four_colours: Annotated[bool, typer.Option("--four-colors", help="Show clubs in green and diamonds in blue.")] = False,
    lang: Lang = None,
) -> None:
    """Solve puzzles: all hands are open, and you have a forced win.

    You move for one seat, and the solver for all others. The opponents defend as long as they can, and a partner helps. An
    error is refuted; U takes it back, V shows the solution, N shows the next puzzle, ? lists the other keys. Without a terminal
    or textual (pip install 'big2_env[tui]'), or with --plain, you type your moves as in big2 play.

    Examples:
        big2 puzzles play
        big2 puzzles play --game dou_dizhu --grade 3
        big2 puzzles play big2-5 --plain
    """
    from big2_env.tables.puzzles import shipped
    from big2_env.tables.puzzles.puzzle import load

    tongue = language(lang)
    if source is not None:
        with source.open("rb") as file:
            found = list(load(file, ruleset_named(ruleset)))
    else:
        found = list(shipped.puzzles_of(shipped.puzzle(key).ruleset if key is not None else ruleset))
    if grade is not None and key is None:
        found = [one for one in found if one.grade == grade]
    at = next((place for place, one in enumerate(found) if one.key == key), None)
    if key is None and found:
        at = drawn_seed() % len(found)
    if at is None and key is not None:
        raise ConfigError(f"expected a puzzle of {source}, got {quoted(key)}")
    if at is None:
        raise ConfigError(f"expected puzzles of {'any grade' if grade is None else f'grade {grade}'}, got none")
    found = found[at:] + found[:at]
    if has_table(plain):
        tui.show("climbing_puzzles", found, lang=tongue, letters=letters, four_colours=four_colours)
        return
    from big2_env.tables.prompt.puzzle import PuzzlePrompt

    PuzzlePrompt(found, tongue, standard_input(), letters=letters, four_colours=four_colours).run()


def _list(
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON per puzzle.")] = False,
    lang: Lang = None,
) -> None:
    """List the rulesets with puzzles, and how many there are of each grade.

    Examples:
        big2 puzzles list
    """
    from big2_env.tables.puzzles import shipped
    from big2_env.tables.puzzles.puzzle import dumps

    tr = words_of(lang)
    if as_json:
        for name in shipped.games():
            for one in shipped.puzzles_of(name):
                print(dumps(one))
        return
    heads = ["★" * grade for grade in range(1, GRADES + 1)]
    table = Table(tr("web.game"), "--game", tr("web.puzzles"), *heads, box=None)
    for name in shipped.games():
        found = shipped.puzzles_of(name)
        counts = [str(sum(one.grade == grade for one in found)) for grade in range(1, GRADES + 1)]
        table.add_row(tr.game(name, ruleset_named(name).zh), name, str(len(found)), *counts)
    print_table(table, Console(highlight=False))


command = Family(
    """Play and make puzzles (殘局): endings with all hands open, in which you have a forced win.

    Examples:
        big2 puzzles play
        big2 puzzles list
        big2 puzzles make --ruleset big2 --count 20 --out big2.jsonl
    """,
    list=_list,
    make=_make,
    play=_play,
)
