"""Hands that spectators of shared tables see: a spectator asks for one, and the person in the seat decides."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from big2_env.base.language import Language, words
from big2_env.tables.browser.messages import Refused, bad
from big2_env.tables.browser.shared_places import SharedSeat

MAX_SEEN: Final = 100
"""Most people who see, or have seen, a hand in one deal."""
MAX_REFUSED: Final = 100
"""Refusals in one deal after which no one may ask for a hand."""


@dataclass
class Sight:
    """A spectator's wish to see a hand."""

    seat: int
    """Seat of the hand."""
    is_allowed: bool = False
    """True once the person in the seat has allowed it."""
    number: int = field(default_factory=lambda: secrets.randbits(48))
    """Name of the wish, by which the person answers."""


@dataclass
class SpectatorVisibility:
    """All wishes at a table. Hands that were shown are stored with the table, wishes are not."""

    of: dict[str, Sight] = field(default_factory=dict)
    """Wish of each spectator, by the digest of the spectator's secret."""
    seen: dict[str, int] = field(default_factory=dict)
    """Seat of the hand that a person without a seat has seen in the current deal, by the digest of the person's secret."""
    refused: set[tuple[str, int]] = field(default_factory=set)
    """Persons and seats of wishes that were refused in the current deal."""

    def seat_of(self, owner: str) -> int | None:
        """Return the seat whose hand a spectator sees, `None` for no seat.

        Args:
            owner: Digest of the spectator's secret.
        """
        sight = self.of.get(owner)
        return sight.seat if sight is not None and sight.is_allowed else None

    def choices(self, owner: str, places: Sequence[SharedSeat], is_dealt: bool) -> list[int]:
        """Return the seats whose hands a spectator may ask to see now.

        Agents' hands are never shown: a spectator who knows one of the people could tell them about an opponent's cards.

        Args:
            owner: Digest of the spectator's secret.
            places: The seats.
            is_dealt: True while a deal is played.
        """
        if len(self.refused) >= MAX_REFUSED:
            return []
        return [
            seat
            for seat, place in enumerate(places)
            if place.kind == "person" and (owner, seat) not in self.refused and self._may_see(owner, seat, is_dealt)
        ]

    def _may_see(self, owner: str, seat: int, is_dealt: bool) -> bool:
        return not is_dealt or self.seen.get(owner, seat) == seat

    def _is_full(self, owner: str) -> bool:
        """Return whether too many others have seen a hand in the current deal."""
        return owner not in self.seen and len(self.seen) >= MAX_SEEN

    def may_sit(self, owner: str, seat: int) -> bool:
        """Return whether a person may take a seat during a deal: one who has seen no other hand.

        Args:
            owner: Digest of the person's secret.
            seat: The seat.
        """
        return self._may_see(owner, seat, is_dealt=True) and not self._is_full(owner)

    def ask(self, owner: str, seat: int | None, places: Sequence[SharedSeat], is_dealt: bool, lang: Language) -> bool:
        """Ask for a seat's hand instead of another one, and return whether this is new.

        Args:
            owner: Digest of the spectator's secret.
            seat: The seat; `None` for no seat.
            places: The seats.
            is_dealt: True while a deal is played.
            lang: Language of errors.

        Raises:
            Refused: The seat does not exist (400), or its hand may not be asked for now (409).
        """
        sight = self.of.get(owner)
        if (None if sight is None else sight.seat) == seat:
            return False
        if seat is None:
            del self.of[owner]
            return True
        if seat >= len(places):
            raise bad(f"seat: expected a number below {len(places)}, got {seat}")
        if not self._may_see(owner, seat, is_dealt):
            raise Refused(409, "one_hand", words(lang)("web.error_one_hand"))
        if seat not in self.choices(owner, places, is_dealt):
            raise Refused(409, "no_sight", words(lang)("web.error_no_sight"))
        self.of[owner] = Sight(seat)
        return True

    def decide(self, seat: int, number: int, allows: bool, is_dealt: bool, lang: Language) -> bool:
        """Answer a wish, or withdraw the answer, and return whether this is new.

        Args:
            seat: Seat of the person who answers.
            number: Number of the wish.
            allows: False to refuse or to hide the hand again.
            is_dealt: True while a deal is played.
            lang: Language of errors.

        Raises:
            Refused: The number names no wish, or too many people have seen a hand (409).
        """
        found = next(((owner, one) for owner, one in self.of.items() if one.seat == seat and one.number == number), None)
        if found is None:
            raise Refused(409, "not_asked", words(lang)("web.error_not_asked"))
        owner, sight = found
        if not allows:
            del self.of[owner]
            self.refused.add((owner, seat))
            return True
        if sight.is_allowed:
            return False
        if is_dealt and self._is_full(owner):
            raise Refused(409, "full", words(lang)("web.error_no_sight"))
        sight.is_allowed = True
        if is_dealt:
            self.seen[owner] = sight.seat
        return True

    def vacated(self, seat: int, owner: str | None, is_dealt: bool) -> None:
        """Hide a hand after its person has gone. The person, who knows it, may see no other one in this deal.

        Args:
            seat: The seat.
            owner: Digest of the person's secret, `None` if an agent had the seat.
            is_dealt: True while a deal is played.
        """
        self.of = {each: sight for each, sight in self.of.items() if sight.seat != seat}
        if owner is not None and is_dealt:
            self.seen[owner] = seat

    def dealt(self) -> None:
        """Note that a deal begins."""
        self.refused.clear()
        self.seen = {owner: sight.seat for owner, sight in self.of.items() if sight.is_allowed}
