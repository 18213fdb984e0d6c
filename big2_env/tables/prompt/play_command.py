"""`big2 play`: a person at the terminal against agents."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from big2_env.agents.interface import takes_from_record
from big2_env.base.errors import ConfigError, quoted
from big2_env.base.language import Words, language, words
from big2_env.cli import standard_input
from big2_env.cli._options import DEFAULT_HINTS, Back, Lang, RulesetName
from big2_env.cli._seating import Players, players_options, print_seating
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import preset
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.notation.records import GameRecord
from big2_env.notation.sources import game_in
from big2_env.tables import terminal as tui
from big2_env.tables.prompt.daily import DealKeeper, asked_deal, print_comparison
from big2_env.tables.prompt.terminal import has_table
from big2_env.tables.session.own_file import OwnFile
from big2_env.tables.session.review_file import review_path
from big2_env.tables.session.saved import last_unfinished, now
from big2_env.tables.session.session import STARTED
from big2_env.tables.session.table_session import DEFAULT_OPPONENT, TableSession, resumed
from big2_env.text.seating import seated


def command(
    agents: Annotated[
        list[str] | None,
        typer.Argument(metavar="AGENT", help="Opponents from the seat after yours, repeated; with --resume the file."),
    ] = None,
    seat: Annotated[int | None, typer.Option(help="Your seat.", show_default="0; with --from the seat to move")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the deal and the agents.", show_default="random")] = None,
    hints: Annotated[str | None, typer.Option(help="Agent that gives hints.", show_default=DEFAULT_HINTS)] = None,
    ruleset: RulesetName = "big2",
    players: Players = None,
    daily: Annotated[bool, typer.Option("--daily", help="Play the deal of the day.")] = False,
    deal: Annotated[
        str | None, typer.Option(metavar="DATE|SEED", help="Play the deal of a date or seed, as a link names it.")
    ] = None,
    points: Annotated[bool, typer.Option("--points", help="Read numbers at the prompt as ranks, not indices.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Use the prompt even if a table can be shown.")] = False,
    letters: Annotated[bool, typer.Option("--letters", help="Show C[3] instead of 3♣.")] = False,
    four_colours: Annotated[bool, typer.Option("--four-colors", help="Show clubs in green and diamonds in blue.")] = False,
    auto_pass: Annotated[
        bool | None, typer.Option(help="Pass for you if no play is legal.", show_default="on a terminal")
    ] = None,
    record: Annotated[Path | None, typer.Option(help="File to append games to, instead of your data folder.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the last unfinished game.")] = False,
    with_: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="SEAT=AGENT", help="Other agent for a seat, with --resume; repeatable."),
    ] = None,
    start: Annotated[
        str | None, typer.Option("--from", metavar="FILE[:MOVE]", help="Position or game file to start from, after move MOVE.")
    ] = None,
    back: Back = 0,
    lang: Lang = None,
) -> None:
    """Play against agents at a card table, or at a prompt.

    The table needs a terminal and textual (pip install 'big2_env[tui]'). Without them, or with --plain, there is a prompt that
    also reads pipes. Type the indices above your cards, or the cards: 8 8, 44443333, D3, 3♦, 方块3. With --points all numbers
    are ranks. An empty line or p passes, h gives a hint, u takes back your last move, q quits, ? lists the rest.

    The deal of the day is the same for everyone, against the same agents. After the game you see how agents do with your
    hand, and four lines to share.

    Every game is saved as a record in your data folder (BIG2_DATA); big2 games --mine lists them.

    Examples:
        big2 play
        big2 play greedy greedy random --seat 2 --seed 7
        big2 play learned --players 2
        big2 play --game dou_dizhu --plain --points
        big2 play --daily
        big2 play --game dou_dizhu --deal 2026-11-24
        big2 play --resume
        big2 play --resume game.jsonl --with 2=learned:big2.npz
        big2 play --from game.jsonl:12
    """
    tongue, lines = language(lang), standard_input()
    tr = words(tongue)
    again: list[str] | None
    first: list[str] | None = []
    options: dict[str, Any] = {"adviser": hints, "auto_pass": sys.stdin.isatty() if auto_pass is None else auto_pass}
    if with_ and not resume:
        raise ConfigError("--with: expected --resume too, as a new game names its agents without options")
    decided = bool(agents or back) or resume or any(one is not None for one in (seat, seed, players, start))
    shared, ended = asked_deal(ruleset, daily, deal, decided), None
    if resume:
        if start is not None or record is not None or players is not None or len(agents or []) > 1:
            raise ConfigError("--resume: expected at most a file, and no --from, --record or --players")
        named = _by_seat(with_ or [])
        path, line, broken_off = last_unfinished(Path(agents[0]) if agents else None)
        keep = OwnFile()
        session = resumed(broken_off, others=named, source=path, keep=keep, **options)
        keep.go_on(path, line, session.dealt, str(broken_off.extra.get(STARTED, now())))
        rules = broken_off.game.ruleset
        again = ["--game", rules.name] if preset(rules.name) == rules else None
        first = [] if session.is_of_seed else None
    else:
        keep, rules = OwnFile(record), ruleset_named(ruleset)
        options |= {"seed": seed, "keep": keep}
        if shared is not None:
            ended = DealKeeper(shared, keep)
            others = shared.opponents
            session = shared.session(adviser=hints, auto_pass=options["auto_pass"], keep=ended)
        elif start is None:
            others = _others(agents, rules, players)
            session = TableSession(rules, others, seat=seat or 0, **options)
        else:
            found = game_in(start, rules, back=back)
            if players not in (None, found.game.num_players):
                raise ConfigError(f"--from {start}: expected --players {found.game.num_players}, got {players}")
            others = _others(agents, found.game.ruleset, found.game.num_players)
            session = _started_from(found, others, seat, options)
        print_seating(agents or [], others, tr, person=True)
        again = ["--game", ruleset] if ruleset != "big2" else []
        first = [] if start is None else ["--from", start, *(["--back", str(back)] if back else [])]
    dealt = session.dealt
    try:
        if has_table(plain or points):
            tui.show("climbing_table", session, lang=tongue, letters=letters, four_colours=four_colours)
        else:
            from big2_env.tables.prompt.climbing import Prompt

            Prompt(session, tongue, lines, by_index=not points, letters=letters, four_colours=four_colours).run()
    except KeyboardInterrupt:
        print()
        raise
    finally:
        if ended is not None:
            print_comparison(ended, tr)
        first = first if session.dealt == dealt else []
        _say_goodbye(session, keep, None if again is None or first is None else [*again, *first], tr)


def _by_seat(given: list[str]) -> dict[int, str]:
    """Return the agents of `--with` by seat.

    Raises:
        ConfigError: A text is not SEAT=AGENT, or a seat occurs twice.
    """
    found: dict[int, str] = {}
    for text in given:
        seat, _, agent = text.partition("=")
        if not (agent and seat.isascii() and seat.isdecimal() and len(seat) < 3) or int(seat) in found:
            raise ConfigError(f"--with: expected SEAT=AGENT, each seat once, got {quoted(text)}")
        found[int(seat)] = agent
    return found


def _others(agents: list[str] | None, rules: RuleSet, players: int | None) -> list[str]:
    """Return the agents of the other seats; the default opponents if none are given.

    Raises:
        ConfigError: See `seated`.
    """
    if agents:
        return seated(agents, rules, players, person=True)
    return [DEFAULT_OPPONENT] * (rules.seats(players) - 1)


def _started_from(found: GameRecord, others: list[str], seat: int | None, options: dict[str, Any]) -> TableSession:
    """Return a session that starts at a position, or after a move of a game.

    Raises:
        ConfigError: The seat or an agent does not exist.
    """
    chosen = found.game.turn if seat is None else seat
    session = TableSession(found.game.ruleset, others, seat=chosen, **options)
    session.start(found.game, session.seed, found.deck)
    return session


def _say_goodbye(session: TableSession, keep: OwnFile, again: list[str] | None, tr: Words) -> None:
    """Print how to replay or continue the deal, and its file.

    Args:
        session: The person's seat at the table.
        keep: Record file of the deals.
        again: Options that name the deal. `None` if none can, as for a record of a position or with rules of the user's own.
        tr: Texts of the language.
    """
    number = len(session.names)
    if again is not None:
        again = [*again, *players_options(number, number - 1, session.ruleset, person=True)]
        command = ["big2", "play", *session.opponents, *again, "--seat", str(session.seat), "--seed", str(session.seed)]
        print(tr("prompt.again", command=shlex.join(command)))
    if keep.problem is not None:
        print(tr("tui.not_kept", problem=keep.problem))
    elif keep.has_begun:
        print(tr("prompt.kept", path=keep.path))
        if (page := review_path(session)).exists():
            print(tr("tui.review_written", path=page))
        if not session.is_over and any(move.seat == session.seat for move in session.game.history):
            seats = ((session.seat + place) % number for place in range(1, number))
            typed = [
                (seat, agent) for seat, agent in zip(seats, session.opponents, strict=True) if not takes_from_record(agent)
            ]
            others = [part for seat, agent in typed for part in ("--with", f"{seat}={agent}")]
            print(tr("prompt.go_on", command=shlex.join(["big2", "play", "--resume", str(keep.path), *others])))
