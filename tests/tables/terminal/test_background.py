"""A table begins light or dark as the terminal is."""

from __future__ import annotations

import os
import pty
import sys
import time

import pytest

from big2_env.tables.terminal.background import is_light, of_answer, of_variable


@pytest.mark.parametrize(
    ("variable", "found"),
    [("0;15", True), ("15;0", False), ("0;default;7", True), ("12;8", False), ("", None), ("0;default", None), ("0;-1", None)],
)
def test_background__of_the_variable(variable: str, found: bool | None) -> None:
    assert of_variable({"COLORFGBG": variable}) is found


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (b"\x1b]11;rgb:ffff/ffff/dddd\x1b\\\x1b[?62;c", True),
        (b"\x1b]11;rgb:f0/f0/f0\x07", True),
        (b"\x1b]11;rgba:0000/2b2b/3636/ffff\x07\x1b[?1;2c", False),
        (b"\x1b[?1;2c", False),
        (b"", False),
    ],
)
def test_background__of_the_answer(answer: bytes, found: bool) -> None:
    assert of_answer(answer) is found


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no /dev/tty")
@pytest.mark.parametrize(("answer", "code"), [(b"\x1b]11;rgb:eeee/eeee/eeee\x07\x1b[?62c", 1), (b"\x1b[?62c", 0)])
def test_background__is_asked_of_the_terminal(answer: bytes, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLORFGBG", raising=False)
    monkeypatch.setattr("big2_env.tables.terminal.background.SECONDS", 30.0)
    child, terminal = pty.fork()
    if not child:
        os._exit(int(is_light()))
    asked, end = b"", time.monotonic() + 30
    while not asked.endswith(b"\x1b[c") and time.monotonic() < end:
        asked += os.read(terminal, 1024)
    os.write(terminal, answer)
    status = os.waitpid(child, 0)[1]
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == code
