"""`big2 serve` in a process of its own, which a test may kill and start again at the same address."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from big2_env.tables.browser.server import listen


class KillableServer:
    """A server over a folder. Its port stays the same."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with listen("127.0.0.1", 0) as free:
            self.port = free.getsockname()[1]
        self.process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [sys.executable, "-m", "big2_env", "serve", "--port", str(self.port), "--data", str(self.folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert str(self.port) in line, line

    def kill(self) -> None:
        """End it as a power cut would."""
        assert self.process is not None
        self.process.kill()
        self.process.communicate()
        self.process = None


@contextmanager
def killable(folder: Path) -> Iterator[KillableServer]:
    """A running server, which is killed at the end."""
    server = KillableServer(folder)
    server.start()
    try:
        yield server
    finally:
        if server.process is not None:
            server.kill()
