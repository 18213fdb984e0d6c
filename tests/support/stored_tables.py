"""The texts of tables in a server's database, for tests that look at them or damage them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def stored(folder: Path) -> bytes:
    """The text of the only table in the database of a folder."""
    with closing(sqlite3.connect(folder / "tables.sqlite")) as database:
        [(text,)] = database.execute("SELECT text FROM tables WHERE NOT gone").fetchall()
        return bytes(text)


def stored_data(folder: Path) -> dict[str, Any]:
    """The only table in the database of a folder."""
    data: dict[str, Any] = json.loads(stored(folder))
    return data


def damage(folder: Path, text: str) -> None:
    """Replace the text of the only table in the database of a folder."""
    with closing(sqlite3.connect(folder / "tables.sqlite")) as database, database:
        assert database.execute("UPDATE tables SET text = ? WHERE NOT gone", (text.encode(),)).rowcount == 1


def stored_tables(folder: Path) -> list[str]:
    """The first character of each table's owner, its number, and `gone` if it was removed, in order."""
    with closing(sqlite3.connect(folder / "tables.sqlite")) as database:
        rows = database.execute("SELECT owner, key, gone FROM tables").fetchall()
    return sorted(f"{owner[0]}/{int(key)}{' gone' if gone else ''}" for owner, key, gone in rows)
