"""A sitting's climbing games as records, written act by act."""

from __future__ import annotations

from pathlib import Path

from big2_env.notation import records
from big2_env.notation.records import GameRecord
from big2_env.play.own_file import OwnFile
from big2_env.play.saved import STARTED, now
from big2_env.play.sitting import Sitting


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
