"""`big2 puzzles`: endings with all hands open and a forced win (殘局), to play and to make."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from big2_env.cli import RULES_HELP, Family
from big2_env.cli._options import Lang, Overwrite, Resume, check_found, check_kept, say_stopped, words_of
from big2_env.climbing.rulesets import ruleset as ruleset_named

Ruleset = Annotated[str, typer.Option("--ruleset", "--game", help=RULES_HELP)]


def _make(
    out: Annotated[Path, typer.Option(help="Result file (JSON lines) that --resume can continue.")],
    ruleset: Ruleset = "big2",
    count: Annotated[int, typer.Option(min=1, max=10_000, help="Number of puzzles.")] = 100,
    seed: Annotated[int, typer.Option(min=0, max=2**32, help="Seed of the first deal; later deals count up.")] = 0,
    resume: Resume = False,
    overwrite: Overwrite = False,
    lang: Lang = None,
) -> None:
    """Find puzzles in games of strong agents, and write them with their proofs.

    A puzzle has all hands open. The seat to move has a forced win, alone or with its team, but only with one or two of its
    legal moves. The solver proves this, and how many plays it takes. Each game gives at most one puzzle. Agents are asked for
    their moves too, and see only their own hand. Grades from 1 to 5 count plays, decisions with one winning move, and agents'
    failures. Ctrl-C loses nothing. The search ends after 30 games per puzzle, even with fewer puzzles.

    Examples:
        big2 puzzles make --ruleset tien_len --count 20 --out tien_len.jsonl
        big2 puzzles make --ruleset tien_len --count 40 --out tien_len.jsonl --resume
    """
    from big2_env.puzzles.making import Maker
    from big2_env.puzzles.puzzle import MAX_LINE, as_data, of_data
    from big2_env.runs.progress import counting
    from big2_env.runs.resumable import check_same, opened

    tr = words_of(lang)
    check_kept(out, resume, overwrite)
    rules = ruleset_named(ruleset)
    maker = Maker(rules, count, seed)
    header, found = maker.header, maker.found
    with opened(
        out,
        header,
        lambda data: check_same(header, data),
        lambda data: found.append(of_data(data, rules.name)),
        max_line=4 * MAX_LINE,
        resume=resume,
        overwrite=overwrite,
    ) as write:
        check_found("puzzles", len(found), count, out)
        try:
            with counting(tr("runs.puzzles"), count, len(found)) as advance:
                for puzzle in maker.run():
                    if puzzle is not None:
                        write(as_data(puzzle))
                        advance(1)
        except KeyboardInterrupt:
            say_stopped("puzzles", len(found), count, out, tr)
            raise
    typer.echo(tr("puzzles.made", count=len(found), path=out))


command = Family(
    """Play and make puzzles (殘局): endings with all hands open, in which you have a forced win.

    Examples:
        big2 puzzles make --ruleset tien_len --count 20 --out tien_len.jsonl
    """,
    make=_make,
)
