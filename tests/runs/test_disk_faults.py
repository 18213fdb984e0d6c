"""Files of long runs on disks that fail: whatever fails, what was written stays, and the run can be resumed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from broken_disk import CASES, Fault, each_fault
from run_cli import Answer, run_cli

from big2_env.games.uno import simulate
from big2_env.runs.atomic_files import SUFFIX, append_text, replace_file
from big2_env.runs.resumable import Total, kept, opened

on_each_fault = pytest.mark.parametrize(("fault", "share"), CASES)
Run = Callable[[Path, bool, list[str]], None]


def lines(path: Path, resume: bool, written: list[str]) -> None:
    """Six lines of a results file; those that are safe are noted."""
    before: list[dict[str, Any]] = []
    with opened(path, {"kind": "test"}, block=before.append, max_line=99, resume=resume) as write:
        for number in range(len(before), 6):
            write({"block": number, "text": "x" * number})
            written.append(f'"block":{number},')


def sums(path: Path, resume: bool, written: list[str]) -> None:
    """Two parts of a run that is added up, in turn."""
    parts = {name: Total({"won": 2}) for name in "ab"}
    with kept(path, {"kind": "test", "seed": 7}, parts, resume=resume):
        for number in range(parts["a"].number + parts["b"].number, 6):
            name = "ab"[number % 2]
            parts[name].add(1, np.array([number, 1]))
            written.append(f'"part":"{name}","first":{number // 2},')
    assert parts["a"].sums.tolist() == [0 + 2 + 4, 3]
    assert parts["b"].sums.tolist() == [1 + 3 + 5, 3]


@on_each_fault
@pytest.mark.parametrize("run", [lines, sums])
def test_resumable__whatever_fails__goes_on_to_the_undisturbed_file(
    tmp_path: Path, run: Run, fault: Fault, share: float
) -> None:
    run(tmp_path / "whole.jsonl", False, [])
    whole = (tmp_path / "whole.jsonl").read_text()
    written: list[str] = []

    def act(folder: Path) -> None:
        written.clear()
        run(folder / "out.jsonl", False, written)

    for folder, disk, error in each_fault(tmp_path, fault, share, act):
        path = folder / "out.jsonl"
        there = path.read_text() if path.exists() else ""
        assert whole.startswith(there), disk.done
        assert all(line in there for line in written), disk.done
        if fault is not Fault.KILLED:
            assert error is not None, disk.done
            assert str(error) == f"[Errno {fault.value}] {os.strerror(fault.value)}: {str(path)!r}"
            assert "\n" in there or not path.exists(), disk.done
        run(path, True, [])
        assert path.read_text() == whole, disk.done


@on_each_fault
@pytest.mark.parametrize("run", [lines, sums])
def test_resumable__what_fails_while_it_is_resumed__loses_nothing_either(
    tmp_path: Path, run: Run, fault: Fault, share: float
) -> None:
    run(tmp_path / "whole.jsonl", False, [])
    whole = (tmp_path / "whole.jsonl").read_text()
    half = whole[: whole.index("\n", len(whole) // 2) + 9]  # some whole lines, and a piece of the next one
    safe = half[: half.rindex("\n") + 1]

    def act(folder: Path) -> None:
        path = folder / "out.jsonl"
        os.write(held := os.open(path, os.O_CREAT | os.O_WRONLY), half.encode())  # not one of the operations that may fail
        os.close(held)
        run(path, True, [])

    for folder, disk, _ in each_fault(tmp_path, fault, share, act):
        path = folder / "out.jsonl"
        there = path.read_text()
        assert there.startswith(safe), disk.done
        assert whole.startswith(there), disk.done
        run(path, True, [])
        assert path.read_text() == whole, disk.done


@on_each_fault
def test_replacing__whatever_fails__leaves_the_old_file_or_the_new_one(tmp_path: Path, fault: Fault, share: float) -> None:
    def act(folder: Path) -> None:
        os.close(os.open(folder / "old", os.O_CREAT))
        for name in ("old", "fresh"):
            with replace_file(folder / name) as new:
                new.write_text("new" * 9)

    for folder, disk, error in each_fault(tmp_path, fault, share, act):
        left = {path.name: path.read_text() for path in folder.iterdir() if path.suffix != SUFFIX}
        assert left.pop("old") in ("", "new" * 9)
        assert left in ({}, {"fresh": "new" * 9}), disk.done
        if fault is Fault.FULL:
            assert not list(folder.glob(f"*{SUFFIX}"))
        if fault is not Fault.KILLED and error is not None:
            assert error.filename in {str(folder / "old"), str(folder / "fresh")}


@on_each_fault
def test_append__whatever_fails__adds_all_or_nothing(tmp_path: Path, fault: Fault, share: float) -> None:
    def act(folder: Path) -> None:
        for _ in range(3):
            append_text(folder / "games.jsonl", "a game\n")

    for folder, disk, error in each_fault(tmp_path, fault, share, act):
        path = folder / "games.jsonl"
        there = path.read_text() if path.exists() else ""
        if fault is Fault.FULL:
            assert error is not None
            assert error.filename == str(path)
            assert there == "a game\n" * (disk.at - 1)  # the first write comes after the file is made
            assert there or not path.exists()
        elif fault is Fault.ONCE and "truncate" not in disk.done:
            assert there.replace("a game\n", "") == "", disk.done


COMMANDS = {
    "arena": "arena lowest random --deals 3 --seed 0 --jobs 1",
    "simulate": "uno simulate --games 600 --seed 3 --jobs 1",
    "export": "export lowest --games 4 --piece 2 --jobs 1",
}


@pytest.mark.parametrize("fault", [Fault.FULL, Fault.KILLED])
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.long] * (name != "simulate")) for name in COMMANDS])
def test_commands__whatever_fails__go_on_to_the_undisturbed_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, fault: Fault
) -> None:
    monkeypatch.setattr(simulate, "CHUNK", 200)

    def command(folder: Path, *more: str) -> Answer:
        return run_cli(*COMMANDS[name].split(), "--out", str(folder if name == "export" else folder / "out.jsonl"), *more)

    def files(folder: Path) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != SUFFIX}

    (tmp_path / "whole").mkdir()
    assert command(tmp_path / "whole").status == 0
    whole = files(tmp_path / "whole")
    answers: list[Answer] = []
    for folder, disk, _ in each_fault(tmp_path, fault, 0.5, lambda folder: answers.append(command(folder))):
        if fault is Fault.FULL:
            assert answers[-1].status == 2, disk.done
            said = re.fullmatch(r"big2: (\S+): No space left on device\n", answers[-1].err)
            assert said is not None, answers[-1].err
            assert Path(said[1]).is_relative_to(folder)
        assert all(whole[file].startswith(there) for file, there in files(folder).items() if file != "README.md"), disk.done
        assert b"" not in files(folder).values() or fault is Fault.KILLED, disk.done
        assert command(folder, "--resume").status == 0
        assert files(folder) == whole, disk.done
