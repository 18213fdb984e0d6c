"""The tools of the server: their arguments, their descriptions and their answers, without any transport."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any, Final

from big2_env.agents.interface import available_agents
from big2_env.base.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError, one_line, quoted
from big2_env.base.language import Language, as_language
from big2_env.base.side_games import SideGameEntry, side_game, side_games
from big2_env.climbing.ruleset_data import unknown_ruleset
from big2_env.climbing.rulesets import available_rulesets, named
from big2_env.tables.browser.messages import Field, Refused, checked
from big2_env.tables.mcp.seats import ClimbingSeat, Seat, SideSeat
from big2_env.tables.session.side_session import SideSession
from big2_env.tables.session.table_session import DEFAULT_OPPONENT, TableSession
from big2_env.text.observation import page_lines
from big2_env.text.rules import rules_page
from big2_env.text.seating import seated

MAX_TABLES: Final = 16
"""Default of the maximum number of open tables."""
MAX_SEATS: Final = 14
"""Maximum number of players that a client may ask for."""
MAX_MOVE: Final = 4000
"""Maximum number of characters of a move with its reasoning."""
IDLE: Final = 3600.0
"""Seconds without a call after which a table ends."""
REMEMBERED: Final = 1000
"""Maximum number of ended tables that are remembered for messages."""


@dataclass(frozen=True)
class Settings:
    """Settings of a server.

    Args:
        agents: Agents that clients may name besides the installed ones, such as `search:50ms`.
        adviser: Agent that gives advice; None for the default of each game.
        advises: False to offer no advice.
        lang: Language of clients that choose none.
        seed: Seed of the first deal; each further deal adds one. None for random deals.
        most: Maximum number of open tables. Beyond it, the table unused for the longest time ends.
        clock: Returns the time in seconds.
    """

    agents: tuple[str, ...] = ()
    adviser: str | None = None
    advises: bool = True
    lang: Language = Language.EN
    seed: int | None = None
    most: int = MAX_TABLES
    clock: Callable[[], float] = time.monotonic


@dataclass(frozen=True)
class Answer:
    """Answer to a call of a tool.

    Args:
        text: Text for the client; one line if the call failed.
        state: The same with the state of the table, for programs; None for tools without a table and for errors.
        is_error: True if the call failed.
    """

    text: str
    state: Mapping[str, Any] | None = None
    is_error: bool = False


@dataclass(frozen=True)
class Argument:
    """An argument of a tool as clients see it.

    Args:
        field: Type and limits.
        description: Meaning.
        choices: The possible values, or entries of a list; empty for any.
    """

    field: Field
    description: str
    choices: Sequence[str] = ()


@dataclass(frozen=True)
class Tool:
    """A tool as clients see it.

    Args:
        title: Name of the tool for people.
        description: Purpose of the tool.
        fields: Arguments.
        reads: True if the tool changes nothing.
        has_state: True if answers contain the state of a table.
    """

    title: str
    description: str
    fields: Mapping[str, Argument]
    reads: bool = True
    has_state: bool = True


@dataclass
class _Open:
    """An open table."""

    seat: Seat[Any]
    used: float
    lock: Lock = field(default_factory=Lock)


class Tables:
    """The open tables of a server."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._open: dict[str, _Open] = {}
        self._ended: dict[str, str] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._open)

    def add(self, seat: Seat[Any]) -> str:
        """Open a table and return its name. Idle tables end, and the one unused for the longest time if there are too many."""
        with self._lock:
            self._end_idle()
            while len(self._open) >= self._settings.most:
                oldest = min(self._open, key=lambda name: self._open[name].used)
                self._end(oldest, f"more than {self._settings.most} tables were open")
            name = secrets.token_hex(4)
            self._open[name] = _Open(seat, self._settings.clock())
            return name

    def at(self, name: str) -> _Open:
        """Return an open table.

        Raises:
            ConfigError: The table has ended, or never existed.
        """
        with self._lock:
            self._end_idle()
            if name in self._open:
                self._open[name].used = self._settings.clock()
                return self._open[name]
            if name in self._ended:
                raise ConfigError(f"table {name} has ended, because {self._ended[name]}; new_game opens another")
        raise ConfigError(f"table: expected a name that new_game returned, got {quoted(name)}")

    def _end_idle(self) -> None:
        now = self._settings.clock()
        for name in [name for name, one in self._open.items() if now - one.used > IDLE]:
            self._end(name, f"it was not used for {IDLE / 60:.0f} minutes")

    def _end(self, name: str, reason: str) -> None:
        del self._open[name]
        self._ended[name] = reason
        while len(self._ended) > REMEMBERED:
            del self._ended[next(iter(self._ended))]


