"""Where a server keeps the texts of its tables: what a store must do, and a store in files."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Final, Protocol

from big2_env.runs.replacing import replacing, sweep
from big2_env.web.table_text import KEY, MAX_BYTES

MAX_SAVED: Final = 10_000
"""Most tables of a server."""
DAYS: Final = 30
"""How long a table is kept after its last move."""
OWNER: Final = re.compile(r"[0-9a-f]{64}")
"""The name of a visitor."""
STEPS: Final = 4
"""Most tables that one call of a store removes."""


class TableStore(Protocol):
    """The texts of tables, by the names of their visitor and of the table.

    A table expires some time after it was last saved, and the one that was saved longest ago makes room for a new one. The
    store remembers tables that are gone, within a bound. Several threads may call it at once, and the time of a call does not
    depend on the number of tables.
    """

    def save(self, owner: str, key: str, text: str) -> None:
        """Keep a table after a move.

        Raises:
            OSError: it cannot be written; what was kept before is still there.
        """

    def load(self, owner: str, key: str) -> bytes | None:
        """Return a table's text, or `None` if there is no such table (any more)."""

    def is_gone(self, owner: str, key: str) -> bool:
        """Return True if there was such a table, and it expired or made room."""

    def latest(self, owner: str, most: int) -> list[tuple[str, bytes]]:
        """Return the names and texts of a visitor's last tables, the one saved last first."""


class FileStore:
    """A store in a folder: `OWNER/KEY.json` for each table, an empty `OWNER/KEY.gone` for one that is gone.

    The folder is listed once. From then on the order of moves is kept in memory; a file's own time decides, so two servers can
    share a folder.

    Args:
        folder: where; made when something is written.
        most: most tables, and most tables that are gone.
        seconds: how long a table is kept after it was saved.
        clock: the time in seconds.
    """

    def __init__(
        self,
        folder: Path,
        most: int = MAX_SAVED,
        seconds: float = DAYS * 86400,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.folder = folder
        self._most = most
        self._seconds = seconds
        self._clock = clock
        self._lock = Lock()
        self._moved: dict[tuple[str, str], float] = {}
        """When each table was saved, the oldest first."""
        self._of_owner: dict[str, dict[str, None]] = {}
        """The tables of each visitor, the oldest first."""
        self._gone: dict[tuple[str, str], None] = {}
        """Tables that are gone, the one gone longest first."""
        for place in folder.glob("*"):
            sweep(place)
        for moved, owner, key in self._listed(".json"):
            self._note(owner, key, moved)
        self._gone.update(((owner, key), None) for _, owner, key in self._listed(".gone"))

    def _listed(self, ending: str) -> list[tuple[float, str, str]]:
        """The times and names of all files with an ending, the oldest first."""
        found = []
        for path in self.folder.glob(f"*/*{ending}"):
            owner, key = path.parent.name, path.stem
            if OWNER.fullmatch(owner) and KEY.fullmatch(key) and (moved := _time(path)) is not None:
                found.append((moved, owner, key))
        return sorted(found)

    def _path(self, owner: str, key: str, ending: str = ".json") -> Path:
        assert OWNER.fullmatch(owner), owner
        assert KEY.fullmatch(key), key
        return self.folder / owner / f"{key}{ending}"

    def save(self, owner: str, key: str, text: str) -> None:
        """Keep a table after a move, as `TableStore.save`."""
        path = self._path(owner, key)
        with self._lock:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            now = self._clock()
            with replacing(path, sweeps=False) as new:
                new.write_text(text, encoding="utf-8")
                os.utime(new, (now, now))
            self._note(owner, key, now)
            self._forget_gone(owner, key)
            self._trim()

    def load(self, owner: str, key: str) -> bytes | None:
        """Return a table's text, as `TableStore.load`; of one that is too long, one byte too much."""
        if self.is_gone(owner, key):
            return None
        try:
            with self._path(owner, key).open("rb") as stream:
                return stream.read(MAX_BYTES + 1)
        except FileNotFoundError:
            return None

    def is_gone(self, owner: str, key: str) -> bool:
        """Return True if a table expired or made room, as `TableStore.is_gone`."""
        with self._lock:
            moved = _time(self._path(owner, key))
            if moved is None:
                return self._path(owner, key, ".gone").exists()
            if moved <= self._clock() - self._seconds:
                self._remove(owner, key)
                return True
            if (owner, key) not in self._moved:  # of another server
                self._note(owner, key, moved)
            return False

    def latest(self, owner: str, most: int) -> list[tuple[str, bytes]]:
        """Return a visitor's last tables, as `TableStore.latest`."""
        with self._lock:
            keys = list(islice(reversed(self._of_owner.get(owner, {})), most))
        return [(key, content) for key in keys if (content := self.load(owner, key)) is not None]

    def _note(self, owner: str, key: str, moved: float) -> None:
        """Put a table at the end of the order."""
        self._forget(owner, key)
        self._moved[owner, key] = moved
        self._of_owner.setdefault(owner, {})[key] = None

    def _forget(self, owner: str, key: str) -> None:
        self._moved.pop((owner, key), None)
        keys = self._of_owner.get(owner, {})
        keys.pop(key, None)
        if not keys:
            self._of_owner.pop(owner, None)

    def _trim(self) -> None:
        """Remove the oldest tables if there are too many or they expired, a few at most."""
        for _ in range(STEPS):
            (owner, key), moved = next(iter(self._moved.items()))
            if len(self._moved) <= self._most and moved > self._clock() - self._seconds:
                return
            found = _time(self._path(owner, key))
            if found is None:
                self._forget(owner, key)
            elif found > moved + 1:  # another server has saved it
                self._note(owner, key, found)
            else:
                self._remove(owner, key)

    def _remove(self, owner: str, key: str) -> None:
        self._path(owner, key, ".gone").touch(mode=0o600)
        self._path(owner, key).unlink(missing_ok=True)
        self._forget(owner, key)
        self._gone.pop((owner, key), None)
        self._gone[owner, key] = None
        while len(self._gone) > self._most:
            self._forget_gone(*next(iter(self._gone)))

    def _forget_gone(self, owner: str, key: str) -> None:
        path = self._path(owner, key, ".gone")
        path.unlink(missing_ok=True)
        self._gone.pop((owner, key), None)
        with suppress(OSError):  # the visitor has other tables
            path.parent.rmdir()


def _time(path: Path) -> float | None:
    """When a file was written; `None` if there is none."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return None
