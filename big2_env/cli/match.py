"""`big2 match`: games between agents, printed or recorded."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from enum import StrEnum
from functools import partial
from typing import Annotated, TextIO

import typer
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from big2_env.agents.interface import Agent, aside, check_seats, naming_game, play_out, play_turn, reset_seats
from big2_env.agents.isolated import agent_maker
from big2_env.agents.time_limit import limited
from big2_env.base.cards import Card
from big2_env.base.errors import ConfigError
from big2_env.base.language import Words
from big2_env.base.rng import drawn_seed
from big2_env.cli._endpoint_options import EndpointOptions, plays_models
from big2_env.cli._options import (
    SOURCE_HELP,
    AgentSeed,
    Back,
    Html,
    Isolate,
    Lang,
    MoveLimit,
    RulesetName,
    grouped,
    shows_signs,
    stdin_bytes,
    words_of,
    write_page,
)
from big2_env.cli._seating import Players, print_seating, print_weights_notes
from big2_env.climbing.events import Dealt, Ended, Event, Passed, StakeMultiplied, TrickOpened
from big2_env.climbing.forfeit import Forfeit, ForfeitError
from big2_env.climbing.game import Game, Outcome, decks_of
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.drawing import Scene, scene
from big2_env.drawing.terminal import QUIET, coloured
from big2_env.notation import records
from big2_env.notation.log import LogWriter
from big2_env.notation.sources import game_in
from big2_env.notation.transcript import Transcript
from big2_env.runs.progress import WAIT_TEXT, waiting
from big2_env.text.events import event_text, settled_text
from big2_env.text.names import numbered, table_words
from big2_env.text.seating import seated

Agents = Annotated[
    list[str], typer.Argument(metavar="AGENT", help="Agents by seat, repeated around the table: NAME or NAME:ARGUMENT.")
]
"""Agents of the whole table."""
FirstSeed = Annotated[
    int | None, typer.Option(help="Seed of the first deal; later deals count up.", show_default="random for each deal")
]
"""Seed of the first of several deals."""
From = Annotated[str | None, typer.Option("--from", metavar="FILE[:N]", help=f"Game to continue. {SOURCE_HELP}")]
"""Game to continue instead of a deal."""


class Narrator:
    """Printer of a game's events, with all hands open.

    Args:
        game: Game that the caller plays.
        names: Names by seat.
        tr: Texts of the language.
        console: Console to print to.
    """

    def __init__(self, game: Game, names: Sequence[str], tr: Words, console: Console) -> None:
        self._game, self._names, self._say, self._console = game, names, tr, console
        self._signs = shows_signs()
        self._read = 0
        self._tricks = 0

    def print_new(self) -> None:
        """Print everything that happened since the last call."""
        events = self._game.events
        fresh, self._read = events[self._read :], len(events)
        for event in fresh:
            for line in self._lines(event):
                self._console.print(line, soft_wrap=True)

    def _lines(self, event: Event) -> Iterator[Text]:
        rules, tr = self._game.ruleset, self._say
        match event:
            case Dealt(hands):
                for name, hand in zip(self._names, hands, strict=True):
                    yield self._coloured(tr("state.line", label=name, text=rules.text(hand)))
            case TrickOpened():
                self._tricks += 1
                yield Text("")
                yield Text(tr("narration.trick", number=self._tricks), "bold")
            case Passed():
                yield self._coloured(f"  {event_text(rules, self._names, event, tr)}", QUIET)
            case StakeMultiplied():
                yield self._coloured(f"  {event_text(rules, self._names, event, tr)}", QUIET)
                yield from (self._coloured(f"  {fact}", QUIET) for fact in self._now().facts)
            case Ended():
                yield Text("")
                yield Text(settled_text(self._now()), "bold")
                yield from (self._coloured(line, QUIET) for line in self._left())
            case _:
                if line := event_text(rules, self._names, event, tr):
                    yield self._coloured(f"  {line}")

    def _coloured(self, line: str, style: str = "") -> Text:
        return coloured(line, style, signs=self._signs)

    def _now(self) -> Scene:
        return scene(self._game, open_hands=True, names=self._names, lang=self._say.language)

    def _left(self) -> Iterator[str]:
        """Yield the cards that hands have left at the end."""
        position = self._game.position
        for name, hand in zip(self._names, position.hands, strict=True):
            if hand:
                yield self._say("narration.left", name=name, cards=self._game.ruleset.text(hand))


class LogFormat(StrEnum):
    """Output for each game."""

    TEXT = "text"
    SPEC = "spec"
    JSONL = "jsonl"


@grouped
def command(
    agents: Agents,
    *,
    seed: FirstSeed = None,
    agent_seed: AgentSeed = 0,
    log: Annotated[
        LogFormat | None,
        typer.Option(
            help="Output per game: text for people, specification's log, or JSON record.",
            show_default="text on a terminal, else spec",
        ),
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 1,
    ruleset: RulesetName = "big2",
    players: Players = None,
    scoring: Annotated[str | None, typer.Option(help="Scoring: winner or cards.", show_default="the ruleset's")] = None,
    html: Html = None,
    source: From = None,
    back: Back = 0,
    limit: MoveLimit = None,
    isolate: Isolate = False,
    endpoint: EndpointOptions,
    lang: Lang = None,
) -> None:
    """Let agents play each other and print the games.

    The first agent has seat 0 in every game; fewer agents than seats are repeated around the table. To compare agents on the
    same deals in all seats, use big2 arena. Without --seed every deal has a random seed, printed after the game.

    Examples:
        big2 match heuristic greedy greedy random --seed 7
        big2 match heuristic greedy --players 2
        big2 match random --games 1000 --log jsonl > games.jsonl
        big2 match heuristic greedy greedy random --games 3 --html games.html
        big2 match greedy --from games.jsonl:20 --lang zh-Hant
        big2 match llm:qwen3 greedy --llm-url http://localhost:8000/v1
    """
    tr = words_of(lang)
    rules = ruleset_named(ruleset) if scoring is None else ruleset_named(ruleset).with_scoring(scoring)
    given = None if source is None else given_game(source, back, rules, players)
    played = rules if given is None else given.game.ruleset
    if scoring is not None and played != played.with_scoring(scoring):
        raise ConfigError(f"--from {source}: expected the game's own scoring, got --scoring {scoring}")
    wanted = log or (LogFormat.TEXT if _is_terminal() else LogFormat.SPEC)
    if given is not None and wanted is LogFormat.JSONL:
        records.dumps(given)  # a game that no record can hold is refused before it is played
    plays_models(agents, isolate=isolate, limit=limit)
    named, agents = agents, seated(agents, played, players if given is None else given.game.num_players)
    with aside():
        made = [agent_maker(isolate)(spec) for spec in agents]
        check_seats(made, played, played.seats(len(agents)))
        print_weights_notes(dict(zip(agents, made, strict=True)), played, len(agents), tr)
        table = limited(made, limit)
    print_seating(named, agents, tr)
    names, called = numbered(agents), table_words(agents, tr)
    outcomes: list[Outcome | Forfeit] = []
    replays = []
    leader = None
    for number in range(games):
        deck: tuple[Card, ...] | None
        if given is None:
            game_seed = drawn_seed() if seed is None else seed + number
            game, deck = _dealt(rules, game_seed, len(agents), leader)
            label, made_by = f"seed {game_seed}", {"seed": game_seed}
        else:
            game, deck = given.game.copy(), given.deck
            label, made_by = f"game {number + 1} from {source}", {"repetition": number}
        transcript = Transcript(game, names)
        with aside(), naming_game(label, agents):
            reset_seats(table, game, repetition=0 if given is None else number, salt=agent_seed)
        where = partial(naming_game, label, agents, game)
        if wanted is LogFormat.JSONL:
            with _forfeit_in(outcomes), waiting(), aside(), where():
                outcomes.append(play_out(game, table))
            record = records.GameRecord(transcript, deck, {"agents": agents, **made_by}, _only_forfeit(outcomes[-1]))
            records.dump([record], sys.stdout)
        elif wanted is LogFormat.SPEC:
            with _forfeit_in(outcomes):
                outcomes.append(_play_aloud(game, table, where, _log_writer(transcript, sys.stdout)))
        else:
            console = Console(highlight=False)
            title = tr.game(game.ruleset.name, game.ruleset.zh)
            is_known = seed is not None and given is None
            console.print(tr("narration.game", title=title, seed=game_seed) if is_known else title, style="bold")
            printed = Narrator(game, called, tr, console).print_new
            with _forfeit_in(outcomes):
                outcomes.append(_play_aloud(game, table, where, printed, tr("prompt.waiting")))
        leader = game.next_leader
        if (given_up := _only_forfeit(outcomes[-1])) is not None:
            print(f"big2: {_forfeit_text(called, given_up, tr)}", file=sys.stderr)
        if given is None and seed is None and wanted is not LogFormat.JSONL:  # records have it; no agent may read it earlier
            print(f"big2: {tr('tui.seed', seed=game_seed)}", file=sys.stderr)
        if html is not None:
            from big2_env.drawing.replays import game_replay

            replays.append(
                game_replay(transcript, title=f"{made_by.get('seed', label)}: {', '.join(called)}", lang=tr.language)
            )
    if html is not None:
        write_page(html, replays)
    if games > 1:
        _print_summary(called, outcomes, tr, sys.stderr)


@contextmanager
def _forfeit_in(outcomes: list[Outcome | Forfeit]) -> Iterator[None]:
    """Append the result of a game that an agent gives up in the block."""
    try:
        yield
    except ForfeitError as error:
        if error.forfeit is None:  # raised before the game began
            raise
        outcomes.append(error.forfeit)


def _only_forfeit(outcome: Outcome | Forfeit) -> Forfeit | None:
    return outcome if isinstance(outcome, Forfeit) else None


def _forfeit_text(names: Sequence[str], given_up: Forfeit, tr: Words) -> str:
    """Return the result of a forfeited game in words."""
    payoffs = ", ".join(f"{name} {amount:+g}" for name, amount in zip(names, given_up.payoffs, strict=True))
    return tr("narration.forfeit", name=names[given_up.seat], reason=given_up.reason, payoffs=payoffs)


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _dealt(rules: RuleSet, seed: int, num_players: int, leader: int | None) -> tuple[Game, tuple[Card, ...]]:
    """Return the game of a seed after a game with some `next_leader`, and its deck."""
    deck, *redeals = map(tuple, decks_of(rules, seed))
    return Game.from_deck(rules, deck, num_players, redeals, leader), deck


def given_game(source: str, back: int, rules: RuleSet, players: int | None) -> records.GameRecord:
    """Return the game to continue.

    Raises:
        OSError: The file cannot be read.
        NotationError: The file contains no game.
        ConfigError: The game is over, or has another number of players than requested.
    """
    given = game_in(source, rules, back=back, stdin=stdin_bytes())
    if given.game.is_over:
        raise ConfigError(f"--from {source}: the game is over; name a move to continue from, {source}:N")
    if players not in (None, given.game.num_players):
        raise ConfigError(f"--from {source}: expected --players {given.game.num_players}, got {players}")
    return given


def _log_writer(transcript: Transcript, out: TextIO) -> Callable[[], None]:
    """Return a function that writes the new lines of the log."""
    log = LogWriter(transcript)

    def write() -> None:
        out.write(log.read_new())
        out.flush()

    return write


def _play_aloud(
    game: Game,
    players: Sequence[Agent],
    named: Callable[[], AbstractContextManager[object]],
    print_new: Callable[[], None],
    wait_text: str = WAIT_TEXT,
) -> Outcome:
    """Play a game to its end, print every move, and return the outcome.

    Args:
        game: Game to play.
        players: Agents by seat.
        named: Returns a context that names the game in errors.
        print_new: Prints what happened since its last call.
        wait_text: Message if a move takes long.
    """
    while (outcome := game.outcome) is None:
        print_new()
        with waiting(wait_text), aside(), named():
            play_turn(game, players)
    print_new()
    return outcome


def _print_summary(names: Sequence[str], outcomes: Sequence[Outcome | Forfeit], tr: Words, err: TextIO) -> None:
    """Print wins and mean payoffs by seat."""
    number = len(outcomes)
    width = max(map(cell_len, names))
    print(tr("narration.summary", games=number), file=err)
    if given_up := sum(isinstance(outcome, Forfeit) for outcome in outcomes):
        print(f"  {tr('narration.summary_forfeits', number=given_up)}", file=err)
    for seat, name in enumerate(names):
        wins = sum(seat in outcome.winners for outcome in outcomes)
        paid = sum(outcome.payoffs[seat] for outcome in outcomes) / number
        shown = {"wins": f"{wins:>6}", "share": f"{wins / number:6.1%}", "paid": f"{paid:+.3f}"}
        print(f"  {tr('narration.summary_seat', name=set_cell_size(name, width), **shown)}", file=err)
