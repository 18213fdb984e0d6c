"""Tables in the browser: what all of them share, for one visitor or several people, with a climbing game or a side game.

Agents move in the same way at every table. `chosen` returns an agent's move and changes nothing, so it can run without the
table's lock. `push` makes the move, and the lobby stores it before the request is answered or a stream sends it. Tables differ
in two things:

| table of | who decides when an agent moves | an agent that fails or returns an illegal move |
| --- | --- | --- |
| one visitor | the page, by the request `advance` | is named in the refusal of that request, and nothing changes |
| several people | a timer, at the time that `due` returns | is logged, and the game's usual agent moves |
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, ClassVar, Final

from big2_env.agents.interface import is_named_here
from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, words
from big2_env.tables.browser.messages import Refused
from big2_env.tables.browser.reviews import TableReview
from big2_env.tables.session.reviewer import DEFAULT_REVIEWER
from big2_env.tables.session.saved import now
from big2_env.tables.session.session import ClimbingDeals

SHARED: Final = "shared"
"""Owner of all tables of several people in the store."""

log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class Table:
    """A table. It belongs to one visitor, unless a derived class differs.

    Only one task at a time may change it (`lock`). Requests that change it name the version they were made for.
    """

    is_shared: ClassVar[bool] = False
    """True for tables of several people."""
    key: str
    """Public name, part of the page's address."""
    owner: str
    """Owner in the store: the digest of the visitor's secret, or `SHARED`."""
    session: Any
    """The deals; `None` before the start of a table of several people."""
    version: int = 0
    """Number of changes so far."""
    edition: int = 0
    """Number of changes of what people see, since the table was read. Some leave requests for the version valid."""
    written: dict[tuple[int | None, int | None, Language], tuple[int, str]] = field(default_factory=dict)
    """Edition and text of the game, by a person's seat and the seat whose hand the person sees."""
    deal: int = 0
    """Number of deals before the current one."""
    started: str = field(default_factory=now)
    """Start of the current deal, in the format of records."""
    reviewer: str = DEFAULT_REVIEWER
    """Name of the judge of finished games."""
    reviews: dict[int | None, TableReview] = field(default_factory=dict)
    """Reviews of a deal that is over, by seat of the reader; `None` for spectators."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held during changes of the table."""
    guard: Lock = field(default_factory=Lock)
    """Held while the game is read or changed, because answers are made in other threads."""
    users: int = 0
    """Number of requests being answered."""
    used: float = field(default_factory=time.monotonic)
    """Time of the last request."""

    @property
    def owners(self) -> list[str]:
        """Digests of the secrets of all people at the table, spectators included."""
        return [self.owner]

    @property
    def members(self) -> list[str] | None:
        """Digests of the secrets of the people who hear of every change; `None` at a table of one visitor, whose page asks."""
        return self.owners if self.is_shared else None

    @property
    def is_kept(self) -> bool:
        """True if the current game belongs among the visitor's own: the person has moved in it."""
        return bool(self.session.has_choices) and self.session.last_move_of(self.session.seat) is not None

    def due(self) -> tuple[float, Callable[[], object] | None] | None:
        """Return when the table changes without a request, and the change; `None` instead of the change for an agent's move.

        A page asks for the moves of agents at a table of one visitor, at the pace that the visitor has chosen.
        """
        return None

    def moment(self) -> object:
        """Return what a clock needs to know before a change; see `ticked`."""

    def ticked(self, before: object) -> None:
        """Set the clock after a change.

        Args:
            before: Value of `moment` before it.
        """

    def stored(self) -> dict[str, Any]:
        """Return what the text of a table of this kind has besides `table_store.table_text`."""
        return {"score": self.session.scores[self.session.seat] if self.session.has_choices else 0.0}

    @property
    def is_climbing(self) -> bool:
        """True at a table of a climbing game that has begun."""
        return isinstance(self.session, ClimbingDeals)

    def seat_of(self, owner: str) -> int | None:
        """Return a person's seat; `None` for a spectator.

        Args:
            owner: Digest of the person's secret.
        """
        seat: int = self.session.seat
        return seat

    def viewer_of(self, owner: str) -> int | None:
        """Return the seat whose hand a person sees; `None` for no seat.

        Args:
            owner: Digest of the person's secret.
        """
        return self.seat_of(owner)

    def waits_for(self, seat: int | None) -> bool:
        """Return whether the game waits for the decision of the person in a seat.

        Args:
            seat: The person's seat; `None` for a spectator.
        """
        return bool(self.session.has_choices and self.session.is_asked)

    def can_undo(self, seat: int | None) -> bool:
        """Return whether the person in a seat can take back a move.

        Args:
            seat: The person's seat; `None` for a spectator.
        """
        return bool(self.session.can_undo)

    def shown(self, lang: Language) -> dict[str, Any]:
        """Return further arguments of the scene that people see.

        Args:
            lang: Language of the texts.
        """
        return {}

    def first_notes(self, make: Callable[[], list[str]]) -> list[str]:
        """Return notes about the agents in the first deal; none if an agent fails, which is logged."""
        try:
            return [] if self.deal else make()
        except (ConfigError, ImportError) as error:
            log.warning("table %s: %s", self.key, error)
            return []

    def about(self, lang: Language) -> dict[str, Any]:
        """Return what people see of this kind of table only, as JSON values.

        Args:
            lang: Language of the texts.
        """
        return {}

    def names_for(self, owner: str, lang: Language) -> list[str]:
        """Return the name of each seat, as a person sees it.

        Args:
            owner: Digest of the person's secret.
            lang: Language of agents' names, and of the word for the person.
        """
        found: list[str] = self.session.names_in(lang)
        return found

    def players(self) -> list[str | None]:
        """Return the name of the agent in each seat, `None` for people."""
        found: list[str | None] = self.session.specs()
        return found

    def place_of(self, owner: str, lang: Language, *, is_climbing: bool, moves: bool = True) -> int:
        """Return the seat of a person who has cards.

        Args:
            owner: Digest of the person's secret.
            lang: Language of errors.
            is_climbing: True for a question about a climbing game.
            moves: True if the person wants to move.

        Raises:
            Refused: The game is of another kind (404), the person has no seat or cards, or it is not the person's turn (409).
        """
        seat = self.own_seat(owner, lang)
        if self.session is None or (moves and self.session.is_over):
            raise Refused(409, "not_playing", words(lang)("web.error_not_playing"))
        if is_climbing != self.is_climbing:
            raise Refused(404, "http", "Not Found")
        if moves and self.session.turn != seat:
            name = self.names_for("", lang)[self.session.turn]
            raise Refused(409, "not_your_turn", words(lang)("web.error_turn", name=name))
        return seat

    def own_seat(self, owner: str, lang: Language) -> int:
        """Return a person's seat.

        Raises:
            Refused: The person is a spectator (409).
        """
        seat = self.seat_of(owner)
        if seat is None:
            raise Refused(409, "no_seat", words(lang)("web.error_no_seat"))
        return seat

    def expect_host(self, owner: str, lang: Language) -> None:
        """Refuse a request of a person who is not the host. A table of one visitor is the visitor's.

        Raises:
            Refused: The person is not the host (403).
        """

    def moved_on(self) -> None:
        """Note that a person has made a move."""
        self.decided()

    def decided(self) -> None:
        """Note that the game has changed: a decision was made, or taken back."""
        self.reviews.clear()
        self.changed()

    def changed(self) -> None:
        """Note a change after which requests for earlier versions are refused."""
        self.version += 1
        self.edition += 1

    def record(self) -> str:
        """Return the record of the current deal as a line of JSON. It contains every card."""
        with self.guard:
            line: str = self.session.line(self.started)
            return line

    def expect(self, version: int, lang: Language) -> None:
        """Refuse a request that was made for another version of the table.

        Args:
            version: Version for which the request was made.
            lang: Language of errors.

        Raises:
            Refused: The versions differ (409).
        """
        if version != self.version:
            raise Refused(409, "stale", words(lang)("web.error_stale"))

    def expect_over(self, lang: Language) -> Any:
        """Return the session after the end of a deal.

        Raises:
            Refused: No deal is over (409).
        """
        if self.session is None or not self.session.is_over:
            raise Refused(409, "not_over", words(lang)("web.error_not_over"))
        return self.session

    # Moves of agents -------------------------------------------------------------------------------------------------

    def chosen(self) -> Any:
        """Return the next move that no person makes; `None` if there is none now. Takes as long as an agent thinks.

        Raises:
            ConfigError: The agent fails or returns an illegal move.
        """
        return self.session.chosen() if self.session.has_choices else None

    def push(self, move: Any) -> None:
        """Make a move that `chosen` returned."""
        with self.guard:
            self.session.push(move)
            self.decided()

    def advance(self, lang: Language) -> None:
        """Make one move of an opponent.

        Raises:
            Refused: It is the person's turn, the game is over, or the agent failed (409).
        """
        try:
            move = self.chosen()
        except ConfigError as error:
            spec, reason = self.players()[self.session.turn], str(error)
            if spec is not None and is_named_here(spec):  # the reason may name its file
                log.warning("agent %s: %s", spec, error)
                reason = spec
            raise Refused(409, "agent_failed", words(lang)("web.error_agent", reason=reason)) from error
        if move is None:
            raise Refused(409, "not_waiting", words(lang)("web.error_not_waiting"))
        self.push(move)

    # Undo and deals --------------------------------------------------------------------------------------------------

    def undo(self, owner: str, lang: Language) -> None:
        """Take back a person's last decision.

        Args:
            owner: Digest of the person's secret.
            lang: Language of errors.

        Raises:
            Refused: The person has made no decision yet (409).
        """
        with self.guard:
            if not self.session.can_undo:
                raise Refused(409, "nothing_to_undo", words(lang)("web.error_undo"))
            self.session.undo()
            self.decided()

    def next_deal(self, lang: Language) -> None:
        """Start the next deal; an unfinished game is abandoned.

        Args:
            lang: Language of errors.
        """
        with self.guard:
            self.session.next_deal()
            self.deal += 1
            self.dealt()

    def dealt(self) -> None:
        """Note that a deal begins."""
        self.started = now()
        self.decided()
