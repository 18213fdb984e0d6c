"""Seats of a table of several people: people, agents, names and questions."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from big2_env.base.language import Language, words
from big2_env.tables.browser.messages import Refused

CLOCKS: Final = (0, 20, 60)
"""Seconds that a clock may give for a move; 0 for no clock."""
MAX_NAME: Final = 24
"""Most characters of a person's name."""
MAX_SPECTATORS: Final = 20
"""Most spectators of a table."""
MAX_OFTEN: Final = 30
"""Most requests of a person that others at a table notice, in that time."""
OFTEN: Final = 60.0
"""Seconds."""
BLANK: Final = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and symbols that are shown as nothing."""
JOINERS: Final = "\u200c\u200d\ufe0e\ufe0f"
"""Invisible characters that letters and pictures need."""

Presence: TypeAlias = Callable[[str], bool]
"""Function that returns True if a person is connected now."""


def checked_name(text: str, lang: Language) -> str:
    """Return a person's name without surrounding spaces.

    Args:
        text: Name that the person typed.
        lang: Language of errors.

    Raises:
        Refused: The name is empty, too long, or has characters that change how other text is shown (400).
    """
    name = unicodedata.normalize("NFC", text).strip()
    seen = [one for one in name if one not in JOINERS]
    own = {words(each)("table.you").casefold() for each in Language}
    if (
        not 0 < len(name) <= MAX_NAME
        or any((unicodedata.category(one)[0] in "CZ" and one != " ") or one in BLANK for one in seen)
        or all(one == " " or unicodedata.category(one)[0] == "M" for one in seen)
        or seen_name(name) in own
    ):
        raise Refused(400, "name", words(lang)("web.error_name", most=MAX_NAME))
    return name


def printable(name: str) -> str:
    """Return a person's name as records allow it: without invisible characters."""
    return "".join(one for one in name if one not in JOINERS).strip()


def seen_name(name: str) -> str:
    """Return what two names that look the same have in common: the name without invisible characters, in lower case."""
    return "".join(one for one in name if one not in JOINERS).casefold()


@dataclass
class SharedSeat:
    """One seat of a table."""

    agent: str
    """Name of the agent that plays if no person has the seat."""
    owner: str | None = None
    """Digest of the secret of the person who has the seat."""
    name: str = ""
    """Name of the person, or of the one who has left the seat in the current deal."""
    is_free: bool = False
    """True if a person may take the seat. In a deal the agent plays until then."""
    stand_in: bool = False
    """True while an agent plays for the person."""
    former: str | None = None
    """Digest of the secret of the person who has left the seat, and gets it back if it is still free."""

    @property
    def kind(self) -> str:
        """`person`, `free` or `agent`."""
        return "person" if self.owner is not None else "free" if self.is_free else "agent"


@dataclass
class Question:
    """A person's request to take back a move."""

    by: int
    """Seat of the person who asks."""
    waiting: list[int]
    """Seats that have not answered."""
    since: float
    """Time of the question."""


class RateLimit:
    """Limit for requests that others notice.

    Args:
        most: Most requests of one visitor in that time; `MAX_OFTEN` by default.
        seconds: The time.
    """

    def __init__(self, most: int | None = None, seconds: float = OFTEN) -> None:
        self._most, self._seconds = most or MAX_OFTEN, seconds
        self._times: dict[str, list[float]] = {}

    def count(self, who: str, lang: Language) -> None:
        """Count a request.

        Args:
            who: Digest of the secret of a person, or an address; empty for spectators who join.
            lang: Language of errors.

        Raises:
            Refused: There were too many such requests lately (429).
        """
        now = time.monotonic()
        recent = {each: [one for one in times if one > now - self._seconds] for each, times in self._times.items()}
        self._times = {each: times for each, times in recent.items() if times}
        if len(self._times.get(who, ())) >= self._most:
            raise Refused(429, "busy", words(lang)("web.error_busy"))
        self._times.setdefault(who, []).append(now)
