"""The file of a person's game, written again after every act."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from secrets import token_hex

from big2_env.errors import ConfigError, system_text
from big2_env.notation import records
from big2_env.notation.records import GameRecord
from big2_env.play.saved import STARTED, file_name, games_folder, lines_of, now
from big2_env.play.sitting import Sitting
from big2_env.runs.atomic_files import folder_lock, replace_file


class OwnFile:
    """Writes a game's line after every act, so that a killed process loses nothing.

    A line that could not be written is written later, with the next one. Other lines of the file stay, also those that other
    processes write meanwhile.

    Args:
        path: the file to which games are appended; by default each deal gets a file of its own in the data folder.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._given = path
        self._deal: object = None
        self._started = ""
        self._lines: list[_Line] = []
        """The lines of deals that are not written yet, and that of the present one."""
        self.path = path
        """The file of the last deal; `None` before the first act where each deal has its own."""
        self.problem: str | None = None
        """Why the last save failed; `None` while all is well."""

    @property
    def has_begun(self) -> bool:
        """True if a deal was given to write."""
        return bool(self._lines)

    def has(self, deal: object) -> bool:
        """True if this is the deal that was given to write last."""
        return self.has_begun and (deal is self._deal or deal == self._deal)

    def go_on(self, path: Path, line: str, deal: object, started: str) -> None:
        """Resume a deal that a file has already: its line is replaced.

        Args:
            path: the file.
            line: the deal's line there.
            deal: which deal it is, as for `write`.
            started: when it was begun.
        """
        self.path, self._deal, self._started = path, deal, started
        self._lines.append(_Line(path, line))

    def write(self, game: str, deal: object, line: Callable[[str], str]) -> None:
        """Write a game as it stands. A failure is kept in `problem` and does not stop the game.

        Args:
            game: the game's name.
            deal: which deal it is: another one than the last gets another line.
            line: the record of the game for the time at which it was begun.
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

    def retry(self) -> None:
        """Write what is not written yet."""
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
    """A line of a file with games.

    Args:
        path: the file.
        there: what it is in the file now, if it is there.
    """

    def __init__(self, path: Path, there: str | None = None) -> None:
        self._path, self._there = path, there
        self.text = there
        """What the line should be."""

    @property
    def is_saved(self) -> bool:
        """True if the file has the line as it should be."""
        return self.text == self._there

    def save(self) -> None:
        """Write the line to the end of the file; what it was before goes.

        Raises:
            OSError: the file cannot be read or written.
            ConfigError: the file is too long, or no text.
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


class Keeper:
    """Writes a sitting's present game to a file after every act, so that a killed process loses nothing.

    Give it to a `Sitting` as `keep`. A deal in which the person has not acted yet is not written.

    Args:
        path: the file to which games are appended; by default each deal gets a file of its own in the data folder.
        record: the game in that file to resume, as `last_unfinished` found it: its line is replaced.
    """

    def __init__(self, path: Path | None = None, record: GameRecord | None = None) -> None:
        self._file = OwnFile(path if record is None else None)
        self._path, self._record = path, record
        self._line = "" if record is None else records.dumps(record)  # before the game goes on

    @property
    def path(self) -> Path | None:
        """The file that is written; `None` before the first act where each deal has its own."""
        return self._file.path or self._path

    @property
    def problem(self) -> str | None:
        """Why the last save failed; `None` while all is well."""
        return self._file.problem

    @property
    def has_written(self) -> bool:
        """True if the file has a game of this sitting."""
        return self._record is not None or self._file.has_begun

    def __call__(self, sitting: Sitting) -> None:
        """Write the sitting's game as it stands, and what could not be written before. A failure does not stop the game."""
        deal = sitting.dealt, sitting.seed
        if self._record is not None:
            self._resume(sitting, deal, self._record)
        if self._file.has(deal) or any(move.seat == sitting.seat for move in sitting.game.history):
            self._file.write(sitting.ruleset.name, deal, lambda started: records.dumps(sitting.record(**{STARTED: started})))
        else:
            self._file.retry()

    def _resume(self, sitting: Sitting, deal: tuple[int, int], record: GameRecord) -> None:
        """Replace the line of the record from now on, unless the person has left its game for another deal."""
        self._record = None
        if (sitting.seed, sitting.deck) == (record.extra.get("seed"), record.deck):
            assert self._path is not None
            self._file.go_on(self._path, self._line, deal, str(record.extra.get(STARTED, now())))
