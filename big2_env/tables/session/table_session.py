"""A person playing against agents, independent of any user interface: deals with undo, advice and a running score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from big2_env.agents.advice import Advice, advice_of, default_adviser
from big2_env.agents.interface import Agent, check_seats, hurried, make_agent, play_turn, reset_seats, takes_from_record
from big2_env.agents.seeds import agent_seed
from big2_env.base.cards import Card, CardsLike, as_mask
from big2_env.base.errors import ConfigError, IllegalPlayError, Refusal, quoted
from big2_env.base.language import Language, words
from big2_env.base.rng import drawn_seed
from big2_env.climbing.events import Event
from big2_env.climbing.game import Game, decks_of
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.drawing import Scene, ShownAdvice, scene
from big2_env.notation import records
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Transcript
from big2_env.tables.session.advice_text import warning_text
from big2_env.tables.session.saved import count_at, is_texts
from big2_env.tables.session.session import STARTED, ClimbingDeals, OwnSession
from big2_env.text.events import event_text
from big2_env.text.names import PERSON, agent_words, numbered, table_words
from big2_env.text.seating import by_seat, weights_notes
from big2_env.text.selection import Selection, select_cards

DEFAULT_OPPONENT: Final = "heuristic"


class TableSession(ClimbingDeals, OwnSession):
    """Session of one person at a table of agents, with the current game.

    This class does not wait, print or start threads. `advance` makes one move of an agent, which may take a while, so user
    interfaces that must stay responsive call it in a thread.

    Args:
        ruleset: Rules of the game.
        opponents: Agent for each other seat, starting with the seat after the person's; by default heuristic agents.
        seat: Seat of the person.
        seed: Seed of the first deal; each further deal adds one. By default every seed is random.
        name: Name of the person; by default `you` in records, and a translation of it in scenes.
        adviser: Agent that gives advice; by default `learned` if it has weights for the game, else `heuristic`.
        auto_pass: True to pass without asking the person if no other move is legal.
        keep: Callback with the session after every move and undo, such as an `OwnFile`.

    Raises:
        ConfigError: A seat or an agent does not exist, an agent cannot play the game, or the number of players is not allowed.
    """

    def __init__(
        self,
        ruleset: RuleSet,
        opponents: Sequence[str] = (),
        *,
        seat: int = 0,
        seed: int | None = None,
        name: str | None = None,
        adviser: str | None = None,
        auto_pass: bool = True,
        keep: Callable[[TableSession], None] | None = None,
    ) -> None:
        others = list(opponents) or [DEFAULT_OPPONENT] * (ruleset.default_players - 1)
        number = ruleset.seats(len(others) + 1)
        if not 0 <= seat < number:
            raise ConfigError(f"expected a seat from 0 to {number - 1}, got {seat}")
        self.ruleset = ruleset
        """Rules of the game."""
        self.seat = seat
        self.watched: int | None = seat
        """Seat whose hand the person sees; `None` for all hands."""
        self.opponents = tuple(others)
        """Names of the agents, starting with the seat after the person's."""
        self.adviser = default_adviser(ruleset, number) if adviser is None else adviser
        """Agent that gives advice."""
        self.auto_pass = auto_pass
        """True to pass without asking the person if no other move is legal."""
        self.waits_for_compilation = True
        """False to let a quicker player move for an agent whose kernels are not ready (`interface.hurried`)."""
        self.keep = keep
        self.name = name
        """Name of the person, if given."""
        specs = self.specs()
        self.names = tuple(numbered(specs, name or PERSON))
        """Name of each seat."""
        self._agents: list[Agent] = [_Nobody() if spec is None else make_agent(spec) for spec in specs]
        check_seats([agent for agent in self._agents if not isinstance(agent, _Nobody)], ruleset, number)
        self.before = (0.0,) * number
        self.dealt = 0
        self._noted = 0  # the deal in which notes were shown
        self.counts_seeds = seed is not None
        self._asked: tuple[str, Agent] | None = None  # the adviser and its name
        self._valued: tuple[str, View, list[Advice]] | None = None  # the last advice with values: whose, on what
        self.seed = drawn_seed() if seed is None else seed
        self.deal()

    def specs(self) -> list[str | None]:
        """Return the name of each seat's agent, `None` for the person."""
        return by_seat(self.opponents, self.seat)

    def deal(self) -> None:
        """Deal the game of the current seed."""
        super().deal()
        self.start(self.game, self.seed, self.deck)

    def start(self, game: Game, seed: int, deck: tuple[Card, ...] | None = None) -> None:
        """Continue from the current state of a game: a new deal, a position, or an unfinished game.

        Args:
            game: The game.
            seed: Seed of the deal, if the game was dealt.
            deck: Deck from bottom to top, if known.
        """
        self.game, self.seed, self.deck = game, seed, deck
        self.is_of_seed = deck == tuple(decks_of(self.ruleset, seed)[0])
        """True if the seed deals the game; False for a position, and for a game that another seed dealt."""
        self.was_over = game.is_over
        """True for a game that was over before it came here, and for practice in such a game: it does not count."""
        self.dealt += 1
        self.undone = 0
        """Number of the person's choices undone in the current game."""
        self.hints = 0
        """Number of requests for advice in the current game."""
        reset_seats(self._agents, game)

    @property
    def shown_seed(self) -> int | None:
        """Seed of the current deal if it may be shown, and if a seed is known that deals it."""
        return super().shown_seed if self.is_of_seed else None

    def payoffs(self) -> tuple[float, ...] | None:
        """Return each seat's payoff, `None` before the end of the deal, and if it was over before it came here."""
        return None if self.was_over else super().payoffs()

    @property
    def view(self) -> View:
        """The person's view."""
        return self.game.view(self.seat)

    @property
    def is_asked(self) -> bool:
        """True if the game waits for the person's decision."""
        return not self.is_over and self.game.turn == self.seat and not (self.auto_pass and self.is_forced_pass)

    @property
    def is_forced_pass(self) -> bool:
        """True if it is the person's turn and only a pass is legal."""
        return not self.is_over and self.game.turn == self.seat and not _can_choose(self.game)

    def chosen(self) -> Play | None:
        """Return an agent's next move, or a forced pass of the person; `None` if the game waits for the person or is over.

        Raises:
            ConfigError: The agent fails or returns an illegal move.
        """
        if self.is_over or self.is_asked:
            return None
        if self.is_forced_pass:
            return PASS
        with hurried(not self.waits_for_compilation):
            return play_turn(self.game.copy(), self._agents)

    def play(self, cards: CardsLike | Play = 0, pattern: str | None = None) -> Play:
        """Make the person's move.

        Args:
            cards: Cards to play; none for a pass.
            pattern: Name of the pattern for ambiguous cards, or the word of an auction.

        Raises:
            IllegalPlayError: The move is illegal, or it is not the person's turn; nothing changes.
            AmbiguousPlayError: The cards match several patterns, and `pattern` does not select one.
            NotationError: The text does not describe cards.
        """
        if self.is_over:
            raise IllegalPlayError("the game is over", Refusal.GAME_OVER)
        if self.game.turn != self.seat:
            raise IllegalPlayError(f"it is {self.names[self.game.turn]}'s turn", Refusal.NOT_YOUR_TURN)
        play = self.game.play(cards, pattern)
        self._changed()
        return play

    def select_cards(self, cards: CardsLike, lang: Language) -> Selection:
        """Return the meaning of some cards of the person's hand: a legal play, or the reason why it is not possible."""
        return select_cards(self.legal, as_mask(cards, self.legal.hand), words(lang))

    @property
    def legal(self) -> LegalPlays:
        """Legal moves of the person; during other turns, the moves that would be legal now, for preselecting cards."""
        return self.legal_of(self.seat)

    def undo_to(self, ply: int) -> None:
        """Take back all moves but the first; see `Session.undo_to`. They include a choice of the person."""
        super().undo_to(ply)
        self.undone += 1

    def last_choice(self) -> int | None:
        """Return the number of moves before the person's last choice. Forced passes are not choices."""
        game = self.game.copy()
        while game.history:
            seat, _ = game.undo()
            if seat == self.seat and _can_choose(game):
                return len(game.history)
        return None

    def advise(self) -> list[Advice]:
        """Return the adviser's evaluation of the legal moves, best first. Agents without advice name only their own move.

        Raises:
            ConfigError: The agent does not exist or cannot play this game, or it is not the person's turn.
        """
        found = self.advise_at(self.view)
        self.hints += 1
        return found

    def warning(self, play: Play, lang: Language) -> str | None:
        """Return a question to ask before a blunder, by the values of the adviser; `None` for other moves.

        Args:
            play: Move that the person is about to make.
            lang: Language of the question.
        """
        try:
            return warning_text(self.view, self.advise_at(self.view), self.legal.listed(play) or play, words(lang))
        except ConfigError:  # an adviser that cannot play this game warns of nothing
            return None

    def advise_at(self, view: View) -> list[Advice]:
        """Return the adviser's evaluation of the legal moves of a view, best first.

        Args:
            view: View of a seat of this table.

        Raises:
            ConfigError: The agent does not exist or cannot play this game, or it is not the turn of the view's seat.
        """
        if not view.is_on_turn:
            raise ConfigError("it is not your turn")
        if self._valued is not None and self._valued[:2] == (self.adviser, view):
            return list(self._valued[2])
        if self._asked is None or self._asked[0] != self.adviser:
            asked = make_agent(self.adviser)
            check_seats([asked], self.ruleset, len(self.names))
            self._asked = self.adviser, asked
        asked = self._asked[1]
        asked.reset(agent_seed(view))
        found = advice_of(asked, view, view.legal_plays(), self.specs())
        if found[0].playouts:  # which takes long
            self._valued = self.adviser, view, found
        return list(found)

    def record(self, **extra: Any) -> GameRecord:
        """Return the current game as a record that can be saved, loaded and resumed.

        Args:
            **extra: Additional keys with JSON values.
        """
        kept: dict[str, Any] = {"seed": self.seed, "seat": self.seat, "agents": list(self.opponents)}
        if self.counts_seeds:
            kept["seed_counts"] = True  # the next deal's seed is one higher, also after the game is resumed
        kept |= {key: number for key, number in (("undone", self.undone), ("hints", self.hints)) if number}
        return GameRecord(Transcript(self.game, self.names), self.deck, kept | extra)

    def line(self, started: str) -> str:
        """Return the record of the current game as a line of JSON; see `OwnSession.line`."""
        return records.dumps(self.record(**{STARTED: started}))

    def scene(self, lang: Language, advice: Iterable[ShownAdvice] = (), last: int = 8) -> Scene:
        """Return the scene that the person sees.

        Args:
            lang: Language.
            advice: Advice to show.
            last: Number of recent moves to include as events.
        """
        names = self.names_in(lang)
        shown: dict[str, Any] = {"names": names, "lang": lang, "last": last, "scores": self.scores, "notes": self.notes(lang)}
        return scene(self.game, self.seat, advice=advice, **shown)

    def notes(self, lang: Language) -> list[str]:
        """Return a line for each agent with weights made for another payoff or other rules; none after the first deal shown."""
        self._noted = self._noted or self.dealt
        tr, seats = words(lang), zip(self.specs(), self._agents, strict=True)
        agents = {agent_words(spec, tr): agent for spec, agent in seats if spec}
        return [] if self.dealt > self._noted else list(weights_notes(agents, self.ruleset, len(self.names), tr))

    def lines_of(self, events: Iterable[Event], lang: Language) -> list[str]:
        """Return events of the current game in words, one line each. Events that need no text are left out."""
        tr, names = words(lang), self.names_in(lang)
        return [line for event in events if (line := event_text(self.ruleset, names, event, tr)) is not None]

    def names_in(self, lang: Language) -> list[str]:
        """Return the name of each seat in a language."""
        return table_words(self.specs(), words(lang), self.name)


