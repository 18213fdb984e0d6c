"""`big2 uno`: UNO, single games and simulations."""

from __future__ import annotations

import json
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from big2_env.base.errors import ConfigError
from big2_env.base.language import Words
from big2_env.cli import Family
from big2_env.cli._options import (
    AgentSeed,
    Html,
    Lang,
    Out,
    RunOptions,
    counted,
    grouped,
    is_at_terminal,
    words_of,
)
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.players import takes_from_record, uno_player
from big2_env.games.uno.rules import CHOICES, MAX_PLAYERS, MIN_PLAYERS, PRESETS, UnoRules, uno_rules
from big2_env.runs.intervals import known
from big2_env.tables.prompt.side_play import (
    Kept,
    Plain,
    Record,
    RecordFile,
    play_alone,
    play_with_person,
    refuse_with_resume,
    replay_records,
)
from big2_env.tables.prompt.side_play import Resume as ResumeGame
from big2_env.tables.session.own_file import OwnFile
from big2_env.tables.session.side_session import SideSession, resumed

if TYPE_CHECKING:
    from big2_env.games.uno.simulate import UnoSimulation

Players = Annotated[int | None, typer.Option(help=f"Number of players, {MIN_PLAYERS} to {MAX_PLAYERS}.", show_default="2")]
Preset = Annotated[str, typer.Option("--rules", help=f"Preset of rules: {', '.join(PRESETS)}.")]
Options = Annotated[list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Change of a rule; repeatable.")]


class LogFormat(StrEnum):
    """Output for each game."""

    TEXT = "text"
    JSONL = "jsonl"


def parse_rules(preset: str, players: int | None, options: list[str] | None) -> UnoRules:
    """Return the rules that the options give.

    Args:
        preset: Name of the preset to start from.
        players: Number of players; the preset's own by default.
        options: Changes as NAME=VALUE.

    Raises:
        ConfigError: An option does not exist, occurs twice, or has a value that is not allowed.
    """
    changes: dict[str, Any] = {} if players is None else {"players": players}
    for option in options or []:
        name, equals, value = option.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or name in changes:
            raise ConfigError(f"--option: expected NAME=VALUE, each name once, got {option!r}{' again' if equals else ''}")
        changes[name] = {"yes": True, "true": True, "no": False, "false": False}.get(
            value.lower(), int(value) if value.isdecimal() and len(value) < 10 else value
        )
    return uno_rules(preset, **changes)


@grouped
def simulate(
    *,
    players: Players = None,
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 100_000,
    preset: Preset = "article",
    option: Options = None,
    seed: Annotated[int, typer.Option(help="Seed of the first game; later games count up.")] = 0,
    out: Out = None,
    work: RunOptions,
    as_json_: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
    lang: Lang = None,
) -> None:
    """Let automatic players play many games on all cores, and print lengths, endings, scores and seats.

    The automatic player plays a card of the same face, else of the same color, else a wild card, else it draws. Of several
    cards it plays the oldest; with --option pick=highest the one with the most points, with pick=hardest the one that the next
    player is least likely to follow. A turn is a play or a draw. Intervals are 95% intervals. The results do not depend on the
    machine or the number of threads.

    With --out, the same command with --resume continues an interrupted run. An interrupted run prints its results so far.

    Examples:
        big2 uno simulate --players 4 --games 200000
        big2 uno simulate --games 50000 --option colour_order=draw_order --option match_zero=no
        big2 uno simulate --players 6 --rules mattel --json
        big2 uno simulate --players 4 --option pick=hardest
        big2 uno simulate --games 100000 --out uno.jsonl
        big2 uno simulate --games 200000 --out uno.jsonl --resume
    """
    from big2_env.games.uno.simulate import UnoSimulation, new_total, run_of, simulated
    from big2_env.runs.resumable import kept

    def show(found: UnoSimulation) -> None:
        if as_json_:
            print(json.dumps(as_json(found)))
        else:
            _print_simulation(found, tr)

    tr = words_of(lang)
    work.check(out)
    rules, total = parse_rules(preset, players, option), new_total()
    with kept(out, run_of(rules, seed), {"games": total}, **work.kept):
        try:
            with counted("games", total.number, games, out, tr) as advance:
                simulated(rules, games, seed=seed, executor=work.executor, progress=advance, total=total)
        except KeyboardInterrupt:
            if total.number:
                show(UnoSimulation(rules, seed, total.number, total.sums))
            raise
    show(UnoSimulation(rules, seed, total.number, total.sums))


def as_json(found: UnoSimulation) -> dict[str, Any]:
    """Return the results of a simulation as JSON values, with standard errors."""
    named = {"turns": found.turns, "exhausted": found.exhausted, "left": found.left}
    seats = {"wins": found.wins, "firsts": found.firsts, "scores": found.scores}
    return {
        "rules": found.rules.changed(),
        "seed": found.seed,
        "games": found.games,
        "shortest": found.shortest,
        "median": found.percentile(0.5),
        "longest": found.longest,
        **{name: {"mean": one.mean, "error": known(one.error)} for name, one in named.items()},
        **{name: [{"mean": one.mean, "error": known(one.error)} for one in each] for name, each in seats.items()},
    }


def _print_simulation(found: UnoSimulation, tr: Words) -> None:
    from rich.console import Console
    from rich.table import Table

    rules = ", ".join(f"{name} {value}" for name, value in found.rules.changed().items())
    ends = ", ".join(f"{percent} %: {found.percentile(percent / 100)}" for percent in (5, 25, 50, 75, 95))
    print(tr("figures.uno_title", games=f"{found.games:,}", seed=found.seed, rules=rules))
    print(tr("figures.uno_turns", mean=f"{found.turns:.2f}", least=found.shortest, most=found.longest))
    print(tr("figures.uno_percentiles", shares=ends))
    print(tr("figures.uno_exhausted", share=f"{found.exhausted:.2%}"))
    print(tr("figures.uno_left", mean=f"{found.left:.1f}"))
    table = Table()
    for column in ("seat", "uno_wins", "uno_firsts", "points_left"):
        table.add_column(tr(f"figures.{column}"), justify="right")
    for seat, (won, first, score) in enumerate(zip(found.wins, found.firsts, found.scores, strict=True)):
        shares = [f"{one:.2%}" for one in (won, first)]
        table.add_row(str(seat), *shares, f"{score:.2f}")
    Console(soft_wrap=True).print(table)


def replay(
    file: RecordFile,
    log: Annotated[bool, typer.Option("--log", help="Print every move.")] = False,
    lang: Lang = None,
) -> None:
    """Check records by replaying them; refuse a record that breaks the rules.

    Examples:
        big2 uno replay uno.jsonl
    """
    replay_records(file, UnoGame, log, words_of(lang))


def play(
    kept: Kept = None,
    players: Players = None,
    games: Annotated[
        int | None, typer.Option(min=1, help="Number of games between automatic players.", show_default="1")
    ] = None,
    preset: Preset = "article",
    option: Options = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the first deal; later deals count up.", show_default="0; random for people")
    ] = None,
    seat: Annotated[int | None, typer.Option(help="Your seat; you play, even through a pipe.", show_default="0")] = None,
    against: Annotated[
        str | None,
        typer.Option(help="Opponents: automatic, learned, search, search:100, rule-v1 or random.", show_default="automatic"),
    ] = None,
    agent_seed: AgentSeed = 0,
    log: Annotated[LogFormat | None, typer.Option(help="Output of automatic games: moves, or JSON records.")] = None,
    html: Html = None,
    record: Record = None,
    plain: Plain = False,
    resume: ResumeGame = False,
    lang: Lang = None,
) -> None:
    """Play against automatic or other players, or let automatic ones play.

    On a terminal you play at a card table, if textual is installed (pip install 'big2_env[tui]'), else or with --plain at a
    prompt. With --games, --log or --html, or without a terminal, automatic players play alone.

    At the prompt, type the index above a card of your hand, or the card: r7, g+2, b skip, wild r. An empty line or p draws a
    card, or keeps the one just drawn; ? lists the rest.

    Game k of big2 uno simulate --seed S is the game of big2 uno play --seed (S + k).

    Examples:
        big2 uno play --players 4 --rules table
        big2 uno play --players 4 --seed 7 --log text
        big2 uno play --games 1000 --log jsonl > uno.jsonl
        big2 uno play --players 4 --html uno.html
        big2 uno play --resume
    """
    file, tr = OwnFile(), words_of(lang)
    given = (players, games, option, seed, seat, against, log, html, record)
    refuse_with_resume(
        kept, resume, [preset != "article", agent_seed, *(one is not None for one in given)], "--plain and --lang"
    )
    if resume:
        session = resumed(UnoGame, lambda game: partial(UnoGame.deal, game.rules), kept, file, takes_from_record)
        again = _changes(session.game.rules)
        again += ["--against", session.against] if session.against != "automatic" else []
        play_with_person(session, file, [*again, *_salted(session)], tr, plain=plain)
        return
    rules = parse_rules(preset, players, option)
    deal = partial(UnoGame.deal, rules)
    is_automatic = games is not None or log is not None or html is not None
    if is_automatic and (seat is not None or record is not None):
        raise ConfigError("expected one of --seat or --record, for people, and --games, --log or --html, got both")
    if is_automatic and (against is not None or agent_seed):
        wrong = "--agent-seed" if against is None else "--against"
        raise ConfigError(f"expected {wrong}, for people, or --games, --log or --html, got both")
    is_for_people = agent_seed or any(one is not None for one in (seat, record, against))
    if is_automatic or not (is_for_people or is_at_terminal()):
        seeds = range(seed or 0, (seed or 0) + (games or 1))
        dealt = ((one, deal(one)) for one in seeds)
        play_alone(dealt, uno_player("automatic"), "article", log is not LogFormat.JSONL, html, tr)
        return
    session = SideSession(deal, seat=seat or 0, seed=seed, against=against, agent_seed=agent_seed)
    again = [*_again(rules, preset, option), *([] if against is None else ["--against", against]), *_salted(session)]
    again += [] if record is None else ["--record", str(record)]
    play_with_person(session, file, again, tr, record=record, plain=plain)


