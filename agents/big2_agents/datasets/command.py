"""`big2 export`: games of agents written as data for learning."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from big2_agents.datasets.loading import load
from big2_agents.datasets.minari_copy import minari, write_minari
from big2_agents.datasets.page import page
from big2_agents.datasets.piece_files import write_piece
from big2_agents.datasets.plan import (
    LIST,
    MAX_GAMES,
    MAX_LINE,
    MAX_PIECES,
    Piece,
    Plan,
    check_same,
    header,
    piece_line,
    piece_of,
)
from big2_agents.datasets.playing import Player
from big2_agents.parquet import pyarrow
from big2_env.cli import RULES_HELP
from big2_env.cli._kept import say_stopped
from big2_env.cli._options import ActLimit, Lang, words_of
from big2_env.cli._seating import Players, print_seating, seated
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.errors import ConfigError, NotationError
from big2_env.language import Words
from big2_env.runs.executors import Local
from big2_env.runs.progress import counting, waiting
from big2_env.runs.replacing import replacing
from big2_env.runs.resumable import opened


class Format(StrEnum):
    """What is written."""

    NPZ = "npz"
    PARQUET = "parquet"
    MINARI = "minari"


def command(
    agents: Annotated[
        list[str], typer.Argument(metavar="AGENT...", help="The agents, repeated around the table: NAME or NAME:ARGUMENT.")
    ],
    out: Annotated[Path, typer.Option(help="The folder to write; it is made if need be.")],
    games: Annotated[int, typer.Option(min=1, max=MAX_GAMES, help="How many games.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the first game's deal and agents; the next game's is one higher.")] = 0,
    format_: Annotated[
        Format,
        typer.Option("--format", help="parquet needs the extra parquet, minari the extra minari; it has npz files too."),
    ] = Format.NPZ,
    piece: Annotated[
        int, typer.Option(min=1, help="Games in a file. A run that is stopped loses at most one file for each process.")
    ] = 200,
    ruleset: Annotated[str, typer.Option("--ruleset", "--game", help=RULES_HELP)] = "big2",
    players: Players = None,
    scoring: Annotated[str | None, typer.Option(help="What the return counts: winner or cards; else as the game pays.")] = None,
    jobs: Annotated[int, typer.Option(min=0, help="How many processes play; 0 for one on each core.")] = 0,
    limit: ActLimit = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the folder of an earlier run.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Throw away the data set in the folder.")] = False,
    lang: Lang = None,
) -> None:
    """Write games of given agents as data for learning: a row for each decision.

    A row has what the seat saw, the legal actions, the action taken and the return: what the seat got in the end. The seats
    rotate from game to game. The folder also gets README.md, which says how the data was made and what the columns are.

    The same command with --resume goes on where a run was stopped or killed. The files do not depend on the number of
    processes; the same seed gives the same bytes. Read npz files by big2_agents.datasets.load(FOLDER).

    Examples:
        big2 export heuristic --games 1000 --out data/heuristic
        big2 export heuristic greedy greedy random --games 100 --format parquet --out data/mixed
        big2 export heuristic greedy --players 2 --games 100 --out data/two
        big2 export greedy --game dou_dizhu --games 10 --out data/landlords
    """
    tr = words_of(lang)
    if resume and overwrite:
        raise ConfigError("expected at most one of --resume and --overwrite, got both")
    rules = ruleset_named(ruleset) if scoring is None else ruleset_named(ruleset).with_scoring(scoring)
    table = seated(agents, rules, players)
    plan = Plan(tuple(table), rules, seed, games, piece, "parquet" if format_ is Format.PARQUET else "npz")
    if plan.num_pieces > MAX_PIECES:
        raise ConfigError(f"expected at most {MAX_PIECES:,} files, got {plan.num_pieces:,}: give a larger --piece")
    {Format.NPZ: lambda: None, Format.PARQUET: pyarrow, Format.MINARI: minari}[format_]()
    Player(rules, plan.agents, seed)  # agents that cannot play are refused before a folder is made
    print_seating(agents, table, tr)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise ConfigError(f"expected a folder to write, {out} is a file") from None
    pieces = write_pieces(plan, out, jobs, limit, resume=resume, overwrite=overwrite, tr=tr)
    with replacing(out / "README.md") as new:
        new.write_text(page(plan, pieces), encoding="utf-8")
    size = sum(plan.file(out, one.number).stat().st_size for one in pieces)
    counts = {"games": games, "decisions": sum(one.rows for one in pieces), "bytes": size, "files": len(pieces)}
    print(tr("export.done", folder=out, **{name: f"{count:,}" for name, count in counts.items()}))
    if format_ is Format.MINARI:
        with counting(tr("export.into_minari"), games) as advance:
            print(write_minari(load(out, {rules.name: rules}), advance))


def write_pieces(
    plan: Plan,
    out: Path,
    jobs: int,
    limit: float | None = None,
    *,
    resume: bool = False,
    overwrite: bool = False,
    tr: Words | None = None,
) -> list[Piece]:
    """Write the pieces that are not there yet; returns all of them.

    Args:
        plan: the data set.
        out: its folder.
        jobs: how many processes play, 0 for one on each core.
        limit: most seconds that an agent may take for an act; `None` for any number.
        resume: go on with what the folder has.
        overwrite: throw it away.
        tr: the texts of progress; `None` for those of the user's language.

    Raises:
        ConfigError: the folder has a data set that is not to be resumed or overwritten, or another one; an agent that fails,
            takes too long or acts illegally.
        NotationError: a line of the list that is wrong.
    """
    done: list[Piece] = []
    tr = tr or words_of(None)

    def take(data: dict[str, Any]) -> None:
        one = piece_of(data, plan)
        if one.number != len(done):
            raise NotationError(f"expected piece {len(done)}, got piece {one.number}; give --overwrite")
        if not plan.file(out, one.number).is_file():
            raise NotationError(f"{plan.file(out, one.number).name} is missing; give --overwrite")
        done.append(one)

    listed = opened(
        out / LIST,
        header(plan),
        lambda data: check_same(data, plan),
        take,
        max_line=MAX_LINE,
        resume=resume,
        overwrite=overwrite,
    )
    with listed as write:
        if not done:
            for old in out.glob("part-[0-9][0-9][0-9][0-9][0-9].*"):  # of the data set that is overwritten
                old.unlink()
        todo = range(len(done), plan.num_pieces)
        if todo:  # not before it is known that the folder may be written: compiling takes a while
            with waiting(tr("prompt.waiting")):
                Player(plan.rules, plan.agents, plan.seed).warm_up()
        try:
            with (
                counting(tr("runs.games"), plan.games, plan.games_of(len(done))[0]) as advance,
                Local(jobs).map(_play, todo, start=_start_worker, given=(plan, out, limit)) as finished,
            ):
                for one in finished:
                    write(piece_line(one))
                    done.append(one)
                    first, stop = plan.games_of(one.number)
                    advance(stop - first)
        except KeyboardInterrupt:
            say_stopped("files", len(done), plan.num_pieces, out, tr)
            raise
    return done


_worker: Any = None


def _start_worker(plan: Plan, out: Path, limit: float | None) -> None:
    global _worker
    _worker = plan, out, Player(plan.rules, plan.agents, plan.seed, limit)


def _play(piece: int) -> Piece:
    plan, out, player = _worker
    return write_piece(player.play(*plan.games_of(piece)), plan, out, piece)
