"""`big2 klondike`: the patience, for people and for figures."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from big2_env.cli import Family
from big2_env.cli._klondike_play import Acts, Deck, game_of, play
from big2_env.cli._options import Lang, OnRay, executor_of, words_of
from big2_env.cli._pages import Html, write_page
from big2_env.errors import ConfigError
from big2_env.games.klondike import records
from big2_env.games.klondike.actions import act_text, acts_text
from big2_env.games.klondike.cards import cards_text
from big2_env.games.klondike.texts import hint_text


def deal(
    seed: Annotated[int, typer.Option(help="Seed of the deal.")] = 0,
    deck: Deck = None,
    acts: Acts = "",
    reveal: Annotated[bool, typer.Option("--reveal", help="Print the hidden cards too.")] = False,
) -> None:
    """Print a deal, or the position after some acts, its legal acts, and what the published check says.

    Examples:
        big2 klondike deal --seed 7
        big2 klondike deal --seed 7 --acts "deal 5H>5" --reveal
    """
    game = game_of(seed, deck, acts)
    print(game.view().text(), end="")
    if reveal:
        for number, (pile, down) in enumerate(zip(game.state.piles, game.state.down, strict=True), start=1):
            print(f"pile {number}: {' '.join(['(' + cards_text(pile[:down]) + ')'] if down else [])} {cards_text(pile[down:])}")
        print(f"dealer: {cards_text(game.state.dealer)}")
    print(f"acts: {' '.join(map(act_text, game.legal_acts())) or 'none'}")
    print(f"still a way? {game.published_check()}")


def replay(
    file: Annotated[Path, typer.Argument(help="Records, a game a line.")],
    log: Annotated[bool, typer.Option("--log", help="Print every act with its points.")] = False,
) -> None:
    """Check records by playing them again; a record that the rules contradict is refused.

    Examples:
        big2 klondike replay games.jsonl
    """
    number = 0
    with file.open("rb") as stream:
        for number, record in enumerate(records.load(stream), start=1):
            if log:
                print(f"game {number}: {' | '.join(map(str, record.game.history))}; score {record.game.score}")
    print(f"{number} games: the rules give the same")


def solve(
    seed: Annotated[int, typer.Option(help="Seed of the deal.")] = 0,
    deck: Deck = None,
    acts: Acts = "",
    seconds: Annotated[float | None, typer.Option(help="Give up after so long; by default not.")] = None,
    record: Annotated[Path | None, typer.Option(help="Append the record of the won game to this file.")] = None,
    html: Html = None,
) -> None:
    """Say whether a position can be won by whoever knows all cards, and print a line that wins.

    "lost" is proven: every way was looked at. What the published check says of the position stands beside it.

    Examples:
        big2 klondike solve --seed 7
        big2 klondike solve --seed 7 --acts "deal AH>F" --record won.jsonl
        big2 klondike solve --seed 7 --html won.html
    """
    from big2_env.games.klondike.solver import solve as solved

    game = game_of(seed, deck, acts)
    check = game.published_check()
    found = solved(game.state, seconds=seconds)
    print(f"{found.verdict}: {found.positions:,} positions, {found.seconds:.3f} s")
    print(f"the published check: {check}")
    if found.acts is not None:
        game.play_all(found.acts)
        print(f"{acts_text(found.acts) or 'won already'}\nscore {game.score}")
        if record is not None:
            with record.open("a", encoding="utf-8") as file:
                records.dump([records.KlondikeRecord(game, {} if deck else {"seed": seed})], file)
    if html is not None:
        from big2_env.games.klondike.replays import game_replay

        write_page(html, [game_replay(game, f"{found.verdict} · Klondike{'' if deck else f' {seed}'}")])


def survey(
    deals: Annotated[int, typer.Option(min=1, max=10**9, help="How many deals.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the first deal; the next one's is one higher.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Where results go, a line for each 100 deals; none by default.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the file of an earlier run.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Throw away the file of an earlier run.")] = False,
    jobs: Annotated[int, typer.Option(min=0, max=1024, help="How many threads solve; 0 for one on each core.")] = 0,
    ray: OnRay = None,
    max_positions: Annotated[int, typer.Option(min=1, help="Leave a deal undecided that has more positions.")] = 40_000_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Solve many deals and print how many can be won, beside the published share.

    The same command with --resume goes on where a run with --out was stopped or killed. What comes out does not depend on
    where deals are solved. The interval is of 95 %, and takes undecided deals for lost at its lower end, for won at its upper
    one.

    Examples:
        big2 klondike survey --deals 1000
        big2 klondike survey --deals 100000 --out klondike.jsonl
        big2 klondike survey --deals 200000 --out klondike.jsonl --resume
    """
    from big2_env.games.klondike.results import survey_file
    from big2_env.games.klondike.survey import PUBLISHED, Survey, blocks
    from big2_env.runs.progress import counting

    if resume and overwrite:
        raise ConfigError("expected one of --resume and --overwrite, got both")
    if (resume or overwrite) and out is None:
        raise ConfigError(f"--{'resume' if resume else 'overwrite'}: expected --out with the file of the earlier run")
    found = Survey(seed, max_positions)
    with ExitStack() as stack:
        add = found.add
        if out is not None:
            file = stack.enter_context(survey_file(out, found, resume=resume, overwrite=overwrite))
            found, add = file.survey, file.add
        if found.deals > deals:
            raise ConfigError(f"--deals: {out} has {found.deals} deals, expected at least as many, got {deals}")
        with counting("deals", deals, found.deals) as advance:
            try:
                for block in stack.enter_context(blocks(found, deals, executor=executor_of(ray, jobs))):
                    add(block)
                    advance(block.deals)
            except KeyboardInterrupt:
                kept = "nothing was kept; --out keeps deals" if out is None else "go on with --resume"
                print(f"big2: stopped with {found.deals} of {deals} deals; {kept}", file=sys.stderr)
                raise
    low, high = found.interval
    if as_json:
        figures = {"won": found.won, "lost": len(found.lost), "undecided": len(found.undecided), "interval": [low, high]}
        print(json.dumps({"seed": seed, "deals": found.deals, **figures, "positions": found.positions, "most": found.most}))
        return
    print(f"{found.deals:,} deals from seed {seed}: {found.won:,} winnable, {len(found.lost):,} lost for certain, ", end="")
    print(f"{len(found.undecided):,} undecided")
    print(f"winnable: {found.won / found.deals:.2%}, 95 % interval {low:.2%} to {high:.2%}")
    print(f"published (Blake and Gent, a million deals): {PUBLISHED[0]:.2%} to {PUBLISHED[1]:.2%}")
    print(f"positions: {found.positions / found.deals:,.0f} a deal, at most {found.most:,}")


