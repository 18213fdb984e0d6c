"""Review of a finished game as a page in a file next to the game's record."""

from __future__ import annotations

import time
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from big2_env.base.language import Language
from big2_env.drawing.replay_page import replay_page
from big2_env.drawing.replays import game_replay
from big2_env.notation.transcript import Transcript
from big2_env.runs.atomic_files import write_text
from big2_env.tables.session.reviewer import DEFAULT_REVIEWER, GameReview
from big2_env.tables.session.saved import games_folder
from big2_env.tables.session.table_session import TableSession

PAUSE: Final = 1.0
"""Seconds between two steps of a judge that waits."""


def review_path(session: TableSession) -> Path:
    """Return the file for the review of a session's current game: the name of the record with the seed."""
    record: Path = getattr(session.keep, "path", None) or games_folder() / session.ruleset.name
    return record.with_name(f"{record.stem}-{session.seed}.html")


class ReviewFile(GameReview):
    """Review page of a session's finished game. The page exists at once; the judge's values follow.

    Args:
        session: The person's session, with a game that is over.
        lang: Language of the page.
        reviewer: Name of the judge, see `session.reviewer`.
    """

    def __init__(self, session: TableSession, lang: Language, reviewer: str = DEFAULT_REVIEWER) -> None:
        super().__init__(session.game.copy(), session.seat, session.specs(), reviewer)
        self.path = review_path(session)
        """File of the page."""
        self._transcript = Transcript(self.game, tuple(session.names_in(lang)))
        self._replay = game_replay(self._transcript, session.seat, lang=lang)
        self._lang = lang

    @property
    def is_complete(self) -> bool:
        """True if the judge has nothing left to do."""
        return self.done >= self.of

    def write(self) -> None:
        """Write the page with the results so far.

        Raises:
            OSError: The file cannot be written.
        """
        shown = self._replay
        if self._reviewing is not None and self.done:
            shown = self._reviewing.judged(shown, self._transcript, self._lang)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_text(self.path, replay_page([shown]))

    def judge(self) -> Iterator[None]:
        """Judge the game, and write the page again whenever it is better, and at the end. Yields after each step.

        Raises:
            ConfigError: The game cannot be judged.
            OSError: The file cannot be written.
        """
        self._has_begun, edition = True, 0
        self._reviewing = self._begin()
        while self._reviewing is not None and not self.is_complete:
            self._reviewing.step()
            if self._reviewing.is_waiting:
                time.sleep(PAUSE)
            if self.edition > edition:
                edition = self.edition
                self.write()
            yield
        if self._reviewing is not None:
            self.write()


def open_page(path: Path) -> bool:
    """Open a page in the browser, unless the only one found would draw over the terminal. Return True if it was opened."""
    try:
        browser = webbrowser.get()
        return type(browser) is not webbrowser.GenericBrowser and browser.open(path.absolute().as_uri())
    except (webbrowser.Error, OSError):
        return False
