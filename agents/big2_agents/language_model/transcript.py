"""Transcript of language models: JSON lines, one per answer.

| key | content |
| --- | --- |
| `agent`, `protocol` | name of the agent, and the hash of its protocol |
| `ruleset`, `seat`, `move`, `seed` | the position: rules, seat, number of moves before, and the seed of the agent's game |
| `retry` | 0 for the first answer to a position |
| `prompt` | messages of the request, without the system prompt |
| `answer`, `reasoning`, `verdict` | what the model replied, and how it was read |
| `tokens`, `seconds`, `attempts`, `finish` | tokens as in the cache, time, attempts until an answer, reason of the end |
| `cached` | true if the reply comes from the cache |
"""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import Any

from big2_env.runs.atomic_files import check_writable, name_errors
from big2_env.runs.resumable import encoded


class TranscriptFile:
    """A transcript, to which the threads of a process append.

    Raises:
        OSError: The file cannot be opened.
        ConfigError: The file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        check_writable(path)
        self._path, self._lock = path, Lock()
        with name_errors(path):
            self._stream = path.open("ab")

    def add(self, line: dict[str, Any]) -> None:
        """Append a line."""
        with self._lock, name_errors(self._path):
            self._stream.write(encoded(line))
            self._stream.flush()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()
