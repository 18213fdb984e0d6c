"""A table of a climbing game: a person's session, with practice and named deals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from big2_env.base.language import Language
from big2_env.tables.browser.table import Table
from big2_env.tables.session import TableSession
from big2_env.tables.session.watching import Watching


@dataclass(kw_only=True)
class WebTable(Table):
    """A table at which one visitor plays a climbing game."""

    session: TableSession
    is_practice: bool = False
    """True if the current deal began in the middle of a game that was over, so that the person may know hidden cards."""
    linked: str | None = None
    """Name of the current deal, if it has one (`play.deals`)."""

    def __post_init__(self) -> None:
        self.session.waits_for_compilation = False

    @property
    def is_kept(self) -> bool:
        """True if the person has moved in the current game. Practice is not kept."""
        return not self.is_practice and not isinstance(self.session, Watching) and super().is_kept

    def stored(self) -> dict[str, Any]:
        """Return the score, the watched seat, and whether the deal is practice or has a name."""
        found = super().stored()
        if isinstance(self.session, Watching):
            found["watch"] = self.session.watched
        if self.is_practice:
            found["practice"] = True
        if self.linked is not None:
            found["linked"] = self.linked
        return found

    def viewer_of(self, owner: str) -> int | None:
        """Return the seat whose hand a person sees; see `Table.viewer_of`."""
        session = self.session
        return session.seat if session.watched is None else session.watched

    def shown(self, lang: Language) -> dict[str, Any]:
        """Return notes about the agents, and whether all hands are shown."""
        return {"notes": self.session.notes(lang), "open_hands": self.session.watched is None}

    def about(self, lang: Language) -> dict[str, Any]:
        """Return the name of the deal, and whether it is practice or only watched."""
        found: dict[str, Any] = {}
        if self.linked is not None:
            found["linked"] = {"game": self.session.ruleset.name, "name": self.linked}
        if self.is_practice:
            found["practice"] = True
        if isinstance(self.session, Watching):
            found["watch"] = {"seat": self.session.watched}
        return found

    def next_deal(self, lang: Language) -> None:
        """Start the next deal; an unfinished game is abandoned. Practice does not count."""
        self.session.was_over |= self.is_practice
        self.is_practice, self.linked = False, None
        super().next_deal(lang)