class Tools:
    """The tools of a server, called with data from outside.

    >>> tools = Tools(Settings(seed=7))
    >>> opened = tools.call("new_game", {"opponents": ["greedy"]})
    >>> print(opened.text.splitlines()[1])
    Big Two: you are seat 0 of seats 0 to 3
    >>> tools.call("play", {"table": opened.state["table"], "move": "I surrender"}).text
    "'I surrender': The answer states no move; expected cards of the hand (3H, 3♥ or H[3]) or pass."
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        """Settings of the server."""
        self.tables = Tables(settings)
        """The open tables."""
        self._deals = 0
        self._lock = Lock()
        self.tools = tools(settings)
        """The tools by name."""
        self._fields = {name: {key: one.field for key, one in tool.fields.items()} for name, tool in self.tools.items()}

    def call(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool. Invalid calls are answered with an error and change nothing."""
        try:
            if name not in self.tools:
                raise ConfigError(f"unknown tool {quoted(name)}; expected one of {', '.join(self.tools)}")
            asked = checked(arguments, self._fields[name])
            if name == "rules":
                return Answer(self.rules(asked["game"], asked["language"]))
            if name == "new_game":
                return self._new_game(asked)
            table = self.tables.at(asked["table"])
            with table.lock:
                return _answer(asked["table"], table.seat, _ACTS[name](table.seat, asked))
        except (Refused, ConfigError, IllegalPlayError, AmbiguousPlayError, NotationError, ImportError) as error:
            return Answer(one_line(str(error), 1000), is_error=True)

    def rules(self, name: str | None, language: str | None = None) -> str:
        """Return the rules of a game in words.

        Args:
            name: Name of the game; None for `big2`.
            language: Tag of the language; None for the server's.

        Raises:
            ConfigError: The game or the language does not exist.
        """
        lang, game = self._language(language), _game(name)
        page = game.usual().rules_page(lang) if isinstance(game, SideGameEntry) else rules_page(game, lang)
        return "\n".join(page_lines(page)).rstrip()

    def _new_game(self, asked: Mapping[str, Any]) -> Answer:
        game, lang, opponents = _game(asked["game"]), self._language(asked["language"]), asked["opponents"] or []
        seat: Seat[Any]
        with self._lock:  # a refused call uses up no deal
            seed = None if self.settings.seed is None else self.settings.seed + self._deals
            if isinstance(game, SideGameEntry):
                seat = SideSeat(_side_session(game, opponents, asked["players"], asked["seat"] or 0, seed), lang)
            else:
                allowed = [*available_agents(), *self.settings.agents]
                if wrong := [name for name in opponents if name not in allowed]:
                    raise ConfigError(f"opponents: expected names of {', '.join(allowed)}, got {quoted(wrong[0])}")
                others = seated(opponents or [DEFAULT_OPPONENT], game, asked["players"], person=True)
                adviser = self.settings.adviser
                seat = ClimbingSeat(TableSession(game, others, seat=asked["seat"] or 0, seed=seed, adviser=adviser), lang)
            self._deals += 1
        seat.advance()
        return _answer(self.tables.add(seat), seat, seat.view(to_move=True), is_new=True)

    def _language(self, tag: str | None) -> Language:
        return self.settings.lang if tag is None else as_language(tag)


def games() -> list[str]:
    """Return the names of the games."""
    return [*available_rulesets(), *(one.name for one in side_games())]


def _game(name: str | None) -> Any:
    """Return the ruleset or the side game with a name, never from a file or a module.

    Raises:
        ConfigError: The game does not exist.
    """
    name = name or "big2"
    found = side_game(name) or named(name)
    if found is None:
        raise ConfigError(f"game: {unknown_ruleset(name, available_rulesets(), [one.name for one in side_games()])}")
    return found


