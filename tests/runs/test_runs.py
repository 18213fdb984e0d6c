"""What long work shares: intervals, progress, compiling meanwhile, places for files."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from run_cli import run_cli

from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.json_values import parse_object
from big2_env.kernels.switch import PATIENCE, Compilation
from big2_env.runs.atomic_files import check_writable
from big2_env.runs.intervals import FEWEST, bootstrap, normal, student
from big2_env.runs.progress import counting, waiting
from big2_env.runs.resumable import opened


def test_estimates__know_their_standard_error() -> None:
    assert normal(1.0, 0.5, 9).error == pytest.approx(0.5)
    assert student([1.0] * 5) == (1.0, 0.0, 5)
    assert math.isnan(student([]).mean)
    assert student([]).as_json("deals") == {"mean": None, "half_width": None, "deals": 0}


def test_waiting__says_once_what_takes_long(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    for _ in range(2):
        with waiting("thinking hard", after=0.01):
            time.sleep(0.1)
        with waiting("thinking", after=5):
            pass
    assert capsys.readouterr().err.split() == ["thinking", "hard"]


def test_counting__writes_lines_to_a_log(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with counting("deals", 2000, 1000) as advance:
        advance(2)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("big2_env.runs.progress.LOG_SECONDS", 0.01)
    with counting("deals", 2000, 1000) as advance:
        advance(2)
        found = capsys.readouterr().err  # the first line may have come before the two
        while "deals: 1,002 of 2,000\n" not in found:
            time.sleep(0.01)
            found += capsys.readouterr().err
    assert {*found.splitlines()} <= {"deals: 1,000 of 2,000", "deals: 1,002 of 2,000"}


def test_background_compile__compiles_once_and_only_where_it_pays() -> None:
    calls: list[int] = []
    compiled = Compilation(lambda: calls.append(1))
    compiled.spend(PATIENCE / 2)
    assert (compiled.thread, compiled.is_ready) == (None, False)
    for _ in range(3):
        compiled.spend(PATIENCE / 2)
    compiled.finish()
    assert (calls, compiled.is_ready) == ([1], True)


def test_background_compile__leaves_what_cannot_be_compiled_to_plain_python() -> None:
    def refuse() -> None:
        raise ConfigError("it cannot be compiled")

    compiled = Compilation(refuse)
    compiled.spend(PATIENCE)
    compiled.finish()
    assert not compiled.is_ready


def test_background_compile__plain_python_goes_on_where_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Thread) -> None:
        raise RuntimeError("can't start new thread")  # as in a browser

    monkeypatch.setattr(Thread, "start", refuse)
    compiled = Compilation(lambda: None)
    compiled.spend(PATIENCE)
    compiled.spend(PATIENCE)
    compiled.finish()
    assert not compiled.is_ready


FORKED = """
import os
import subprocess
import sys
from threading import Event
from numba.core.compiler_lock import global_compiler_lock
from big2_env.kernels.switch import PATIENCE, Compilation

inside, go_on = Event(), Event()

def prepare():
    with global_compiler_lock:  # as while a function is compiled
        inside.set()
        go_on.wait(0.2)

compiled = Compilation(prepare)
compiled.spend(PATIENCE)
inside.wait(60)
child = os.fork()  # waits until the function is compiled
if child == 0:
    compiled.spend(PATIENCE)  # its parent's thread is not there: it compiles by itself
    compiled.finish()
    os._exit(0 if compiled.is_ready else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_background_compile__a_child_of_a_fork_compiles_by_itself() -> None:
    subprocess.run([sys.executable, "-c", FORKED], check=True, timeout=120)


def test_background_compile__says_what_is_compiled(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "big2_env.kernels.switch")
    Compilation(lambda: None, what="the rules of big2").finish()
    assert [record.message for record in caplog.records] == [
        "compiling the rules of big2",
        "compiled the rules of big2 in 0.0 s",
    ]


@pytest.mark.parametrize("place", ["/", ".", "/dev/null", "no/such/folder/a.csv"])
def test_check_place__refuses_what_is_no_file_to_write(place: str) -> None:
    with pytest.raises(ConfigError, match=r"^expected a (file to write|folder that exists), got "):
        check_writable(Path(place))


def test_check_place__a_file_or_a_new_name__is_fine_with_its_ending(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    check_writable(path, ".png")
    path.touch()
    check_writable(path, ".png")
    with pytest.raises(ConfigError, match=r"ends in \.png, got .*b\.pdf$"):
        check_writable(tmp_path / "b.pdf", ".png")


def test_check_place__without_permission__is_refused_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "page.html"
    locked = (tmp_path, place)  # root may write anywhere
    monkeypatch.setattr("os.access", lambda asked, mode: mode != os.W_OK or Path(asked) not in locked)
    for _ in range(2):
        found = run_cli("match", *["random"] * 4, "--seed", "1", "--html", str(place))
        assert (found.status, found.out) == (2, "")
        assert "expected a place that can be written to, got " in found.err
        place.touch()


@pytest.mark.parametrize("options", [{}, {"resume": True}, {"overwrite": True}])
def test_opened__what_can_be_written_and_not_read__is_refused(options: dict[str, bool]) -> None:
    writing = opened(Path("/dev/null"), {}, max_line=99, **options)
    with pytest.raises(ConfigError, match="expected a file to write, got /dev/null"), writing:
        pass


@pytest.mark.parametrize("number", range(1, FEWEST))
def test_estimate__of_few_observations__is_shown_without_an_interval(number: int) -> None:
    few = student([3.0] * number)
    assert (str(few), f"{few:.2f}", f"{few:.1%}") == ("3", "3.00", "300.0%")
    assert f"{normal(1.0, 0.0, number):.0%}" == "100%"
    assert np.isnan(bootstrap(np.full(number, 3.0))[1:]).all()


def test_estimate__of_enough_observations__is_shown_with_its_interval() -> None:
    found = student([3.0] * FEWEST)
    assert (str(found), f"{found:.2f}") == ("3 ± 0", "3.00 ± 0.00")
    assert f"{normal(1.0, 0.0, FEWEST):.0%}" == "100% ± 0%"
    assert bootstrap(np.full(FEWEST, 3.0)) == (3.0, 3.0, 3.0)


@pytest.mark.parametrize(
    "text", ['{"a": 1e999}', '{"a": -1e400}', '{"a": NaN}', '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"]
)
def test_json__numbers_without_end_or_lists_in_lists__are_refused_in_one_line(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_object(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200
