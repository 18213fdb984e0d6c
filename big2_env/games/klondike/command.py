"""`big2 klondike`: the solitaire game, to play and to analyze."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from big2_env.base.errors import ConfigError, IllegalPlayError
from big2_env.base.language import Words
from big2_env.cli import Family
from big2_env.cli._options import (
    AgentSeed,
    Html,
    Lang,
    Out,
    RunOptions,
    check_output,
    counted,
    grouped,
    words_of,
    write_page,
)
from big2_env.drawing.replays import side_replay
from big2_env.games.klondike.cards import cards_text, move_text, moves_text, parse_cards, parse_moves
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.klondike.hint import hint_text
from big2_env.games.klondike.players import HintRun
from big2_env.games.klondike.position import parse_position, position_text
from big2_env.games.klondike.scene import check_text, view_text
from big2_env.notation.side_records import SideRecord, dumps
from big2_env.runs.atomic_files import append_text
from big2_env.runs.executors import Executor
from big2_env.tables.prompt.side_play import (
    Kept,
    Plain,
    Record,
    RecordFile,
    play_with_person,
    refuse_with_resume,
    replay_records,
)
from big2_env.tables.prompt.side_play import Resume as ResumeGame
from big2_env.tables.session.own_file import OwnFile
from big2_env.tables.session.side_session import SideSession, resumed

Seed = Annotated[int | None, typer.Option(help="Seed of the deal.", show_default="0")]
Deck = Annotated[str | None, typer.Option(help="52 cards such as AC, instead of a seed; pile 1 first.")]
Position = Annotated[
    str | None, typer.Option(metavar="JSON", help="Position instead of a deal: piles, down, dealer, foundations.")
]
Moves = Annotated[str, typer.Option(help="Moves to make first, such as 'deal*3 5H>3 AC>F'.")]


def game_of(seed: int | None, deck: str | None, acts: str, position: str | None = None) -> KlondikeGame:
    """Return the game that the options describe.

    Args:
        seed: Seed of the deal; `None` for 0, or for another start.
        deck: Deck instead of a seed's, `None` for none.
        acts: Moves to make first.
        position: Position as JSON instead of a deal, `None` for none.

    Raises:
        ConfigError: Several of a seed, a deck and a position are given.
        NotationError: A text is not valid.
        IllegalPlayError: A move is not legal.
    """
    if seed is not None and (deck is not None or position is not None):
        raise ConfigError("expected --seed, or --deck or --position instead of it, got both")
    if position is None:
        game = KlondikeGame.deal(seed or 0) if deck is None else KlondikeGame(parse_cards(deck))
    elif deck is None:
        game = KlondikeGame(parse_position(position))
    else:
        raise ConfigError("expected --deck or --position, got both")
    for number, act in enumerate(parse_moves(acts), start=1):
        try:
            game.play(act)
        except IllegalPlayError as error:
            raise IllegalPlayError(f"move {number}, {move_text(act)}: {error}", error.refusal) from None
    return game


def deal(
    seed: Seed = None,
    deck: Deck = None,
    position: Position = None,
    acts: Moves = "",
    reveal: Annotated[bool, typer.Option("--reveal", help="Print the hidden cards too.")] = False,
    lang: Lang = None,
) -> None:
    """Print a deal, or the position after some moves, with its legal moves and the published check.

    Examples:
        big2 klondike deal --seed 7
        big2 klondike deal --seed 7 --acts "deal 5H>5" --reveal
        big2 klondike deal --position "$(cat position.json)"
    """
    tr, game = words_of(lang), game_of(seed, deck, acts, position)
    print(view_text(game.view(), tr), end="")
    if reveal:
        for number, (pile, down) in enumerate(zip(game.state.piles, game.state.down, strict=True), start=1):
            hidden = f"({cards_text(pile[:down])})" if down else ""
            print(tr("klondike.pile", number=number, cards=f"{hidden} {cards_text(pile[down:])}".strip()))
        print(tr("klondike.dealer", cards=cards_text(game.state.dealer)))
    legal = " ".join(map(move_text, game.legal_moves()))
    print(tr("klondike.acts", moves=legal) if legal else tr("klondike.no_acts"))
    print(tr("klondike.still_a_way", check=check_text(game.published_check(), tr)))


def play(
    kept: Kept = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the deal.", show_default="random")] = None,
    deck: Deck = None,
    position: Position = None,
    record: Record = None,
    plain: Plain = False,
    letters: Annotated[bool, typer.Option("--letters", help="Show 3C instead of 3♣ at the table.")] = False,
    resume: ResumeGame = False,
    lang: Lang = None,
) -> None:
    """Play a game at a card table, or at a prompt.

    The table needs textual (pip install 'big2_env[tui]'). Without it, or with --plain, there is a prompt that also reads pipes.
    Type a move: 5H>3 moves the five of hearts and the cards on it to pile 3, AC>F moves the ace to its foundation, d deals. A
    card alone goes to the first place that fits. Several moves in a row are accepted as a hint prints them (deal*7 3H>F). u
    takes back a move, h gives a hint from the visible cards, q or Ctrl-C ends the game and keeps the record.

    Examples:
        big2 klondike play --seed 7
        big2 klondike play --plain --record games.jsonl
        big2 klondike play --resume
    """
    file, tr = OwnFile(), words_of(lang)
    refuse_with_resume(
        kept,
        resume,
        (one is not None for one in (seed, deck, position, record)),
        "and no --seed, --deck, --position or --record",
    )
    if resume:
        session = resumed(KlondikeGame, lambda game: KlondikeGame.deal, kept, file, lambda name: False)
    else:
        start = None if deck is None and position is None else game_of(seed, deck, "", position)
        session = SideSession(KlondikeGame.deal, seed=seed, start=start)
    game = session.game
    again = []
    if session.seed is None:
        again = ["--position", position_text(game.start)] if game.deck is None else ["--deck", cards_text(game.deck)]
    play_with_person(session, file, again, tr, record=record, plain=plain, letters=letters)


def replay(
    file: RecordFile,
    log: Annotated[bool, typer.Option("--log", help="Print every move with its points.")] = False,
    lang: Lang = None,
) -> None:
    """Check records by replaying them; refuse a record that breaks the rules.

    Examples:
        big2 klondike replay games.jsonl
    """
    replay_records(file, KlondikeGame, log, words_of(lang))


def solve(
    seed: Seed = None,
    deck: Deck = None,
    position: Position = None,
    acts: Moves = "",
    seconds: Annotated[float | None, typer.Option(help="Most seconds before giving up.", show_default="no limit")] = None,
    record: Annotated[
        Path | None, typer.Option(callback=check_output, help="File to append the record of the won game to.")
    ] = None,
    html: Html = None,
    lang: Lang = None,
) -> None:
    """Find out whether a position can be won with all cards known, and print a winning line.

    "lost" is proven by exhaustive search. The result of the published check is printed next to it.

    Examples:
        big2 klondike solve --seed 7
        big2 klondike solve --seed 7 --acts "deal AH>F" --record won.jsonl
        big2 klondike solve --seed 7 --html won.html
    """
    from big2_env.games.klondike.solver import solve as solved

    tr, game = words_of(lang), game_of(seed, deck, acts, position)
    extra = {"seed": seed or 0} if deck is None and position is None else {}
    check = game.published_check()
    found = solved(game.state, seconds=seconds)
    print(tr(f"klondike.{found.verdict}", positions=f"{found.positions:,}", seconds=f"{found.seconds:.3f}"))
    print(tr("klondike.published", check=check_text(check, tr)))
    if found.moves is not None:
        game.play_all(found.moves)
        print(tr("klondike.line", moves=moves_text(found.moves) or tr("klondike.won_already"), score=game.score))
        if record is not None:
            append_text(record, dumps(SideRecord(game, extra)) + "\n")
    if html is not None:
        title = " ".join([found.verdict, "· Klondike", *map(str, extra.values())])
        write_page(html, [side_replay(game, title, lang=tr.language)])


@grouped
def survey(
    *,
    deals: Annotated[int, typer.Option(min=1, max=10**9, help="Number of deals.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the first deal; later deals count up.")] = 0,
    out: Out = None,
    work: RunOptions,
    max_positions: Annotated[
        int, typer.Option(min=1, help="Most positions per deal before it counts as undecided.")
    ] = 40_000_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
    lang: Lang = None,
) -> None:
    """Solve many deals and print the share that can be won, next to the published share.

    With --out, the same command with --resume continues an interrupted run. The results do not depend on the machine or the
    number of threads. The lower end of the 95% interval counts undecided deals as lost, the upper end as won.

    Examples:
        big2 klondike survey --deals 1000
        big2 klondike survey --deals 100000 --out klondike.jsonl
        big2 klondike survey --deals 200000 --out klondike.jsonl --resume
    """
    from big2_env.games.klondike.survey import PUBLISHED, SURVEYS, Survey, blocks

    tr = words_of(lang)
    work.check(out)
    found = Survey(seed, max_positions)
    with (
        SURVEYS.open(out, found, found.add, **work.kept) as write,
        counted("deals", found.deals, deals, out, tr) as advance,
        blocks(found, deals, executor=work.executor) as solved,
    ):
        for block in solved:
            found.add(block)
            write(block)
            advance(block.deals)
    low, high = found.interval
    if as_json:
        figures = {"won": found.won, "lost": len(found.lost), "undecided": len(found.undecided), "interval": [low, high]}
        print(json.dumps({"seed": seed, "deals": found.deals, **figures, "positions": found.positions, "most": found.most}))
        return
    parts = {"won": f"{found.won:,}", "lost": f"{len(found.lost):,}", "undecided": f"{len(found.undecided):,}"}
    print(tr("figures.survey_found", deals=f"{found.deals:,}", seed=seed, **parts))
    print(tr("figures.survey_share", share=f"{found.won / found.deals:.2%}", low=f"{low:.2%}", high=f"{high:.2%}"))
    print(tr("figures.survey_published", low=f"{PUBLISHED[0]:.2%}", high=f"{PUBLISHED[1]:.2%}"))
    print(tr("figures.survey_positions", mean=f"{found.positions / found.deals:,.0f}", most=f"{found.most:,}"))


@grouped
def hint(
    *,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the deal, or of the first deal with --games.", show_default="0")
    ] = None,
    deck: Deck = None,
    position: Position = None,
    acts: Moves = "",
    samples: Annotated[int, typer.Option(min=1, max=10_000, help="Samples of the hidden cards.")] = 100,
    agent_seed: AgentSeed = 0,
    games: Annotated[int, typer.Option(min=0, help="Deals to play by the hints; 0 prints a single hint.")] = 0,
    out: Out = None,
    work: RunOptions,
    lang: Lang = None,
) -> None:
    """Suggest a move from the visible cards, or measure how often the suggestions win.

    The hidden cards are sampled many times, and the solver plans each sample. The hint is the plan that wins most samples, up
    to the first card it turns over. In big2 klondike play it is the command h.

    With --games and --out, the same command with --resume continues an interrupted run. An interrupted run prints its results
    so far.

    Examples:
        big2 klondike hint --seed 7
        big2 klondike hint --games 10 --samples 8
        big2 klondike hint --games 4 --samples 8 --out hints.jsonl
        big2 klondike hint --games 6 --samples 8 --out hints.jsonl --resume
    """
    work.check(out)
    if games:
        if deck or acts or position:
            raise ConfigError("expected --games alone, for every deal has its seed, got --deck, --position or --acts as well")
        run = HintRun(seed or 0, samples, agent_seed)
        _play_by_hints(run, games, work.executor, out, words_of(lang), **work.kept)
        return
    if out is not None:
        raise ConfigError("--out: expected --games as well, got a single hint, which is printed")
    from big2_env.games.klondike.hint import hint as hinted

    tr = words_of(lang)
    print(hint_text(hinted(game_of(seed, deck, acts, position).view(), samples=samples, salt=agent_seed), tr))


def _play_by_hints(
    run: HintRun, games: int, executor: Executor, out: Path | None, tr: Words, *, resume: bool, overwrite: bool
) -> None:
    """Play deals by the hints, and print how many are won."""
    from big2_env.games.klondike.players import new_total, play
    from big2_env.runs.intervals import wilson
    from big2_env.runs.resumable import kept

    total = new_total()

    def show() -> None:
        won, played = int(total.sums[0]), total.number
        low, high = wilson(won, played)
        shares = {"share": f"{won / played:.1%}", "low": f"{low:.1%}", "high": f"{high:.1%}"}
        print(tr("klondike.by_hints", games=played, seed=run.seed, samples=run.samples, won=won, **shares))

    with kept(out, run.header(), {"games": total}, resume=resume, overwrite=overwrite):
        try:
            with counted("games", total.number, games, out, tr) as advance:
                play(run, games, total, executor=executor, progress=advance)
        except KeyboardInterrupt:
            if total.number:
                show()
            raise
    show()


command = Family(
    """Play and solve Klondike solitaire 經典紙牌接龍, draw one.

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
