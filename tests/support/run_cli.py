"""The command line inside the test's own process, or in one that tells what it has loaded."""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO, TextIOWrapper
from typing import NamedTuple
from unittest.mock import patch

from big2_env.cli import main


class Answer(NamedTuple):
    status: int
    out: str
    err: str


def run_cli(*args: str, stdin: bytes | str = b"") -> Answer:
    """What `big2` answers to arguments and a standard input. Exceptions that it lets through come through here too."""
    given = TextIOWrapper(BytesIO(stdin.encode() if isinstance(stdin, str) else stdin))
    out, err = TextIOWrapper(BytesIO()), TextIOWrapper(BytesIO(), errors="backslashreplace")
    status = 0
    with patch.multiple(sys, stdin=given, stdout=out, stderr=err):
        try:
            main(list(args))
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
    for stream in (out, err):
        stream.flush()
    return Answer(status, out.buffer.getvalue().decode(errors="surrogateescape"), err.buffer.getvalue().decode())  # type: ignore[attr-defined]


def run_alone(args: list[str], then: str) -> Answer:
    """What `big2` answers in a process of its own, which then executes code; it may print to `sys.stderr`."""
    code = f"import sys; from big2_env.cli import main\ntry: main({args!r})\nexcept SystemExit: pass\n{then}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return Answer(done.returncode, done.stdout, done.stderr)