def hint(
    seed: Annotated[int, typer.Option(help="Seed of the deal; with --games of the first one.")] = 0,
    deck: Deck = None,
    acts: Acts = "",
    samples: Annotated[int, typer.Option(min=1, max=10_000, help="How many ways the hidden cards may lie are tried.")] = 100,
    games: Annotated[int, typer.Option(min=0, help="Play so many deals by the hints instead, and print how many are won.")] = 0,
    lang: Lang = None,
) -> None:
    """Say what to do next, from what the player can see alone; or how often whoever follows the hints wins.

    The hidden cards are drawn at random many times, and the solver plans each time: the hint is the plan, up to the first card
    that it turns, after which most of them can be won. big2 klondike play has it as h.

    Examples:
        big2 klondike hint --seed 7
        big2 klondike hint --games 10 --samples 8
    """
    from big2_env.games.klondike.hint import hint as hinted
    from big2_env.games.klondike.hint import played_with_hints

    if games:
        if deck or acts:
            raise ConfigError("expected --games alone, for every deal has its seed, got --deck or --acts as well")
        from big2_env.runs.intervals import wilson

        won = 0
        for number in range(games):
            won += played_with_hints(seed + number, samples=samples).is_won
            if sys.stderr.isatty():
                print(f"\r{won} of {number + 1} won", end="", file=sys.stderr, flush=True)
        low, high = wilson(won, games)
        print(f"{games} games from seed {seed}, {samples} samples: {won} won, {won / games:.1%}, 95 % interval ", end="")
        print(f"{low:.1%} to {high:.1%}")
        return
    say = words_of(lang)
    print(hint_text(hinted(game_of(seed, deck, acts).view(), samples=samples), say))


command = Family(
    """Klondike 經典紙牌接龍, draw one: play it, and know whether there still is a way.

    Examples:
        big2 klondike play
        big2 klondike solve --seed 7
    """,
    deal=deal,
    play=play,
    hint=hint,
    solve=solve,
    survey=survey,
    replay=replay,
)
