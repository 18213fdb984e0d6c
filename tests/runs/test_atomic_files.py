"""Files that are replaced whole, by any number of processes and threads at a time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread

import pytest

from big2_env.runs.atomic_files import AGE, SUFFIX, append_text, folder_lock, replace_file


def test_replacing__leaves_the_old_file_when_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), replace_file(path) as new:
        new.write_text(str(1 / 0))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


KILLED = """
import os, signal, sys
from pathlib import Path
from big2_env.runs.atomic_files import replace_file
with replace_file(Path(sys.argv[1])) as new:
    new.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_replacing__sweeps_what_killed_processes_left_before_and_nothing_else(tmp_path: Path) -> None:
    assert subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "a.txt")]).returncode == -signal.SIGKILL
    (tmp_path / "mine.new").touch()
    [left] = tmp_path.glob(f"*{SUFFIX}")
    about_to_be_locked = tmp_path / f"b{SUFFIX}"
    about_to_be_locked.touch()
    with replace_file(tmp_path / "b.txt"):
        assert left.exists()
    long_ago = time.time() - AGE - 1
    with replace_file(tmp_path / "b.txt") as slow:
        slow.write_text("b")
        os.utime(left, (long_ago, long_ago))
        os.utime(slow, (long_ago, long_ago))
        with replace_file(tmp_path / "c.txt") as second:
            second.write_text("c")
            there = {path.name for path in tmp_path.iterdir()}
            assert there == {"b.txt", "mine.new", about_to_be_locked.name, slow.name, second.name}
    assert {path.name for path in tmp_path.iterdir()} == {"mine.new", about_to_be_locked.name, "b.txt", "c.txt"}
    assert (tmp_path / "b.txt").read_text() == "b"


def test_replacing__follows_links_and_keeps_permissions(tmp_path: Path) -> None:
    path, link = tmp_path / "a.txt", tmp_path / "there" / "link.txt"
    link.parent.mkdir()
    path.touch(mode=0o600)
    link.symlink_to(path)
    with replace_file(link) as new:
        new.write_text("new")
    assert link.is_symlink()
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o600)


def test_replacing__writes_to_a_pipe_itself(tmp_path: Path) -> None:
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    with replace_file(pipe) as new:
        new.write_text("page")
    reader.join()
    assert (got, pipe.is_fifo()) == (["page"], True)


def test_replacing__names_the_file_in_errors_and_not_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "none" / "a.txt"
    with pytest.raises(FileNotFoundError) as caught, replace_file(path) as new:
        new.write_text("new")
    assert caught.value.filename == str(path)
    with pytest.raises(IsADirectoryError) as of_folder, replace_file(tmp_path) as new:
        new.write_text("new")
    assert of_folder.value.filename == str(tmp_path)


WRITER = """
import sys
from pathlib import Path
from big2_env.runs.atomic_files import replace_file
failed = 0
for number in range(int(sys.argv[2])):
    try:
        with replace_file(Path(sys.argv[1])) as new:
            new.write_text(str(number))
    except OSError:
        failed += 1
print(failed)
"""


def failed_writes(path: Path, writes: int) -> int:
    """How many of so many writes of a file fail, one after another."""
    failed = 0
    for number in range(writes):
        try:
            with replace_file(path) as new:
                new.write_text(str(number))
        except OSError:
            failed += 1
    return failed


def check_writers(folder: Path, writes: int, *, same: bool) -> None:
    """Let four processes, then four threads, write files of one folder, or one file."""
    paths = [folder / f"{0 if same else number}.txt" for number in range(4)]
    processes = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(writes)], stdout=-1, text=True) for path in paths
    ]
    assert [process.communicate()[0] for process in processes] == ["0\n"] * 4
    assert {path.read_text() for path in paths} == {str(writes - 1)}
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(failed_writes, paths, [writes] * 4)) == [0] * 4
    assert set(folder.iterdir()) == set(paths)
    assert {path.read_text() for path in paths} == {str(writes - 1)}


@pytest.mark.parametrize("same", [False, True])
def test_replacing__by_many_writers_at_a_time__never_fails(tmp_path: Path, same: bool) -> None:
    check_writers(tmp_path, 150, same=same)


@pytest.mark.long
@pytest.mark.release
def test_replacing__forty_thousand_times_by_many_writers__never_fails(tmp_path: Path) -> None:
    check_writers(tmp_path, 5_000, same=False)


def test_append__by_many_threads__loses_no_line_of_a_file_that_is_also_replaced(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"

    def write(name: int) -> None:
        for number in range(50):
            if name % 2:
                append_text(path, f"{name}.{number}\n")
            else:
                with folder_lock(tmp_path):
                    before = path.read_text() if path.exists() else ""
                    with replace_file(path) as new:
                        new.write_text(f"{before}{name}.{number}\n")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert sorted(path.read_text().split()) == sorted(f"{name}.{number}" for name in range(4) for number in range(50))
