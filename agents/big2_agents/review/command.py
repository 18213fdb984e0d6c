"""`big2 show`: display or step through a game, with a judge's evaluation of every decision."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from big2_agents.review.analysis import payoff_unit
from big2_agents.review.decision import NOBODY, default_judge, judge_named
from big2_env.base.errors import ConfigError
from big2_env.base.language import language, words
from big2_env.base.scene import Scene
from big2_env.cli._options import RULES_HELP, SOURCE_HELP, Back, check_output, stdin_bytes
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.drawing.replay_page import Replay, replay_page
from big2_env.drawing.replays import game_replay
from big2_env.drawing.terminal import scene_text, with_signs
from big2_env.notation import sources
from big2_env.notation.lines import Lines
from big2_env.notation.records import GameRecord
from big2_env.notation.sources import STDIN, Moment, opened, parted
from big2_env.runs.atomic_files import write_text
from big2_env.runs.progress import counting, waiting
from big2_env.tables.session.side_replays import MAX_RECORD, record_replay
from big2_env.text.names import PERSON
from big2_env.text.seating import players_of


def command(
    source: Annotated[str, typer.Argument(metavar="[FILE[:N]]", help=f"{SOURCE_HELP} Standard input if omitted or -.")] = STDIN,
    number: Annotated[int, typer.Option("--game-number", min=1, help="Number of the game in the file.")] = 1,
    html: Annotated[Path | None, typer.Option(callback=check_output, help="File for a self-contained replay page.")] = None,
    svg: Annotated[Path | None, typer.Option(callback=check_output, help="File for a picture of the table.")] = None,
    gif: Annotated[Path | None, typer.Option(callback=check_output, help="File for an animation of the game.")] = None,
    seat: Annotated[int | None, typer.Option(min=0, help="Seat whose view is shown, from 0.")] = None,
    open_hands: Annotated[bool, typer.Option("--open", help="All hands open, also with --seat.")] = False,
    judge: Annotated[
        str | None,
        typer.Option(help="Agent that judges, or none.", show_default="learned or heuristic for --html"),
    ] = None,
    at: Annotated[int | None, typer.Option(min=0, help="Number of moves before the position, same as FILE:N.")] = None,
    back: Back = 0,
    seed: Annotated[int, typer.Option(help="Seed of the judge's sampled deals.")] = 0,
    notation: Annotated[bool, typer.Option("--notation", help="Cards as C[3] instead of 3♣.")] = False,
    lang: Annotated[
        str | None, typer.Option(help="Language: en, zh-Hant or zh-Hans.", show_default="BIG2_LANG, else the locale")
    ] = None,
    ruleset: Annotated[str, typer.Option("--ruleset", "--game", help=f"{RULES_HELP} A record names its own.")] = "big2",
) -> None:
    """Show a game as text, a picture, an animated GIF, or a web page with a judge's evaluation of every decision.

    The input is a position, a record (JSON lines), an input text or a log, in any format that big2 convert reads. Records of
    UNO, Klondike and fishing games are shown without judgement. Without --html, --svg and --gif the table is printed, and
    --judge adds the mistakes. All hands are shown; with --seat, only what one seat saw.

    The page is one file and needs no network. Its values are mean payoffs of playouts with 95% intervals, based on what the
    seat could know at the time. The marks ?! ? ?? appear only if the interval of the difference from the best move excludes
    0. Ctrl-C stops the judge and writes the results so far.

    Examples:
        big2 show game.jsonl --html game.html
        big2 show game.jsonl:20 --seat 1
        big2 show game.in --svg end.svg --gif game.gif --judge none
    """
    rules = ruleset_named(ruleset)
    chosen = language(lang)
    if judge not in (None, NOBODY):
        judge_named(judge)  # one that cannot judge is refused before anything is read
    file, ply = parted(source)
    if ply is not None and at is not None:
        raise ConfigError("expected one of --at and FILE:N, got both")
    with opened(file, stdin_bytes(), MAX_RECORD) as source_lines:
        lines = sources.one_object(source_lines)
        shown = record_replay(lines, number, chosen) or _read(lines, rules, number)
    if isinstance(shown, Replay):
        if seat is not None or judge not in (None, NOBODY):
            raise ConfigError("--seat and --judge: expected a climbing game, got a game without a judge")
        replay, record, named = shown, None, NOBODY
    else:
        record = shown
        usual = NOBODY if html is None else default_judge(record.game.ruleset, record.game.num_players)
        named = usual if judge is None else judge
        if seat is not None and seat >= record.game.num_players:
            raise ConfigError(f"expected --seat from 0 to {record.game.num_players - 1}, got {seat}")
        replay = game_replay(record.transcript, seat, open_hands=open_hands or seat is None, lang=chosen)
    if at is not None and at > len(replay.moves):
        raise ConfigError(f"expected --at from 0 to {len(replay.moves)}, got {at}")
    if ply is not None or back:
        at = Moment(at if ply is None else ply, back).of(len(replay.moves))
    if record is not None and named != NOBODY:
        replay = _judged(replay, record, named, seed, seat, hides=seat is not None and not open_hands)
    moment = len(replay.moves) if at is None else at
    if html is not None:
        first = next((ply for ply, mark in enumerate(replay.marks) if mark), 0) if at is None else at
        write_text(html, replay_page([replace(replay, start=first)]))
    if svg is not None:
        from big2_env.drawing.table_svg import table_svg

        write_text(svg, table_svg(replay.frames[moment]))
    if gif is not None:
        _film(gif, replay.frames)
    if html is svg is gif is None:
        _print(replay, moment, named != NOBODY, notation)


def _read(lines: Lines, rules: RuleSet, number: int) -> GameRecord:
    """Return the requested game."""
    read = 0
    for read, record in enumerate(islice(sources.load(lines, rules)[1], number), start=1):
        if read == number:
            return record
    raise ConfigError(f"expected --game-number from 1 to {read}, got {number}" if read else "expected a game, got none")


def _judged(replay: Replay, record: GameRecord, judge: str, seed: int, viewer: int | None, *, hides: bool) -> Replay:
    """Return the replay with the judge's results, partial ones if Ctrl-C stops the judge.

    Args:
        replay: The replay.
        record: Its game.
        judge: Name of the judge.
        seed: Seed of the judge's sampled deals.
        viewer: Seat whose view is shown.
        hides: True if the other hands are hidden.
    """
    from big2_agents.review.analysis import review
    from big2_agents.review.judged import judged_replay

    game, lang = record.game, replay.frames[0].language
    with waiting():
        unit = payoff_unit(game.ruleset, game.num_players)
    with counting(words(lang)("runs.judging"), len(game.history) + 1) as advance:
        found = review(
            game,
            judge_named(judge),
            judge,
            seats=[viewer] if hides and viewer is not None else None,
            players=players_of(record),
            salt=seed,
            unit=unit,
            has_prospects=not hides or game.is_over,
            progress=advance,
        )
    if found.upto < len(game.history):
        print(f"big2: {words(lang)('review.note_upto', upto=found.upto, all=len(game.history))}", file=sys.stderr)
    names = record.transcript.names
    person = names.index(PERSON) if viewer is None and PERSON in names else viewer
    return judged_replay(replay, record.transcript, found, lang, viewer if hides else None, person=person)


def _film(path: Path, frames: Sequence[Scene]) -> None:
    """Write the game as an animated GIF."""
    from big2_env.drawing.raster import write_gif

    with counting(words(frames[0].language)("runs.drawing"), len(frames)) as advance:
        write_gif(path, _counted(frames, advance))


def _counted(frames: Iterable[Scene], advance: Callable[[int], None]) -> Iterator[Scene]:
    for frame in frames:
        yield frame
        advance(1)


def _print(replay: Replay, moment: int, judged: bool, notation: bool) -> None:
    """Print the table at a moment; for a judged game, first the verdict, and then the mistakes, the summary and the notes."""
    console = Console(highlight=False)
    written = str if notation else with_signs
    if replay.verdict is not None:
        console.print(Text(f"{written(replay.verdict.text)}\n", "bold"))
    console.print(scene_text(replay.frames[moment], notation=notation))
    if not judged:
        return
    tr = words(replay.frames[0].language)
    for remark in replay.remarks[moment]:
        console.print(Text(written(remark.text)))
    marked = [ply for ply, mark in enumerate(replay.marks) if mark]
    console.print(Text(f"\n{tr('review.marked_moves' if marked else 'review.no_marks')}", "bold"))
    for ply in marked:
        first = written(replay.remarks[ply][0].text)
        console.print(Text.assemble((f"{replay.marks[ply]:>2} ", "bold"), f"{tr('review.move', number=ply + 1)}: ", first))
    heads, *rows = ((*row[:-3], " ".join(row[-3:])) for row in replay.summary)
    table = Table(box=box.SIMPLE, pad_edge=False)
    for number, head in enumerate(heads):
        widest = max((len(row[number]) for row in rows), default=0)  # heads may break, numbers may not
        table.add_column(head, justify="right" if number else "left", min_width=widest if number else None)
    for row in rows:
        table.add_row(*row)
    console.print(table)
    for note in replay.notes:
        console.print(Text(note, "dim"))