def _again(rules: UnoRules, preset: str, option: list[str] | None) -> list[str]:
    """Return the options that give the same rules."""
    named = [] if preset == "article" else ["--rules", preset]
    others = (one for one in option or [] if one.partition("=")[0].strip() != "players")
    return ["--players", str(rules.players), *named, *(part for one in others for part in ("--option", one))]


def _salted(session: SideSession[UnoGame]) -> list[str]:
    """Return the option with the salt of the other players."""
    return ["--agent-seed", str(session.agent_seed)] if session.agent_seed else []


def _changes(rules: UnoRules) -> list[str]:
    """Return the options that give any rules."""
    changed = rules.changed()
    named = (f"{name}={str(value).lower()}" for name, value in changed.items() if name != "players")
    return ["--players", str(rules.players), *(part for one in named for part in ("--option", one))]


def rules(lang: Lang = None) -> None:
    """Print the rules that can be chosen, their values and presets.

    Examples:
        big2 uno rules
    """
    tr = words_of(lang)
    numbers = tr("figures.from_to", low=MIN_PLAYERS, high=MAX_PLAYERS)
    for name, value in vars(UnoRules()).items():
        allowed = CHOICES.get(name, (numbers,) if name == "players" else ("no", "yes"))
        shown = {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value
        print(tr("figures.uno_rule", name=f"{name:<20}", value=f"{shown!s:<14}", choices=", ".join(allowed)))
    for name, preset in PRESETS.items():
        changed = ", ".join(f"{key}={value}" for key, value in preset.changed().items())
        print(tr("figures.uno_preset", name=name, rules=changed))


command = Family(
    """Play and simulate UNO 疯狂的UNO.

    Examples:
        big2 uno simulate --players 4 --games 200000
        big2 uno play --seed 7
    """,
    simulate=simulate,
    play=play,
    replay=replay,
    rules=rules,
)
