"""While kernels compile, a person who waits is told once; nobody else is."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from threading import Event, Thread

import pytest
from noted_work import announce

from big2_env.base import compile_note
from big2_env.base.compile_note import NOTE, CompileNote
from big2_env.cli._options import words_of
from big2_env.runs.executors import Local
from big2_env.runs.progress import counting, waiting

START = """
import sys
import numba
import numpy as np
from big2_env.base.compile_note import NOTE
from big2_env.games.klondike.kernels import observe, turn
from big2_env.kernels.switch import PATIENCE, Compilation
"""
FOREGROUND = "NOTE.patience = 0\nprint(observe.unary(np.int64(3)), observe.unary(np.uint64(3)))"
BACKGROUND = """
NOTE.patience = 0
compiled = Compilation(lambda: print(observe.unary(np.int64(3))))
compiled.spend(PATIENCE)
while not compiled.is_ready:
    compiled.thread.join(1)
"""
NOT_OURS = "NOTE.patience = 0\nprint(numba.njit(lambda number: number + 4)(3))"
LINE = "big2_env is compiling its kernels: up to a minute, only once. Later processes load them from numba's cache ({place}). "
LINE += "`big2 warm` compiles them in advance.\n"


def run(code: str, cache: Path) -> tuple[str, str]:
    """Return what a new process prints to both streams."""
    command, variables = [sys.executable, "-c", START + code], {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True, timeout=200)
    return done.stdout, done.stderr


def until(is_true: Callable[[], object]) -> None:
    """Wait for a thread, at most a minute."""
    end = time.monotonic() + 60
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_line__is_logged_once_and_not_for_what_is_cached(tmp_path: Path) -> None:
    assert run(FOREGROUND, tmp_path) == ("7 7\n", LINE.format(place=tmp_path))
    assert run(FOREGROUND, tmp_path) == ("7 7\n", "")


@pytest.mark.parametrize("code", [BACKGROUND, NOT_OURS], ids=["in the background", "of others"])
def test_line__is_not_logged_for_a_compilation(code: str, tmp_path: Path) -> None:
    assert run(code, tmp_path) == ("7\n", "")


def noted(patience: float) -> tuple[CompileNote, list[str]]:
    """Return a note, and the list of what it says."""
    note, said = CompileNote(patience), list[str]()
    note.say = said.append
    return note, said


def test_note__adds_up_short_compilations() -> None:
    note, said = noted(0.2)
    for _ in range(3):
        note.begin()
        time.sleep(0.1)
        note.end()
    assert len(said) == 1
    note, said = noted(60)
    note.begin()
    note.end()
    assert said == []


def test_note__of_a_background_thread_appears_once_somebody_waits_for_it() -> None:
    note, said = noted(0)
    has_begun, is_over = Event(), Event()

    def compile_for_long() -> None:
        with note.in_background():
            note.begin()
            has_begun.set()
            is_over.wait(60)
            note.end()

    thread = Thread(target=compile_for_long)
    thread.start()
    has_begun.wait(60)
    time.sleep(0.1)
    assert said == []
    note.wait_for(thread)
    until(lambda: said)
    is_over.set()
    thread.join()


class Terminal(StringIO):
    """Stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return not super().isatty()


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Replace standard error by a terminal."""
    screen = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


def test_progress__on_a_terminal_disappears(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_terminal(monkeypatch)
    note, _ = noted(0)
    note.begin()
    until(lambda: "compiling kernels, 0 s" in screen.getvalue())
    until(lambda: "compiling kernels, 1 s" in screen.getvalue())
    note.end()
    assert screen.getvalue().endswith("\x1b[2K")  # the line is erased
    is_said = len(screen.getvalue())
    note.begin()
    note.end()
    assert len(screen.getvalue()) == is_said


def test_progress__is_not_shown_next_to_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_terminal(monkeypatch)
    assert compile_note._is_free_terminal()
    with counting("games", 3):
        assert not compile_note._is_free_terminal()
    assert compile_note._is_free_terminal()
    screen.close()
    assert not compile_note._is_free_terminal()


def test_line__ends_a_line_of_dots_first(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_terminal(monkeypatch)
    monkeypatch.setattr("big2_env.runs.progress.NOTE", note := CompileNote(0))
    note.say = lambda place: print("compiling", file=sys.stderr)
    with waiting("thinking of a test", after=0):
        until(lambda: "thinking" in screen.getvalue())
        note.begin()
        until(lambda: "compiling" in screen.getvalue())
        note.end()
    assert screen.getvalue().replace(".", "").replace(" ", "") == "thinkingofatest\ncompiling\n\n"


def test_workers__pass_the_line_to_their_parent(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    note, said = noted(0)
    monkeypatch.setattr("big2_env.runs.executors.NOTE", note)
    with Local(2).map(announce, range(2)) as results:
        assert list(results) == [0, 1]
    assert len(said) == 1
    assert capfd.readouterr().err == ""


def test_line__of_several_processes_is_logged_by_one(capfd: pytest.CaptureFixture[str]) -> None:
    code = "from multiprocessing import Process; from noted_work import announce\nif __name__ == '__main__':\n"
    code += "    all = [Process(target=announce, args=(0,)) for _ in range(3)]\n    for one in all: one.start(); one.join()"
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # with the tests' own modules
    subprocess.run([sys.executable, "-c", code], env=variables, check=True, timeout=120)
    assert capfd.readouterr().err.count("big2_env is compiling its kernels") == 1


def test_line__of_the_command_is_in_its_language(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(NOTE, "say", NOTE.say)
    monkeypatch.setattr(NOTE, "title", NOTE.title)
    for lang in ("en", "zh-Hans"):
        words_of(lang)
        NOTE.say("/cache")
    assert NOTE.title == "编译中"
    assert capsys.readouterr().err.splitlines() == [
        "big2: compiling kernels: up to a minute, only once; later commands load them from the cache (/cache); "
        "big2 warm compiles in advance",
        "big2: 正在编译，最多一分钟，只需一次；之后由缓存（/cache）加载。big2 warm 可以提前编译",
    ]


NOTEBOOK = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(sys.argv[1])])
NotebookClient(notebook, timeout=200).execute()
for output in notebook.cells[0].outputs:
    print(output.output_type, repr(output.get("text") or output.data))
"""


@pytest.mark.long
def test_line__of_a_notebook_is_in_its_cell(tmp_path: Path) -> None:
    code = f"{START}{FOREGROUND}\nimport os; sys.stdout.flush()"
    variables = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-W", "ignore", "-c", NOTEBOOK, code]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [
        "display_data {'text/html': '', 'text/plain': ''}",
        f"stream {LINE.format(place=tmp_path)!r}",
        "stream '7 7\\n'",
    ]


EXIT = """
import sys, time
from big2_env import BIG2
from big2_env.kernels.engine import compilation
compiling = compilation(BIG2, 4, "int8")
compiling.start()
time.sleep(float(sys.argv[1]))
print(compiling.is_compiling)
"""


@pytest.mark.long
@pytest.mark.parametrize("seconds", [1.0, 2.5, 4.0])
def test_exit__during_compilation_in_the_background__is_clean_and_soon(tmp_path: Path, seconds: float) -> None:
    """LLVM aborts a process that exits during one of its calls."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", EXIT, str(seconds)], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")
