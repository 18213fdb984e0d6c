"""New tables, on a server or in a page without one."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from big2_env.agents.interface import available_agents
from big2_env.base.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError
from big2_env.base.language import Language
from big2_env.base.side_games import SideGameEntry, side_entry
from big2_env.climbing.ruleset_data import unknown_ruleset
from big2_env.climbing.rulesets import available_rulesets, named
from big2_env.notation.transcript import game_at
from big2_env.tables.browser import deal_handlers, messages
from big2_env.tables.browser.messages import Field, bad
from big2_env.tables.browser.shared_places import CLOCKS, Presence, SharedSeat, checked_name
from big2_env.tables.browser.shared_table import SharedTable
from big2_env.tables.browser.side_table import SideTable
from big2_env.tables.browser.table import Table
from big2_env.tables.browser.table_store import record_of
from big2_env.tables.browser.web_table import WebTable
from big2_env.tables.session.reviewer import DEFAULT_REVIEWER
from big2_env.tables.session.shared_session import SharedGame
from big2_env.tables.session.side_session import SideSession
from big2_env.tables.session.table_session import TableSession, resumed
from big2_env.tables.session.watching import Watching


@dataclass(frozen=True)
class NewTables:
    """Maker of the tables of a server or of a page."""

    adviser: str | None = None
    """Agent that gives hints; `None` for the default of each game."""
    reviewer: str = DEFAULT_REVIEWER
    """Name of the judge of finished games."""
    is_here: Presence = lambda owner: False
    """Presence of people at tables of several."""

    def wanted(self, owner: str, asked: Mapping[str, Any], lang: Language) -> Table:
        """Return the table that a visitor has asked for.

        Args:
            owner: Digest of the visitor's secret.
            asked: Message, see `messages.CREATE`.
            lang: Language of errors.

        Raises:
            Refused: The game, an agent or the seat does not exist (400).
        """
        places = asked["opponents"], asked["seat"], asked["seed"]
        if (entry := side_entry(asked["game"])) is not None:
            return SideTable(key=secrets.token_urlsafe(12), owner=owner, session=new_side_session(entry, *places))
        return self._climbing(owner, new_session(asked["game"], *places, self.adviser, watches=asked["watch"] == 1))

    def deal(self, owner: str, asked: Mapping[str, Any], lang: Language) -> Table:
        """Return a table with a deal by name.

        Args:
            owner: Digest of the visitor's secret.
            asked: Message, see `messages.DEAL`.
            lang: Language of errors.

        Raises:
            Refused: The name is not valid (404).
        """
        deal = deal_handlers.deal_of(asked["game"], asked["name"], lang)
        return self._climbing(owner, deal.session(adviser=self.adviser), linked=deal.name)

    def practice(self, owner: str, asked: Mapping[str, Any], lang: Language) -> Table:
        """Return a table that continues a recorded game from one of its moves, with the same deal and new agents.

        Args:
            owner: Digest of the visitor's secret.
            asked: Message, with the `record` and `ply`, the number of moves that stay.
            lang: Language of errors.

        Raises:
            Refused: The record is not of a game at a table, or has fewer moves (400).
        """
        try:
            record = record_of(asked["record"])
            session = resumed(record, adviser=self.adviser)
        except (NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError, ImportError) as error:
            raise bad(f"record: {error}") from None
        moves, ply = len(record.game.history), asked["ply"]
        if named(session.ruleset.name) != session.ruleset or ply >= moves:
            raise bad(f"expected a game without house rules, and a ply below {moves}, got {ply}")
        session.start(game_at(record.game, ply), session.seed, record.deck)
        session.was_over = True
        return self._climbing(owner, session)

    def shared(self, owner: str, asked: Mapping[str, Any], lang: Language) -> Table:
        """Return a table of several people, at which the visitor hosts and the other seats are free.

        Args:
            owner: Digest of the visitor's secret.
            asked: Message, see `messages.CREATE_SHARED`.
            lang: Language of errors.

        Raises:
            Refused: A value is not valid (400).
        """
        name, seats, seconds = checked_name(asked["name"], lang), asked["seats"], asked["clock"]
        if seconds not in CLOCKS:
            raise bad(f"clock: expected {', '.join(map(str, CLOCKS))}, got {seconds}")
        try:
            kind = SharedGame(asked["game"])
            agent = asked["agent"] or kind.usual_agent()
            kind.check(seats, [agent])
        except (ConfigError, ImportError) as error:
            raise bad(str(error)) from None
        places = [SharedSeat(agent, owner, name), *(SharedSeat(agent, is_free=True) for _ in range(1, seats))]
        return SharedTable(key=secrets.token_urlsafe(12), kind=kind, places=places, seconds=seconds, is_here=self.is_here)

    def _climbing(self, owner: str, session: TableSession, **more: Any) -> WebTable:
        return WebTable(key=secrets.token_urlsafe(12), owner=owner, session=session, reviewer=self.reviewer, **more)


Maker: TypeAlias = Callable[[NewTables, str, Mapping[str, Any], Language], Table]
"""Function of the maker of tables, the visitor, the message and the language."""
NEW: Final[Mapping[str, tuple[Mapping[str, Field], Maker]]] = {
    "tables": (messages.CREATE, NewTables.wanted),
    "deals": (messages.DEAL, NewTables.deal),
    "practice": (messages.PRACTICE, NewTables.practice),
}
"""Requests for a new table of one visitor by path, with the keys of their messages."""


def new_session(
    game: str,
    opponents: list[str],
    seat: int | None,
    seed: int | None,
    adviser: str | None = None,
    *,
    watches: bool = False,
) -> TableSession:
    """Return a session from names that a page sent: installed games and agents only, never files or modules.

    Args:
        game: Name of the game.
        opponents: Names of agents, one per opponent, starting with the seat after the person's; one per seat if the person
            watches.
        seat: The person's seat, `None` for seat 0.
        seed: Seed of the first deal, `None` for a random one.
        adviser: Agent that gives hints; `None` for the default of the game.
        watches: True for a table without the person.

    Raises:
        Refused: A name does not exist, or the numbers do not match (400).
    """
    rules, agents = named(game), available_agents()
    if rules is None:
        raise bad(f"game: {unknown_ruleset(game, available_rulesets())}")
    if wrong := [name for name in opponents if name not in agents]:
        raise bad(f"opponents: expected names of {', '.join(agents)}, got {wrong[0]!r}")
    if not opponents:
        raise bad("opponents: expected at least one name, got none")
    try:
        if watches:
            return Watching(rules, opponents, seed=seed, adviser=adviser)
        return TableSession(rules, opponents, seat=seat or 0, seed=seed, adviser=adviser)
    except (ConfigError, ImportError) as error:
        raise bad(str(error)) from None


def new_side_session(entry: SideGameEntry, opponents: list[str], seat: int | None, seed: int | None) -> SideSession[Any]:
    """Return a session from names that a page sent: installed players only, never with an argument.

    Args:
        entry: The game.
        opponents: Name of one player, repeated for each other seat; ignored by games without decisions.
        seat: The person's seat, `None` for seat 0.
        seed: Seed of the first deal, `None` for a random one.

    Raises:
        Refused: A name does not exist, or the numbers do not match (400).
    """
    kind = entry.kind()
    number = len(opponents) + 1 if kind.has_choices else kind.seats[2]
    if kind.has_choices and (wrong := [name for name in opponents if name not in kind.opponents()]):
        raise bad(f"opponents: expected names of {', '.join(kind.opponents())}, got {wrong[0]!r}")
    if kind.has_choices and len(set(opponents)) > 1:
        raise bad("opponents: expected the same player in each seat")
    against = opponents[0] if kind.has_choices and opponents else None
    try:
        return SideSession(partial(kind.for_seats, number), seat=seat or 0, seed=seed, against=against)
    except ConfigError as error:
        raise bad(str(error)) from None
