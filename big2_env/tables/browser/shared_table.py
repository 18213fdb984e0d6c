"""A table of several people: seats, invitation, spectators, host, clock and consent, with the game."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, words
from big2_env.tables.browser.messages import Refused, bad, same, unknown
from big2_env.tables.browser.shared_places import (
    MAX_NAME,
    MAX_SPECTATORS,
    Presence,
    Question,
    RateLimit,
    SharedSeat,
    checked_name,
    printable,
    seen_name,
)
from big2_env.tables.browser.shared_sights import SpectatorVisibility
from big2_env.tables.browser.table import SHARED, Table
from big2_env.tables.session.session import STARTED
from big2_env.tables.session.shared_session import SharedClimbing, SharedGame, SharedSide
from big2_env.text.names import numbered, table_words

QUESTION: Final = 30.0
"""Seconds in which the others may answer a question."""

log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class SharedTable(Table):
    """A table of several people."""

    is_shared = True
    owner: str = SHARED
    kind: SharedGame
    """The game."""
    places: list[SharedSeat]
    """The seats."""
    host: int = 0
    """Seat of the host."""
    seconds: int = 0
    """Seconds of the clock, 0 for no clock."""
    session: SharedClimbing | SharedSide | None = None
    spectators: dict[str, str] = field(default_factory=dict)
    """Names of people without a seat, by the digest of their secret."""
    invite: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    """Invitation: its link seats people while a seat is free, and lets others watch."""
    sights: SpectatorVisibility = field(default_factory=SpectatorVisibility)
    """Whose hands spectators see."""
    question: Question | None = None
    """Request to take back a move."""
    asked: set[int] = field(default_factory=set)
    """Seats that have asked to take back a move since the last move."""
    is_expired: bool = False
    """True if the clock of the seat to move has run out: an agent makes this move, even if the person comes back."""
    often: RateLimit = field(default_factory=RateLimit)
    """Joins of spectators, and each person's new names and wishes lately."""
    moved: float = 0.0
    """Time of the last move or the last change of the seat to move."""
    is_here: Presence = lambda owner: False
    """Presence of people, by the digest of their secret."""

    @property
    def mark(self) -> tuple[object, ...]:
        """Values that change when a new decision begins."""
        return self.deal, None if self.session is None else len(self.session.game.history), self.is_agents_turn

    # Who is here -----------------------------------------------------------------------------------------------------

    @property
    def phase(self) -> str:
        """`open`, `playing` or `over`."""
        return "open" if self.session is None else "over" if self.session.is_over else "playing"

    @property
    def owners(self) -> list[str]:
        """Digests of the secrets of all people at the table, spectators included."""
        return [place.owner for place in self.places if place.owner is not None] + list(self.spectators)

    @property
    def is_kept(self) -> bool:
        """False, because the game is not one visitor's own."""
        return False

    def moment(self) -> tuple[tuple[object, ...], Question | None]:
        """Return the decision and the question before a change; see `Table.moment`."""
        return self.mark, self.question

    def ticked(self, before: Any) -> None:
        """Set the clock for a new decision, or continue it after a question; see `Table.ticked`."""
        mark, question = before
        if self.mark != mark:
            self.moved = time.monotonic()
        elif question is not None and self.question is None:
            self.moved += time.monotonic() - question.since

    def stored(self) -> dict[str, Any]:
        """Return the game, the places with their people, the clock and an open question."""
        question = self.question
        return {
            "game": self.kind.name,
            STARTED: self.started,
            "host": self.host,
            "clock": self.seconds,
            "places": [asdict(place) for place in self.places],
            "spectators": self.spectators,
            "invite": self.invite,
            "seen": self.sights.seen,
            "question": None if question is None else {"by": question.by, "waiting": question.waiting},
            "asked": sorted(self.asked),
        }

    def seat_of(self, owner: str) -> int | None:
        """Return a person's seat; `None` for a spectator.

        Args:
            owner: Digest of the person's secret.
        """
        return next((seat for seat, place in enumerate(self.places) if place.owner == owner), None)

    def viewer_of(self, owner: str) -> int | None:
        """Return the seat whose hand a person sees: the own one, or for a spectator one that is shown; `None` for no seat."""
        seat = self.seat_of(owner)
        return self.sights.seat_of(owner) if seat is None else seat

    def waits_for(self, seat: int | None) -> bool:
        """Return whether the game waits for the decision of the person in a seat; see `Table.waits_for`."""
        return seat is not None and self.turn is self.places[seat]

    def can_undo(self, seat: int | None) -> bool:
        """Return whether the person in a seat can ask to take back a move; see `Table.can_undo`."""
        if seat is None or self.turn is None or self.question is not None or seat in self.asked:
            return False
        return self.session is not None and self.session.last_move_of(seat) is not None

    def shown(self, lang: Language) -> dict[str, Any]:
        """Return notes about the agents of a climbing game, in the first deal."""
        session = self.session
        if not isinstance(session, SharedClimbing):
            return {}
        return {"notes": self.first_notes(lambda: session.notes(filter(None, self.players()), lang))}

    def about(self, lang: Language) -> dict[str, Any]:
        """Return the name of the game."""
        return {"title": self.kind.title(lang), "game": self.kind.name}

    def names(self, lang: Language | None = None) -> list[str]:
        """Return the name of each seat: the person's, or the agent's with a number if several seats have the same.

        Args:
            lang: Language of agents' names; `None` for names in records.
        """
        specs = self.players()
        called = numbered(specs) if lang is None else table_words(specs, words(lang))
        people = [printable(place.name) if lang is None else place.name for place in self.places]
        return [each if spec else own for spec, each, own in zip(specs, called, people, strict=True)]

    def names_for(self, owner: str, lang: Language) -> list[str]:
        """Return the name of each seat, as a person sees it; see `Table.names_for`."""
        seat, names = self.seat_of(owner), self.names(lang)
        if seat is not None:
            names[seat] = words(lang)("table.you")
        return names

    def players(self) -> list[str | None]:
        """Return the name of the agent in each seat, `None` for people."""
        return [place.agent if place.owner is None else None for place in self.places]

    def expect_host(self, owner: str, lang: Language) -> None:
        """Refuse a request of a person who is not the host; see `Table.expect_host`."""
        if self.seat_of(owner) != self.host:
            raise Refused(403, "not_host", words(lang)("web.error_not_host"))

    def place_at(self, seat: int) -> SharedSeat:
        """Return a seat.

        Raises:
            Refused: The seat does not exist (400).
        """
        if seat >= len(self.places):
            raise bad(f"seat: expected a number below {len(self.places)}, got {seat}")
        return self.places[seat]

    def free_seat(self, owner: str, invite: str, lang: Language) -> int | None:
        """Return the free seat that a person would get: the one that the person has left, or the first; `None` for none.

        A person who has seen a hand of the current deal gets no other seat before its end.

        Args:
            owner: Digest of the person's secret.
            invite: The invitation.
            lang: Language of errors.

        Raises:
            Refused: The invitation is not valid (404).
        """
        if not same(invite, self.invite):
            raise unknown(lang)
        free = [seat for seat, place in enumerate(self.places) if place.kind == "free"]
        if self.phase == "playing":
            free = [seat for seat in free if self.sights.may_sit(owner, seat)]
        return min(free, key=lambda seat: self.places[seat].former != owner, default=None)

    def join(self, owner: str, invite: str, name: str, lang: Language) -> None:
        """Let a person take a free seat, or watch if there is none. A person who has a seat keeps it.

        Args:
            owner: Digest of the person's secret.
            invite: The invitation.
            name: The person's name.
            lang: Language of errors.

        Raises:
            Refused: The name or the invitation is not valid, or there are too many spectators.
        """
        if self.seat_of(owner) is not None:
            return
        seat = self.free_seat(owner, invite, lang)  # first, because others learn nothing about the table
        if seat is None and owner in self.spectators:
            return
        name = self._free_name(checked_name(name, lang), owner)
        if seat is None:
            if len(self.spectators) >= MAX_SPECTATORS:
                raise Refused(409, "full", words(lang)("web.error_spectators", most=MAX_SPECTATORS))
            self.often.count("", lang)
            self.spectators[owner] = name
            self.edition += 1  # what people have begun stays valid
        else:
            self._forget_spectator(owner)
            self.places[seat] = SharedSeat(self.places[seat].agent, owner, name)
            if self.places[self.host].owner is None:  # all others have left
                self.host = seat
            self.changed()

    def _forget_spectator(self, owner: str) -> None:
        self.spectators.pop(owner, None)
        self.sights.of.pop(owner, None)

    def rename(self, owner: str, name: str, lang: Language) -> None:
        """Change a person's name. Requests made before the change stay valid.

        Args:
            owner: Digest of the person's secret.
            name: New name.
            lang: Language of errors.

        Raises:
            Refused: The name is not valid (400), or the person changes it too often (429).
        """
        name, seat = self._free_name(checked_name(name, lang), owner), self.seat_of(owner)
        self.often.count(owner, lang)
        if seat is None:
            self.spectators[owner] = name
        else:
            self.places[seat].name = name
        self.edition += 1

    def _free_name(self, name: str, owner: str) -> str:
        """Return a name, with a number if another person at the table has it."""
        taken = {seen_name(place.name) for place in self.places if place.owner not in (None, owner)}
        taken |= {seen_name(other) for each, other in self.spectators.items() if each != owner}
        number, found = 1, name
        while seen_name(found) in taken:
            number += 1
            found = f"{name[: MAX_NAME - 3]} {number}"
        return found

    def leave(self, owner: str) -> None:
        """Let a person go. The seat is free again; during a deal an agent plays until a person takes it.

        Args:
            owner: Digest of the person's secret.
        """
        seat = self.seat_of(owner)
        if seat is None:
            self._forget_spectator(owner)
            self.edition += 1
        else:
            self._vacate(seat, is_free=True)
            if seat == self.host:
                self.pass_host()
            self.changed()

    def _vacate(self, seat: int, *, is_free: bool, agent: str | None = None) -> None:
        place = self.places[seat]
        if place.owner is not None and agent is None and self.session is not None:
            agent = self.kind.stand_in(len(self.places))
        self.places[seat] = SharedSeat(agent or place.agent, None, place.name, is_free, former=place.owner or place.former)
        self.sights.vacated(seat, place.owner, self.phase == "playing")
        if self.question is not None and seat == self.question.by:
            self.question = None
        elif self.question is not None and seat in self.question.waiting:
            self.question.waiting.remove(seat)
            self._settle_question()

    def pass_host(self) -> bool:
        """Make the next person by seat the host, one who is connected if possible, and return whether there is one."""
        order = [(self.host + step) % len(self.places) for step in range(1, len(self.places))]
        people = [(seat, owner) for seat in order if (owner := self.places[seat].owner) is not None]
        present = [seat for seat, owner in people if self.is_here(owner)]
        if not people or (self.places[self.host].owner is not None and not present):
            return False
        self.host = present[0] if present else people[0][0]
        self.changed()
        return True

    # The host ------------------------------------------------------------------------------------------------------------

    def set_seat(self, seat: int, kind: str, agent: str | None, lang: Language) -> None:
        """Free a seat for a person, or give it to an agent.

        Args:
            seat: The seat.
            kind: `free` or `agent`.
            agent: Name of the agent; `None` for the seat's previous one.
            lang: Language of errors.

        Raises:
            Refused: The values are not valid (400), or the seat is the host's (409). During a deal a person who is here keeps
                the seat, and agents are not exchanged (409).
        """
        place = self.place_at(seat)
        if kind not in ("free", "agent"):
            raise bad(f"kind: expected free or agent, got {kind!r}")
        if agent is not None:
            try:
                self.kind.check(len(self.places), [agent])
            except ConfigError as error:
                raise bad(str(error)) from None
        if seat == self.host:
            raise Refused(409, "own_seat", words(lang)("web.error_own_seat"))
        if self.phase == "playing" and place.owner is None and (kind == "agent" or agent is not None):
            raise Refused(409, "started", words(lang)("web.error_started"))
        if self.phase == "playing" and place.owner is not None and self.is_here(place.owner):
            raise Refused(409, "present", words(lang)("web.error_present", name=place.name))
        self._vacate(seat, is_free=kind == "free", agent=agent)
        self.changed()

    def renew(self) -> None:
        """Replace the invitation by a new one. The spectators have to leave."""
        self.invite = secrets.token_urlsafe(16)
        self.spectators.clear()
        self.sights.of.clear()
        self.changed()

    # Hands that spectators see --------------------------------------------------------------------------------------------

    def ask_sight(self, owner: str, seat: int | None, lang: Language) -> bool:
        """Let a spectator ask to see a hand, and return whether this is new. Requests of others stay valid.

        Args:
            owner: Digest of the spectator's secret.
            seat: Seat of the hand; `None` to see none.
            lang: Language of errors.

        Raises:
            Refused: The person has a seat, or the hand may not be asked for now (409), or the person asks too often (429).
        """
        if self.seat_of(owner) is not None:
            raise Refused(409, "own_seat", words(lang)("web.error_no_sight"))
        self.often.count(owner, lang)
        is_new = self.sights.ask(owner, seat, self.places, self.phase == "playing", lang)
        self.edition += is_new
        return is_new

    def show(self, owner: str, number: int, allows: bool, lang: Language) -> bool:
        """Show a person's hand to a spectator who has asked, or hide it, and return whether this is new.

        Args:
            owner: Digest of the person's secret.
            number: Number of the spectator's wish.
            allows: False to hide the hand.
            lang: Language of errors.

        Raises:
            Refused: The number names no wish (409).
        """
        is_new = self.sights.decide(self.own_seat(owner, lang), number, allows, self.phase == "playing", lang)
        self.edition += is_new
        return is_new

    def start(self, lang: Language) -> None:
        """Deal the first game. Agents play in the free seats.

        Raises:
            Refused: The game has begun (409).
        """
        if self.session is not None:
            raise Refused(409, "started", words(lang)("web.error_started"))
        self.session = self.kind.sit(len(self.places))
        self.dealt()

    def next_deal(self, lang: Language) -> None:
        """Start the next deal. Agents play in the free seats.

        Raises:
            Refused: The current deal is not over (409).
        """
        self.expect_over(lang)
        super().next_deal(lang)

    def dealt(self) -> None:
        """Note that a deal begins, in which no agent plays for a person."""
        for place in self.places:
            place.stand_in, place.name = False, "" if place.owner is None else place.name
        self.sights.dealt()
        super().dealt()

    # The game ------------------------------------------------------------------------------------------------------------

    @property
    def turn(self) -> SharedSeat | None:
        """The seat to move; `None` if no deal is being played."""
        return None if self.session is None or self.session.is_over else self.places[self.session.turn]

    @property
    def is_agents_turn(self) -> bool:
        """True if an agent is to move, for itself or for a person."""
        turn = self.turn
        return turn is not None and (turn.owner is None or turn.stand_in or self.is_expired)

    def due(self) -> tuple[float, Callable[[], object] | None] | None:
        """Return when a question, the clock or an agent changes the table, and the change; see `Table.due`."""
        if self.turn is None:
            return None
        if self.question is not None:
            return self.question.since + QUESTION, self.drop_question
        if self.is_agents_turn:
            # The agent thinks now, and its move is shown later.
            return (self.moved, None) if self.seconds or any(map(self.is_here, self.owners)) else None
        return (self.moved + self.seconds, self.stand_in) if self.seconds else None

    def agent_to_move(self) -> str:
        """Return the name of the agent that is to move."""
        assert self.session is not None
        place = self.places[self.session.turn]
        return place.agent if place.owner is None else self.kind.stand_in(len(self.places))

    def chosen(self) -> Any:
        """Return the move of the agent to move; see `Table.chosen`. The usual agent of the game moves for one that fails."""
        session, name = self.session, self.agent_to_move()
        assert session is not None
        try:
            return session.chosen(name, self.guard)
        except Exception as error:  # of an agent's own code, too
            log.warning("table %s: %s: %s", self.key, name, error)
        return session.chosen(self.kind.usual_agent(), self.guard)

    def moved_on(self) -> None:
        """Note that a person has made a move, which ends an agent's play for the person."""
        assert self.session is not None
        self.places[self.session.game.history[-1].seat].stand_in = False
        self.decided()

    def decided(self) -> None:
        """Begin the next decision, which ends a question."""
        self.question, self.is_expired = None, False
        self.asked.clear()
        super().decided()

    def back(self, owner: str) -> bool:
        """End an agent's play for a person who is back, and return whether one played. A move that is due stays the agent's.

        Args:
            owner: Digest of the person's secret.
        """
        seat = self.seat_of(owner)
        if seat is None or not self.places[seat].stand_in:
            return False
        self.places[seat].stand_in = False
        self.changed()
        return True

    def stand_in(self) -> None:
        """Let an agent play for the person to move from now on."""
        turn = self.turn
        assert turn is not None
        turn.stand_in = self.is_expired = True
        self.changed()

    # Taking back -----------------------------------------------------------------------------------------------------

    def undo(self, owner: str, lang: Language) -> None:
        """Ask the others who are connected whether a person's last move may be taken back. Without others it is.

        Args:
            owner: Digest of the person's secret.
            lang: Language of errors.

        Raises:
            Refused: No deal is being played, another question is open, the person has asked since the last move, or has made
                no move (409).
        """
        seat = self.own_seat(owner, lang)
        if self.session is None or self.session.is_over:
            raise Refused(409, "not_playing", words(lang)("web.error_not_playing"))
        if self.question is not None:
            raise Refused(409, "asked", words(lang)("web.error_question"))
        if seat in self.asked:
            raise Refused(409, "asked", words(lang)("web.error_asked"))
        if self.session.last_move_of(seat) is None:
            raise Refused(409, "nothing_to_undo", words(lang)("web.error_undo"))
        people = [(other, place.owner) for other, place in enumerate(self.places) if other != seat]
        waiting = [other for other, each in people if each is not None and self.is_here(each)]
        self.question = Question(seat, waiting, time.monotonic())
        self.asked.add(seat)
        self._settle_question()
        self.changed()

    def consent(self, owner: str, agrees: bool, lang: Language) -> None:
        """Answer the question whether a move may be taken back.

        Args:
            owner: Digest of the person's secret.
            agrees: False to refuse.
            lang: Language of errors.

        Raises:
            Refused: The person is not asked (409).
        """
        seat, question = self.own_seat(owner, lang), self.question
        if question is None or seat not in question.waiting:
            raise Refused(409, "not_asked", words(lang)("web.error_not_asked"))
        if agrees:
            question.waiting.remove(seat)
            self._settle_question()
        else:
            self.question = None
        self.changed()

    def excuse(self, owner: str) -> bool:
        """Stop waiting for the consent of a person who is away, and return whether it was awaited.

        Args:
            owner: Digest of the person's secret.
        """
        seat, question = self.seat_of(owner), self.question
        if question is None or seat not in question.waiting:
            return False
        question.waiting.remove(seat)
        self._settle_question()
        self.changed()
        return True

    def drop_question(self) -> None:
        """End a question that was not answered in time."""
        self.question = None
        self.changed()

    def _settle_question(self) -> None:
        """Take back the move if all have agreed."""
        question, session = self.question, self.session
        if question is None or question.waiting or session is None:
            return
        ply = session.last_move_of(question.by)
        if ply is not None:
            with self.guard:
                session.undo_to(ply)
            self.is_expired = False
            self.asked.clear()
        self.question = None

    def record(self) -> str:
        """Return the record of the current deal as a line of JSON. It contains every card."""
        assert self.session is not None
        with self.guard:
            return self.session.record(self.names(), **{STARTED: self.started})
