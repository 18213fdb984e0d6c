"""`big2 fishing`: the fishing game 金钩钓鱼, single games and simulations."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from big2_env.base.errors import ConfigError, quoted
from big2_env.base.language import Words
from big2_env.cli import Family
from big2_env.cli._options import (
    Html,
    Lang,
    Out,
    RunOptions,
    counted,
    grouped,
    words_of,
    write_page,
)
from big2_env.drawing.replays import side_replay
from big2_env.games.fishing import plot as pictures
from big2_env.games.fishing.analysis.tail import TAIL_FROM, Tail, fitted_tail
from big2_env.games.fishing.article_log import PLAYERS, article_log, parse_names
from big2_env.games.fishing.cards import FishingDeck, cards_text, deck_order
from big2_env.games.fishing.game import FishingGame
from big2_env.games.fishing.plays import MAX_PLAYS
from big2_env.games.fishing.rules import CaptureOrder, FishingRules, rules_data
from big2_env.games.fishing.scene import outcome_text, play_text, state_text
from big2_env.games.fishing.simulate import MAX_GAMES, RESULTS, Run, Tally, blocks
from big2_env.notation.side_records import SideRecord, dump
from big2_env.runs.atomic_files import check_writable
from big2_env.runs.intervals import Estimate, known
from big2_env.tables import terminal as tui
from big2_env.tables.prompt.side_play import RecordFile, replay_records
from big2_env.tables.prompt.terminal import has_table
from big2_env.tables.session.side_session import SideSession


def table(run: Run, tally: Tally, tr: Words) -> Table:
    """Return the results of a simulation as a table for people."""
    found = tally.summary()
    title = tr("figures.fishing_title", games=f"{found.games:,}", rules=repr(run.rules), seed=run.seed)
    shown = Table(title=title, show_header=False, title_justify="left")
    shown.add_column(no_wrap=True)
    shown.add_column(justify="right")
    if found.ended:
        shown.add_row(tr("figures.ended"), f"{found.ended:,}")
        shown.add_row(tr("figures.range"), f"{found.least:,}, {found.most:,}")
        shown.add_row(tr("figures.mean"), f"{found.mean:,.1f}")
        if found.ended > 1:
            shown.add_row(tr("figures.sd"), f"{found.sd:,.1f}")
        for percent, length in found.percentiles.items():
            shown.add_row(f"{percent:g} %", f"{length:,}")
        shown.add_row(tr("figures.first_loses"), f"{found.first_loses:.2%}")
    if found.cycles:
        some = ", ".join(f"{period} ({count})" for period, count in list(found.cycles.items())[:5])
        more = tr("figures.more", number=len(found.cycles) - 5) if len(found.cycles) > 5 else ""
        shown.add_row(tr("figures.cycles"), f"{sum(found.cycles.values()):,}; {some}{more}")
    if found.undecided:
        shown.add_row(tr("figures.given_up", plays=f"{run.max_plays:,}"), f"{found.undecided:,}")
    tail = _tail(tally)
    if tail is not None:
        shown.add_row(tr("figures.tail", start=f"{tail.start:,}"), f"{tail.weight:.3f} exp(-t / {tail.scale})")
    return shown


def as_json(run: Run, tally: Tally) -> dict[str, Any]:
    """Return the results of a simulation for programs; intervals are `[value, half width]`."""
    found, tail = tally.summary(), _tail(tally)
    return {
        "rules": rules_data(run.rules),
        "seed": run.seed,
        "games": found.games,
        "ended": found.ended,
        "cycles": {str(period): count for period, count in found.cycles.items()},
        "undecided": found.undecided,
        "least": found.least,
        "most": found.most,
        "mean": _interval(found.mean),
        "sd": known(found.sd),
        "percentiles": {f"{percent:g}": length for percent, length in found.percentiles.items()},
        "first_loses": _interval(found.first_loses),
        "tail": tail
        and {
            "start": tail.start,
            "games": tail.games,
            "rate": tail.rate,
            "scale": _interval(tail.scale),
            "weight": tail.weight,
            "variation": tail.variation,
            "distance": tail.distance,
        },
    }


def _tail(tally: Tally) -> Tail | None:
    """Return the fitted tail, `None` if too few games are that long."""
    lengths, counts = tally.counts()
    if int(counts[lengths > TAIL_FROM].sum()) < 100:
        return None
    try:
        return fitted_tail(tally)
    except ConfigError:
        return None


def _interval(interval: Estimate) -> list[float | None]:
    return [known(interval.mean), known(interval.half_width)]


Deck = Annotated[str, typer.Option(help="54, 52, or ranks with counts such as '2x4 3x4 Jx2'.")]
Order = Annotated[CaptureOrder, typer.Option(help="Order in which captured cards go under the hand.")]
EmptyFirst = Annotated[bool, typer.Option("--empty-first", help="Lose by playing the last card even if it captures.")]
JOnEmpty = Annotated[bool, typer.Option("--j-on-empty", help="Let a J capture itself on an empty board; few games end.")]
NoJPower = Annotated[bool, typer.Option("--no-j-power", help="Treat a J like any other card.")]
TurnPasses = Annotated[bool, typer.Option("--turn-passes", help="Pass the turn after a capture.")]


MAX_SHOWN: Final = 10_000
"""Most plays that are printed per game."""


class LogFormat(StrEnum):
    """Output for each game."""

    TEXT = "text"
    BOARDS = "boards"
    JSONL = "jsonl"
    ARTICLE = "article"


@grouped
def simulate(
    *,
    games: Annotated[int, typer.Option(min=1, max=MAX_GAMES, help="Number of games.")] = 10_000,
    deck: Deck = "54",
    order: Order = CaptureOrder.BOARD,
    empty_first: EmptyFirst = False,
    j_on_empty: JOnEmpty = False,
    no_j_power: NoJPower = False,
    turn_passes: TurnPasses = False,
    seed: Annotated[int, typer.Option(help="Seed of the first game; later games count up.")] = 0,
    out: Out = None,
    work: RunOptions,
    max_plays: Annotated[int, typer.Option(min=1, help="Plays after which a game stops at its next capture.")] = MAX_PLAYS,
    cycles: Annotated[bool, typer.Option(help="Detect repeated states; required by --j-on-empty.")] = True,
    plot: Annotated[Path | None, typer.Option(help="PNG of the histogram and the log-survival (extra plots).")] = None,
    scatter: Annotated[
        Path | None,
        typer.Option(help="PNG of the article's scatter plot of lengths (extra plots)."),
    ] = None,
    as_json_: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
    lang: Lang = None,
) -> None:
    """Play many games on all cores and print statistics of their length.

    With --out, the same command with --resume continues a run that was interrupted or had fewer games; no game is lost or
    counted twice. The results do not depend on the machine or the number of threads. Intervals are 95% intervals.

    Examples:
        big2 fishing simulate --games 10000
        big2 fishing simulate --games 1000000 --out fishing.jsonl --plot fishing.png
        big2 fishing simulate --games 2000000 --out fishing.jsonl --resume
    """
    tr = words_of(lang)
    work.check(out)
    run = Run(_rules(deck, order, empty_first, j_on_empty, no_j_power, turn_passes), seed, max_plays, cycles)
    for picture in (plot, scatter):
        if picture is not None:
            pictures.check_installed()  # before the games, not after them
            check_writable(picture, ".png")
    tally = Tally()
    with (
        RESULTS.open(out, run, tally.add, **work.kept) as write,
        counted("games", tally.games, games, out, tr) as advance,
        blocks(run, games, first=tally.games, executor=work.executor) as played,
    ):
        for block in played:
            tally.add(block)
            write(block)
            advance(block.games)
    summary = tally.summary()
    if as_json_:
        print(json.dumps(as_json(run, tally)))
    else:
        Console(soft_wrap=True).print(table(run, tally, tr))
    if plot is not None and summary.ended:
        pictures.save(pictures.figure(tally), plot)
    if scatter is not None and summary.ended:
        pictures.save(pictures.scatter(run, games), scatter)


def play(
    seed: Annotated[
        int | None, typer.Option(help="Seed of the first deal; later deals count up.", show_default="0; random at the table")
    ] = None,
    hands: Annotated[str | None, typer.Option(help="Two hands, front cards first, instead of a deal: '2 3 | 3 2'.")] = None,
    games: Annotated[int | None, typer.Option(min=1, help="Number of games to print.", show_default="1")] = None,
    log: Annotated[
        LogFormat | None,
        typer.Option(help="Output: plays, boards too, JSON records, or the article's format."),
    ] = None,
    names: Annotated[
        str | None, typer.Option(metavar="A,B", help="Players' names for --log article.", show_default=",".join(PLAYERS))
    ] = None,
    deck: Annotated[str, typer.Option(help="54, 52, ranks with counts, or all ranks in order.")] = "54",
    order: Order = CaptureOrder.BOARD,
    empty_first: EmptyFirst = False,
    j_on_empty: JOnEmpty = False,
    no_j_power: NoJPower = False,
    turn_passes: TurnPasses = False,
    max_plays: Annotated[
        int, typer.Option(min=1, max=MAX_PLAYS, help="Plays after which the game stops at its next capture.")
    ] = MAX_PLAYS,
    html: Html = None,
    plain: Annotated[bool, typer.Option("--plain", help="Print even if a table can be shown.")] = False,
    lang: Lang = None,
) -> None:
    """Watch a game at a table, or print the plays or records of games.

    On a terminal with textual (pip install 'big2_env[tui]') this opens a table to watch: Space pauses, S changes the speed.
    With --games, --log, --html or --plain, or without a terminal, it prints.

    Game k of big2 fishing simulate --seed S is the game of big2 fishing play --seed (S + k). A game that never ends is printed
    up to the end of its first cycle. At most the first 10,000 plays are printed.

    Examples:
        big2 fishing play --seed 7
        big2 fishing play --hands "2 2 2 3 | 3 3 2 3"
        big2 fishing play --seed 7 --log boards
        big2 fishing play --seed 7 --log article --names Kayla,Samuel
        big2 fishing play --games 1000 --log jsonl > fishing_games.jsonl
        big2 fishing play --seed 7 --html fishing.html
    """
    tr, players = words_of(lang), PLAYERS
    if names is not None:
        if log is not LogFormat.ARTICLE:
            raise ConfigError(f"--names {quoted(names)}: expected --log article as well, which prints them")
        players = parse_names(names)
    if hands is not None and (seed is not None or (games or 1) > 1 or deck != "54"):
        raise ConfigError("expected --hands alone, which are one deal and a deck, got --seed, --games or --deck as well")
    if (ordered := deck_order(deck)) is not None:
        if seed is not None or (games or 1) > 1:
            raise ConfigError("--deck with the cards in order is one deal: expected neither --seed nor --games")
        hands, deck = " | ".join(map(cards_text, ordered)), "54"
    rules = _rules(deck, order, empty_first, j_on_empty, no_j_power, turn_passes)
    if games is None and log is None and html is None and has_table(plain):
        given = None if hands is None else FishingGame.of_hands(hands, rules)
        session = SideSession(partial(FishingGame.deal, rules), seed=seed, start=given)
        start = ["--seed", str(session.seed)] if hands is None else ["--hands", hands]
        tui.show("fishing_watch", session, lang=tr.language)
        print(tr("prompt.again", command=shlex.join(["big2", "fishing", "play", *start, *_options(rules)])))
        return
    replays = []
    for game_seed in range(seed or 0, (seed or 0) + (games or 1)):
        dealt = FishingGame.deal(rules, game_seed) if hands is None else FishingGame.of_hands(hands, rules)
        game = FishingGame(dealt.rules, dealt.start, max_plays)
        if log is LogFormat.ARTICLE:
            for line in article_log(game, players, max_plays):
                print(line)
        elif log is not LogFormat.JSONL:
            _print_game(game, tr, boards=log is LogFormat.BOARDS)
        else:
            dump([SideRecord(game, {"seed": game_seed} if hands is None else {})], sys.stdout)
        if html is not None:
            replays.append(side_replay(game, lang=tr.language))
    if html is not None:
        write_page(html, replays)


def _options(rules: FishingRules) -> list[str]:
    """Return the options that give some rules."""
    usual = FishingRules()
    found = ["--deck", str(rules.deck)] if rules.deck != usual.deck else []
    found += ["--order", rules.order.value] if rules.order != usual.order else []
    flags = {
        "--empty-first": rules.empty_first,
        "--j-on-empty": rules.j_on_empty,
        "--no-j-power": not rules.j_power,
        "--turn-passes": not rules.again,
    }
    return [*found, *(flag for flag, is_set in flags.items() if is_set)]


def replay(
    file: RecordFile,
    log: Annotated[bool, typer.Option("--log", help="Print every play.")] = False,
    lang: Lang = None,
) -> None:
    """Check records by replaying them; refuse a record that breaks the rules.

    Examples:
        big2 fishing replay fishing_games.jsonl
    """
    replay_records(file, FishingGame, log, words_of(lang), lambda game, _, tr: _print_game(game, tr))


def chain(
    deck: Annotated[str, typer.Option(help="Deck: 54 or 52.")] = "54",
    lang: Lang = None,
) -> None:
    """Solve Markov chains that model the length of a game, and print exact results.

    The models forget the order of the hands. "exchangeable" remembers the hands' sizes and the board. "owners" adds who holds
    the J's. "owners apart" adds that no J follows a capture by a J. Needs scipy (extra arena).

    Examples:
        big2 fishing chain --deck 52
    """
    from big2_env.games.fishing.analysis.chain import Memory, solve

    cards, tr = FishingDeck.parse(deck), words_of(lang)
    titles = [tr(f"figures.{name}") for name in ("chain_model", "chain_states", "mean", "chain_sd", "chain_tail")]
    print(_row(titles))
    for memory in Memory:
        found = solve(cards, memory)
        name = tr(f"figures.{memory.value.replace(' ', '_')}")
        print(_row([name, f"{found.states:,}", f"{found.mean:.4f}", f"{found.sd:.2f}", f"{found.scale:.1f}"]), flush=True)


def _row(cells: Sequence[str]) -> str:
    """Return a row of cells in columns: the first one left-aligned, the others right-aligned."""
    gaps = (" " * (width - cell_len(cell)) for cell, width in zip(cells, (14, 8, 12, 11, 15), strict=True))
    name, *figures = zip(cells, gaps, strict=True)
    return "".join(name) + "".join(gap + cell for cell, gap in figures)


def _rules(
    deck: str, order: CaptureOrder, empty_first: bool, j_on_empty: bool, no_j_power: bool, turn_passes: bool
) -> FishingRules:
    return FishingRules(FishingDeck.parse(deck), order, empty_first, j_on_empty, not no_j_power, not turn_passes)


def _print_game(game: FishingGame, tr: Words, *, boards: bool = False) -> None:
    """Print the plays of a game and its result, with `boards` also the board and the hands after each play."""
    outcome = game.result
    for seat in range(len(game.start)):
        print(tr("fishing.holds", seat=seat, cards=cards_text(game.start[seat])))
    begin = None if outcome.period is None else _begin_of_cycle(game, outcome.period)
    shown = MAX_SHOWN if begin is None or outcome.period is None else begin + outcome.period
    for made in islice(game.play_all(game.max_plays), shown):
        print(play_text(made, tr))
        if boards:
            print(state_text(game.state, tr))
    if begin is None and (outcome.plays is None or game.plays < outcome.plays):
        print(tr("fishing.left_out", plays=f"{MAX_SHOWN:,}"))
    print(outcome_text(outcome, begin, tr))


def _begin_of_cycle(game: FishingGame, period: int) -> int | None:
    """Return the number of plays before a game enters its cycle; found by two games, one ahead by the period, that meet.

    `None` if the first `MAX_SHOWN` plays do not contain the cycle once.
    """
    if period > MAX_SHOWN:
        return None
    behind, ahead = (FishingGame(game.rules, game.start) for _ in range(2))
    for _ in range(period):
        ahead.play()
    while behind.state != ahead.state and ahead.plays < MAX_SHOWN:
        behind.play()
        ahead.play()
    return behind.plays if behind.state == ahead.state else None


command = Family(
    """Play and simulate the fishing game 金钩钓鱼.

    Two players put down the front cards of their hands in turn. A card takes the cards back to one of its rank, a J takes all.

    Examples:
        big2 fishing simulate --games 10000
        big2 fishing play --seed 7
    """,
    simulate=simulate,
    play=play,
    replay=replay,
    chain=chain,
)