def resumed(
    record: GameRecord, *, others: Mapping[int, str] | None = None, source: object = "the record", **options: Any
) -> TableSession:
    """Return a session that continues a record made by `TableSession.record`.

    Args:
        record: The game, at any point.
        others: Agents by seat that replace those in the record. They come from the user, so any agent is allowed.
        source: Name of the record in messages.
        **options: Further arguments of `TableSession`.

    Raises:
        ConfigError: The record does not name the players, or names an agent that is missing or would open a file.
    """
    seat, agents, seed = (record.extra.get(key) for key in ("seat", "agents", "seed"))
    number = record.game.num_players
    if type(seat) is not int or type(seed) is not int or not is_texts(agents) or len(agents) != number - 1:
        raise ConfigError("the record does not say who played: expected the keys seat, seed and agents of a game of big2 play")
    if not 0 <= seat < number:
        raise ConfigError(f"expected a seat from 0 to {number - 1}, got {seat}")
    given, seats = dict(others or {}), [(seat + place) % number for place in range(1, number)]
    if strange := [other for other in given if other not in seats]:
        raise ConfigError(
            f"--with: expected one of the seats {', '.join(map(str, sorted(seats)))}, as yours is {seat}; got {strange[0]}"
        )
    for other, name in zip(seats, agents, strict=True):
        if other not in given and not takes_from_record(name):
            raise ConfigError(
                f"{source}: expected an installed agent that opens no file at seat {other}, got {quoted(name)}; "
                f"name one with --with {other}=AGENT"
            )
    agents = [given.get(other, name) for other, name in zip(seats, agents, strict=True)]
    first = seed if record.extra.get("seed_counts") is True else None
    session = TableSession(record.game.ruleset, agents, seat=seat, seed=first, **options)
    session.start(record.game, seed, record.deck)
    session.undone, session.hints = count_at(record.extra, "undone"), count_at(record.extra, "hints")
    return session


def _can_choose(game: Game) -> bool:
    """Return True if the seat to move can do more than pass."""
    legal = game.legal_plays()
    return not legal.can_pass or bool(legal.calls) or next(legal.ruleset.table.plays(legal.hand, legal.top), None) is not None


class _Nobody:
    """Placeholder agent in the person's seat. It is never asked for a move."""

    def reset(self, seed: int) -> None:
        """Ignore the seed."""

    def act(self, view: View, legal: object) -> Play:
        """Raise an error, because agents do not move for a person."""
        raise AssertionError("the person is asked by the shell")
