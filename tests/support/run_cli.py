"""The command line inside the test's own process."""

from __future__ import annotations

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