def _side_session(
    entry: SideGameEntry, opponents: list[str], players: int | None, seat: int, seed: int | None
) -> SideSession[Any]:
    """Return a session at a side game.

    Raises:
        ConfigError: The game does not allow these players.
    """
    kind = entry.kind()
    if len(set(opponents)) > 1 or any(":" in name for name in opponents):
        raise ConfigError(f"opponents: expected at most one name of a {entry.name} player, got {quoted(', '.join(opponents))}")
    session = SideSession(kind.usual, seat=seat, seed=seed, against=opponents[0] if opponents else None)
    if players not in (None, number := session.game.num_players):
        raise ConfigError(f"players: expected {number} in {entry.name}, got {players}")
    return session


def _answer(name: str, seat: Seat[Any], text: str, *, is_new: bool = False) -> Answer:
    """Return an answer about a table, for people and programs."""
    shown = f"table {name}\n{text}" if is_new else text
    return Answer(shown, {"table": name, **seat.state(), "text": shown})


def _play(seat: Seat[Any], asked: Mapping[str, Any]) -> str:
    try:
        seat.play(asked["move"])
    except ConfigError as error:
        raise ConfigError(f"{quoted(asked['move'], 40)}: {error}") from None
    return seat.view(to_move=True)


_ACTS: Final[Mapping[str, Callable[[Seat[Any], Mapping[str, Any]], str]]] = {
    "view": lambda seat, asked: seat.view(),
    "legal": lambda seat, asked: seat.legal(),
    "play": _play,
    "result": lambda seat, asked: seat.result(),
    "advise": lambda seat, asked: seat.advice(),
}
"""Tools at an open table."""


def tools(settings: Settings) -> dict[str, Tool]:
    """Return the tools of a server by name."""
    agents = [*available_agents(), *settings.agents]
    side = {one.name: list(one.kind().opponents()) for one in side_games() if one.players[1] > 1}
    side_players = [f"{name} has {', '.join(names)}." for name, names in side.items()]
    optional = partial(Field, required=False)
    game = Argument(optional(str, 60), "Name of the game. Default: big2.", games())
    tags = [one.value for one in Language]
    language = Argument(optional(str, 10), f"Language of the texts. Default: {settings.lang.value}.", tags)
    opponents = Argument(
        optional(list, MAX_SEATS),
        f"Agents from the seat after yours, repeated around the table. Default: {DEFAULT_OPPONENT}. {' '.join(side_players)}",
        list(dict.fromkeys([*agents, *(name for names in side.values() for name in names)])),
    )
    table = {"table": Argument(Field(str, 40), "Name of the table that new_game returned.")}
    move = Argument(Field(str, MAX_MOVE), "The move as legal lists it, such as '3H 3S', 'C[3]', 'pass' or 'bid 2'.")
    found = {
        "new_game": Tool(
            "New game",
            "Deal a card game and take one seat; agents play the other seats. Returns the name of the table, all that your "
            "seat knows, and your legal moves. A pass without an alternative is made for you.",
            {
                "game": game,
                "opponents": opponents,
                "players": Argument(optional(int, MAX_SEATS), "Number of players. Default: the game's usual number."),
                "seat": Argument(optional(int, MAX_SEATS - 1), "Your seat, from 0. Default: 0."),
                "language": language,
            },
            reads=False,
        ),
        "view": Tool(
            "View", "Return all that your seat knows: your hand, the play to beat, card counts and all moves so far.", table
        ),
        "legal": Tool("Legal moves", "Return your legal moves, at most 20 per pattern, in the notation of play.", table),
        "play": Tool(
            "Play",
            "Make your move, then let the agents move until it is your turn again. Returns the new view and your legal moves. "
            "A refused move changes nothing.",
            table | {"move": move},
            reads=False,
        ),
        "rules": Tool("Rules", "Return the rules of a game in words.", {"game": game, "language": language}, has_state=False),
        "result": Tool("Result", "Return who won and what each seat is paid, or who is to move.", table),
        "advise": Tool("Advice", "Return the best moves according to an agent that sees only what your seat sees.", table),
    }
    if not settings.advises:
        del found["advise"]
    return found
