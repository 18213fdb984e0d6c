"""`big2 play`: a person at the terminal against agents."""

from __future__ import annotations

import secrets
from contextlib import nullcontext
from typing import Annotated, Final, TextIO

import typer
from rich.console import Console

from big2_env.agents import make_agent, play_turn, reset_seats
from big2_env.cli import RULES_HELP, standard_input
from big2_env.cli._screen import event_text, hand_text, hint_text, table_text
from big2_env.cli.match import seat_names
from big2_env.climbing.game import Game, Outcome
from big2_env.climbing.play import Play
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.climbing.slots import cards_at, readings
from big2_env.climbing.view import View
from big2_env.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError, quoted
from big2_env.notation import typed
from big2_env.runs.progress import waiting

YOU: Final = "you"
HELP: Final = "indices of cards (0 2 5), -1 passes, h hint, q quits, ? this line"
POINTS_HELP: Final = "points (334, 方块3, D3, B), - passes, hint, quit, ? this line"
MAX_LINE: Final = 1000
"""Most characters of a line that are looked at."""


def command(
    agents: Annotated[
        list[str] | None, typer.Argument(metavar="[AGENT...]", help="The others, from the seat after yours on.")
    ] = None,
    seat: Annotated[int, typer.Option(help="Your seat.")] = 0,
    seed: Annotated[int | None, typer.Option(help="Seed of the deal and of the agents; drawn where none is given.")] = None,
    hints: Annotated[str, typer.Option(help="The agent that gives the hints.")] = "heuristic",
    ruleset: Annotated[str, typer.Option("--ruleset", "--game", help=RULES_HELP)] = "big2",
    points: Annotated[
        bool, typer.Option("--points", help="Type cards by their points and suits (big2_env.notation.typed), not indices.")
    ] = False,
) -> None:
    """Play against agents, by default three heuristic ones.

    A turn is the indices of the cards to play, as they stand above your hand, or -1 to pass; h shows what the hint agent would
    play, q quits. Where cards can be read in several ways, name the pattern after the indices. In an auction a turn is one of
    the words that are shown, or -1 for no.

    Examples:
        big2 play
        big2 play greedy greedy random --seat 2 --seed 7
        big2 play --game dou_dizhu --points
    """
    rules, lines = ruleset_named(ruleset), standard_input()
    others = agents or ["heuristic"] * (rules.default_players - 1)
    number = len(others) + 1
    if not 0 <= seat < number:
        raise ConfigError(f"seat {seat}: allowed is 0 to {number - 1}")
    first = secrets.randbelow(10**6) if seed is None else seed
    game = Game.deal(rules, first, number)
    # Agents sit from the seat after the person's on, so seats are counted round the table.
    specs = [YOU if distance == 0 else others[distance - 1] for distance in ((s - seat) % number for s in range(number))]
    person = _Person(game, seat, seat_names(specs), Console(highlight=False, soft_wrap=True), lines, hints)
    person.points = points
    players = [person if spec is YOU else make_agent(spec) for spec in specs]
    reset_seats(players, first)
    person.say(f"seed {first}; {POINTS_HELP if points else HELP}")
    try:
        while (outcome := game.outcome) is None:
            with nullcontext() if players[game.turn] is person else waiting():
                play_turn(game, players)
        person.show_end(outcome)
    except _Leaves:
        person.say(f"you leave the game; to play it again: --seed {first}")


class _Leaves(Exception):  # noqa: N818  # no error
    """The person has had enough."""


