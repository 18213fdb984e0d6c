"""A game of one person in a file of its own: how the games that are no climbing games are kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from secrets import token_hex

from big2_env.errors import ConfigError
from big2_env.play.saved import file_name, games_folder, lines_of, now
from big2_env.runs.replacing import replacing


class OwnFile:
    """Writes a game's line after every act, so that a killed process loses nothing. Each deal gets a file of its own.

    Args:
        game: the game's name.
    """

    def __init__(self, game: str) -> None:
        self._game = game
        self._deal: object = None
        self._started = ""
        self._others = ""
        self.path: Path | None = None
        """The file of the last deal; `None` before the first act."""
        self.problem: str | None = None
        """Why nothing is written any more; `None` while all is well."""

    def go_on(self, path: Path, line: str, deal: object, started: str) -> None:
        """Write on in a file that has a deal already: its line is replaced, and the file's other lines stay.

        Args:
            path: the file.
            line: the deal's line there.
            deal: which deal it is, as for `write`.
            started: when it was begun.

        Raises:
            OSError, ConfigError: the file cannot be read.
        """
        self.path, self._deal, self._started = path, deal, started
        self._others = "".join(f"{one}\n" for one in lines_of(path) if one != line)

    def write(self, deal: object, line: Callable[[str], str]) -> None:
        """Write a game as it stands. A failure is kept in `problem` and stops the writing, not the game.

        Args:
            deal: which deal it is: another one than the last gets another file.
            line: the record of the game for the time at which it was begun.
        """
        if self.problem is not None:
            return
        try:
            if self.path is None or (deal is not self._deal and deal != self._deal):
                self._deal, self._started, self._others = deal, now(), ""
                folder = games_folder()
                folder.mkdir(parents=True, exist_ok=True)
                self.path = folder / file_name(self._started, self._game, token_hex(2))
            with replacing(self.path) as new:
                new.write_text(f"{self._others}{line(self._started)}\n", encoding="utf-8")
        except OSError as error:
            self.problem = f"{error.filename}: {error.strerror}"
        except ConfigError as error:
            self.problem = str(error)

    def has(self, deal: object) -> bool:
        """True if a deal is written already."""
        return self.path is not None and (deal is self._deal or deal == self._deal)
