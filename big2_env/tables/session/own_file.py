"""Autosave for a person's game: the file is updated after every move."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from secrets import token_hex

from big2_env.base.errors import ConfigError, system_text
from big2_env.runs.atomic_files import folder_lock, replace_file
from big2_env.tables.session.saved import file_name, games_folder, lines_of, now
from big2_env.tables.session.session import OwnSession


class OwnFile:
    """Writer that updates the line of a game after every move, so that a killed process loses nothing.

    It is the `keep` of a session. A line that cannot be written is retried together with the next one. Other lines of the file
    are kept, including lines that other processes add meanwhile.

    Args:
        path: File to append games to; by default each deal gets its own file in the data folder.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._given = path
        self._deal: object = None
        self._started = ""
        self._lines: list[_Line] = []
        """Lines of deals not written yet, and the line of the current deal."""
        self.path = path
        """File of the last deal; `None` before the first move if each deal has its own file."""
        self.problem: str | None = None
        """Reason for the failure of the last save; `None` if it succeeded."""

    @property
    def has_begun(self) -> bool:
        """True if a deal was passed to `write` or `go_on`."""
        return bool(self._lines)

    def has(self, deal: object) -> bool:
        """Return True if this is the most recently written deal."""
        return self.has_begun and (deal is self._deal or deal == self._deal)

    def go_on(self, path: Path, line: str, deal: object, started: str) -> None:
        """Resume a deal that a file already contains; its line will be replaced.

        Args:
            path: The file.
            line: Current line of the deal in the file.
            deal: Identity of the deal, as for `write`.
            started: Start time of the deal.
        """
        self.path, self._deal, self._started = path, deal, started
        self._lines.append(_Line(path, line))

    def write(self, game: str, deal: object, line: Callable[[str], str]) -> None:
        """Write the current state of a game. A failure is stored in `problem` and does not stop the game.

        Args:
            game: Name of the game.
            deal: Identity of the deal; a different value starts a new line.
            line: Function from the start time to the record of the game.
        """
        if not self.has(deal):
            self._deal, self._started = deal, now()
            self.path = self._given or games_folder() / file_name(self._started, game, token_hex(2))
            self._lines.append(_Line(self.path))
        try:
            self._lines[-1].text = line(self._started)
        except ConfigError as error:
            self.problem = str(error)
        else:
            self.retry()

    def __call__(self, session: OwnSession) -> None:
        """Write a session's current game once the person has moved in it, and retry earlier failures."""
        if self.has(session.dealt) or session.last_move_of(session.seat) is not None:
            self.write(session.game_name, session.dealt, session.line)
        else:
            self.retry()

    def retry(self) -> None:
        """Write everything that is not written yet."""
        if all(line.is_saved for line in self._lines):
            return
        try:
            for line in self._lines:
                line.save()
        except OSError as error:
            self.problem = system_text(error)
        except ConfigError as error:
            self.problem = str(error)
        else:
            self._lines = self._lines[-1:]
            self.problem = None


class _Line:
    """One line of a file with games.

    Args:
        path: The file.
        there: Current text of the line in the file, if it is there.
    """

    def __init__(self, path: Path, there: str | None = None) -> None:
        self._path, self._there = path, there
        self.text = there
        """Text that the line should have."""

    @property
    def is_saved(self) -> bool:
        """True if the file contains the current text."""
        return self.text == self._there

    def save(self) -> None:
        """Append the line to the file and remove its previous version.

        Raises:
            OSError: The file cannot be read or written.
            ConfigError: The file is too long or is not text.
        """
        if self.text is None or self.is_saved:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with folder_lock(self._path.parent):
            lines = lines_of(self._path) if self._path.exists() else []
            if self._there in lines:
                lines.remove(self._there)
            with replace_file(self._path) as new:
                new.write_bytes("".join(f"{line}\n" for line in (*lines, self.text)).encode())
        self._there = self.text
