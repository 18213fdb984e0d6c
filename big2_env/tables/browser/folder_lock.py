"""The lock of a server's folder: one server at a time, because servers keep tables in memory."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

from big2_env.base.errors import ConfigError

FILE: Final = "server.lock"
"""Name of the locked file, an empty database: the system ends its lock with the process, and child processes do not hold it."""

log = logging.getLogger(__name__)


@contextmanager
def only_server(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder during the block. A folder in which no file can be locked is used without it.

    Args:
        folder: Folder of tables and games, created if it does not exist.

    Raises:
        ConfigError: Another server has the lock.
        OSError: The folder cannot be created.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ExitStack() as stack:
        try:
            held = stack.enter_context(closing(sqlite3.connect(folder / FILE, timeout=0.0, isolation_level=None)))
            held.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                text = f"{folder}: another big2 serve uses this folder; end it, or choose another folder with --data"
                raise ConfigError(text) from None
            log.warning("%s cannot be locked: %s", folder, error)
        yield
