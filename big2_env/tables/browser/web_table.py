"""A table of a climbing game: a person's session, with practice and named deals."""

from __future__ import annotations

from dataclasses import dataclass

from big2_env.base.language import Language
from big2_env.tables.browser.table import Table
from big2_env.tables.session import TableSession


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

    def next_deal(self, lang: Language) -> None:
        """Start the next deal; an unfinished game is abandoned. Practice does not count."""
        self.session.was_over |= self.is_practice
        self.is_practice, self.linked = False, None
        super().next_deal(lang)
