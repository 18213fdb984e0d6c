"""`big2 show`: a game to look at and to look through, with a judge's opinion of every decision."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from big2_agents.review.analysis import payoff_unit
from big2_agents.review.decision import DEFAULT_JUDGE, NOBODY, judge_named
from big2_agents.review.side_games import record_replay
from big2_env.cli import RULES_HELP
from big2_env.cli._options import SOURCE_HELP, Back, stdin_bytes
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.errors import ConfigError
from big2_env.language import Language, language, words
from big2_env.notation import sources
from big2_env.notation.records import GameRecord
from big2_env.notation.sources import STDIN, Moment, is_json, opened, parted
from big2_env.runs.atomic_files import replace_file
from big2_env.runs.progress import counting, waiting
from big2_env.scene import Scene
from big2_env.show.replay_page import Replay, replay_page
from big2_env.show.replays import game_replay
from big2_env.show.terminal import scene_text, with_signs


class Shown(NamedTuple):
    """What is asked to be shown of a game."""

    viewer: int | None
    """Who sits in front."""
    open_hands: bool
    lang: Language


def command(
    source: Annotated[
        str, typer.Argument(metavar="[FILE[:N]]", help=f"{SOURCE_HELP} Standard input without it, or with -.")
    ] = STDIN,
    number: Annotated[int, typer.Option("--game-number", min=1, help="Which game of the file.")] = 1,
    html: Annotated[Path | None, typer.Option(help="Write a page to look through the game: one file, no network.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Write a picture of the table.")] = None,
    gif: Annotated[Path | None, typer.Option(help="Write the game as an animated picture.")] = None,
    seat: Annotated[int | None, typer.Option(min=0, help="Show what this seat saw, from 0.")] = None,
    open_hands: Annotated[bool, typer.Option("--open", help="With --seat: show all hands all the same.")] = False,
    judge: Annotated[
        str | None, typer.Option(help="The agent that judges, or none.", show_default=f"{DEFAULT_JUDGE} for --html, else none")
    ] = None,
    at: Annotated[int | None, typer.Option(min=0, help="Show the table after so many moves, as FILE:N.")] = None,
    back: Back = 0,
    seed: Annotated[int, typer.Option(help="Another number gives the judge other sampled deals.")] = 0,
    notation: Annotated[bool, typer.Option("--notation", help="Print cards as C[3], not as 3♣.")] = False,
    lang: Annotated[str | None, typer.Option(help="en, zh-Hant or zh-Hans.", show_default="BIG2_LANG, else the locale")] = None,
    ruleset: Annotated[str, typer.Option("--ruleset", "--game", help=f"{RULES_HELP} A record names its own.")] = "big2",
) -> None:
    """Show a game: the table as text, a picture, a film, or a page with a judge's opinion of every decision.

    The game is a position, a record (JSON lines), an input text or a log, as big2 convert reads them; or a file with a record
    of UNO, Klondike or fishing, which nobody judges. Without --html, --svg and --gif the table is printed; with --judge the
    mistakes are printed too. All hands are shown, or with --seat what one seat saw.

    The page works from the file, without a network. Its values are mean payoffs of play-outs with 95 % intervals, by what the
    seat could know at the time; ?! ? ?? are given only where the intervals of the act made and of the best act do not touch.
    Ctrl-C stops the judge and writes what it has found so far.

    Examples:
        big2 show game.jsonl --html game.html
        big2 show game.jsonl:20 --seat 1
        big2 show game.in --svg end.svg --gif film.gif --judge none
    """
    rules = ruleset_named(ruleset)
    chosen = language(lang)
    named = (DEFAULT_JUDGE if html is not None else NOBODY) if judge is None else judge
    if named != NOBODY:
        judge_named(named)  # one that cannot judge is refused before anything is read
    file, ply = parted(source)
    if ply is not None and at is not None:
        raise ConfigError("expected one of --at and FILE:N, got both")
    side = None if file == STDIN or is_json(file) else record_replay(Path(file), number, chosen)
    if side is not None:
        if seat is not None or judge not in (None, NOBODY):
            raise ConfigError("--seat and --judge: expected a climbing game, got a game that nobody judges")
        replay, named = side, NOBODY
    else:
        record = _read(file, rules, number)
        if seat is not None and seat >= record.game.num_players:
            raise ConfigError(f"expected --seat from 0 to {record.game.num_players - 1}, got {seat}")
        replay = game_replay(record.transcript, seat, open_hands=open_hands or seat is None, lang=chosen)
    if at is not None and at > len(replay.acts):
        raise ConfigError(f"expected --at from 0 to {len(replay.acts)}, got {at}")
    if ply is not None or back:
        at = Moment(at if ply is None else ply, back).of(len(replay.acts))
    if named != NOBODY:
        replay = _judged(replay, record, named, Shown(seat, open_hands or seat is None, chosen), seed)
    moment = len(replay.acts) if at is None else at
    if html is not None:
        first = next((ply for ply, mark in enumerate(replay.marks) if mark), 0) if at is None else at
        with replace_file(html) as new:
            new.write_text(replay_page([replace(replay, start=first)]), encoding="utf-8")
    if svg is not None:
        from big2_env.show.table_svg import table_svg

        with replace_file(svg) as new:
            new.write_text(table_svg(replay.frames[moment]), encoding="utf-8")
    if gif is not None:
        _film(gif, replay.frames)
    if html is svg is gif is None:
        _print(replay, moment, named != NOBODY, notation)


def _read(file: str, rules: RuleSet, number: int) -> GameRecord:
    """The game that was asked for."""
    read = 0
    with opened(file, stdin_bytes()) as lines:
        for read, record in enumerate(islice(sources.load(lines, rules)[1], number), start=1):
            if read == number:
                return record
    raise ConfigError(f"expected --game-number from 1 to {read}, got {number}" if read else "expected a game, got none")


def _judged(replay: Replay, record: GameRecord, judge: str, shown: Shown, seed: int) -> Replay:
    """The game with what a judge says of it; with what was found so far where Ctrl-C stops the judge."""
    from big2_agents.review.analysis import review
    from big2_agents.review.replays import judged_replay

    game = record.game
    hides = shown.viewer is not None and not shown.open_hands
    with waiting():
        unit = payoff_unit(game.ruleset, game.num_players)
    with counting("judging (compiles at first)", len(game.history) + 1) as advance:
        found = review(
            game,
            judge_named(judge),
            judge,
            seats=[shown.viewer] if hides and shown.viewer is not None else None,
            salt=seed,
            unit=unit,
            has_prospects=not hides or game.is_over,
            progress=advance,
        )
    if found.upto < len(game.history):
        print(f"big2: stopped; judged up to move {found.upto} of {len(game.history)}", file=sys.stderr)
    return judged_replay(replay, record.transcript, found, shown.lang, shown.viewer if hides else None)


def _film(path: Path, frames: Sequence[Scene]) -> None:
    """Write the game as an animated picture."""
    from big2_env.show.raster import write_gif

    with counting("drawing", len(frames)) as advance:
        write_gif(path, _counted(frames, advance))


def _counted(frames: Iterable[Scene], advance: Callable[[int], None]) -> Iterator[Scene]:
    for frame in frames:
        yield frame
        advance(1)


def _print(replay: Replay, moment: int, judged: bool, notation: bool) -> None:
    """The table at a moment; where somebody judged, also the mistakes, the summary and how it came about."""
    console = Console(highlight=False)
    console.print(scene_text(replay.frames[moment], notation=notation))
    if not judged:
        return
    tr = words(replay.frames[0].language)
    written = str if notation else with_signs
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
