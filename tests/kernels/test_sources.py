"""Compiled code on disk is used exactly as long as the sources that it was made of mean the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from big2_env.kernels.dialect.compiling import CompileCache

FIRST = '''
"""Kernel that calls another module's kernel."""
from numba_cached.second import FACTOR, twice
from big2_env.kernels.dialect.kernel import kernel


@kernel(entry=True)
def four_times(x):
    return twice(twice(x)) * FACTOR
'''
SECOND = '''
"""Kernel and constant."""
from big2_env.kernels.dialect.kernel import kernel

FACTOR = 1


@kernel
def twice(x):
    """Return twice a number."""
    return x + x
'''
RUN = """
from big2_env.kernels.dialect.kernel import compiled_by
from numba_cached.first import four_times
found = []
compiled = compiled_by(lambda: found.append(four_times(3)))
print(found[0], compiled)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "numba_cached"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "first.py").write_text(FIRST)
    (folder / "second.py").write_text(SECOND)
    return folder


def run(package: Path) -> tuple[int, bool]:
    """Return the result of the kernel in a new process, and whether numba compiled something."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(package.parent / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", RUN]
    done = subprocess.run(command, cwd=package.parent, env=environment, capture_output=True, text=True, check=True, timeout=200)
    result, compiled = map(int, done.stdout.split())
    return result, compiled > 0


def test_cache__follows_the_meaning_of_all_sources(package: Path) -> None:
    assert run(package) == (12, True)
    assert run(package) == (12, False)
    second = package / "second.py"
    second.write_text(
        SECOND.replace("Return twice", "Give twice").replace("FACTOR", "# A comment that moves all lines.\n\nFACTOR", 1)
    )
    assert run(package) == (12, False)
    second.write_text(SECOND.replace("FACTOR = 1", "FACTOR = 2"))
    assert run(package) == (24, True)
    second.write_text(SECOND.replace("x + x", "x + x + 1"))
    assert run(package) == (15, True)


def test_cache__keeps_apart_what_two_processes_save_at_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (CompileCache(str(tmp_path), "f.py311", "stamp") for _ in range(2))
    keys = [("int64", "cpu"), ("float64", "cpu")]
    with monkeypatch.context() as patch:  # both have read the index before either writes it, and one writes its code last
        patch.setattr(other, "_load_index", dict)
        save = other._save_index
        patch.setattr(other, "_save_index", lambda index: (save(index), one.save(keys[0], "code of int64")))
        other.save(keys[1], "code of float64")
    reader = CompileCache(str(tmp_path), "f.py311", "stamp")
    assert [reader.load(key) for key in keys] == ["code of int64", "code of float64"]
    assert reader.load(("int32", "cpu")) is None
    assert CompileCache(str(tmp_path), "f.py311", "another stamp").load(keys[0]) is None
    one.save(keys[0], "new code")
    assert reader.load(keys[0]) == "new code"
    assert len(list(tmp_path.glob("*.nbc"))) == 2


def test_cache__of_other_sources_is_never_read_and_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, new, old = ("int64", "cpu"), *(CompileCache(str(tmp_path), "f.py311", stamp) for stamp in ("new", "old"))
    with monkeypatch.context() as patch:  # the new process saves its code first and its index last
        save = new._save_index
        patch.setattr(new, "_save_index", lambda index: (old.save(key, "old code"), save(index)))
        new.save(key, "new code")
    assert new.load(key) != "old code"
    new.save(key, "new code")
    assert new.load(key) == "new code"
    assert old.load(key) is None
    other = tmp_path / "f.py31.0123456789abcdef.nbc"
    other.touch()
    latest = CompileCache(str(tmp_path), "f.py311", "latest")
    for each in (key, ("float64", "cpu")):
        latest.save(each, each)
    assert [latest.load(each) for each in (key, ("float64", "cpu"))] == [key, ("float64", "cpu")]
    assert len(list(tmp_path.glob("f.py311.*.nbc"))) == 2
    assert other.exists()