class _Person:
    """A person at a terminal (or at the end of a pipe) as an agent."""

    def __init__(self, game: Game, seat: int, names: list[str], console: Console, lines: TextIO, hints: str) -> None:
        self.game = game
        self.seat = seat
        self.names = names
        self.console = console
        self._lines = lines
        self._hints = hints
        self.points = False
        """Whether cards are named by points and suits, not by indices."""
        self._shown = 0
        """How many events have been shown."""

    def reset(self, seed: int) -> None:
        """Nothing about a person follows from a seed."""

    def say(self, text: str) -> None:
        """Print a line as it is."""
        self.console.print(text, markup=False)

    def act(self, view: View, legal: object) -> Play:
        """What the person plays; asked until it is legal."""
        self._show_acts()
        self.console.print(table_text(view, self.names))
        self.console.print(hand_text(view))
        while True:
            words = self._ask()
            try:
                found = self._answer(words, view)
            except (IllegalPlayError, AmbiguousPlayError, NotationError, ConfigError) as error:
                self.say(str(error))
                continue
            if found is not None:
                return found

    def _ask(self) -> list[str]:
        self.console.print("> ", end="")
        self.console.file.flush()
        line = self._lines.readline(MAX_LINE)
        if not line:
            self.say("")
            raise _Leaves
        return line.split()

    def _answer(self, words: list[str], view: View) -> Play | None:
        """The act that the words name, `None` where they ask for something else."""
        match [word.lower() for word in words]:
            case []:
                return None
            case ["quit"] | ["q"] if not self.points or len(words[0]) > 1:
                raise _Leaves
            case ["hint"] | ["h"] if not self.points or len(words[0]) > 1:
                agent = make_agent(self._hints)
                agent.reset(0)
                with waiting():
                    found = agent.act(view, view.legal_plays())
                self.console.print(hint_text(view, found))
                return None
            case ["?"]:
                self.say(POINTS_HELP if self.points else HELP)
                return None
            case ["-1"]:
                return view.legal_plays().verify_pass()
            case [word] if view.bidding:
                return view.legal_plays().verify(0, word)
        if self.points:
            named = [rule.pattern.name for rule in view.ruleset.patterns]
            pattern = words.pop() if len(words) > 1 and words[-1] in named else None
            return typed.read(" ".join(words), view.legal_plays(), pattern)
        return _named_play(words, view)

    def _show_acts(self) -> None:
        """Everything that happened since the last time."""
        events = self.game.events
        for event in events[self._shown :]:
            text = event_text(self.game.ruleset, self.names, event)
            if text is not None:
                self.console.print(text)
        self._shown = len(events)

    def show_end(self, outcome: Outcome) -> None:
        """Who won, what was left, what it paid."""
        self._show_acts()
        self.say(f"the game is over: {' and '.join(self.names[seat] for seat in outcome.winners)} won")
        for name, hand, paid in zip(self.names, self.game.position.hands, outcome.payoffs, strict=True):
            self.say(f"  {name}: {paid:+g}  {self.game.ruleset.text(hand)}".rstrip())


def _named_play(words: list[str], view: View) -> Play:
    """The legal play that indices name, perhaps with the pattern that they are to be read as: NAME or NAME#NUMBER.

    Raises:
        NotationError: a word that is neither, or an index that the hand has not.
        IllegalPlayError, AmbiguousPlayError: as `LegalPlays.verify`.
    """
    pattern, _, number = words[-1].partition("#")
    if len(words) > 1 and pattern in [rule.pattern.name for rule in view.ruleset.patterns]:
        return _read_as(_mask(words[:-1], view), pattern, number, view)
    return view.legal_plays().verify(_mask(words, view))


def _mask(words: list[str], view: View) -> int:
    """The cards at the indices that words name."""
    for word in words:
        if not (word.isascii() and word.isdigit() and len(word) < 5):
            raise NotationError(f"{quoted(word)} is no index; {HELP}")
    return cards_at(view.ruleset, view.hand, map(int, words))


def _read_as(mask: int, pattern: str, number: str, view: View) -> Play:
    """The play that a pattern reads cards as; with a number where it reads them in several ways."""
    legal = view.legal_plays()
    found = [play for play in readings(view.ruleset, mask, (pattern,)) if play in legal]
    if len(found) < 2:
        return legal.verify(mask, pattern)
    if number not in map(str, range(1, len(found) + 1)):
        raise NotationError(f"{pattern} reads these cards in {len(found)} ways: allowed is {pattern}#1 to #{len(found)}")
    return found[int(number) - 1]
