"""Compiled code on disk is used exactly as long as the sources that it was made of mean the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from places import ROOT

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


@pytest.fixture
def kept_code() -> ModuleType:
    """The script of the checks that keeps compiled code."""
    spec = spec_from_file_location("compile_cache", ROOT / ".ci" / "compile_cache.py")
    assert spec is not None
    assert spec.loader is not None
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def test_kept_code__serves_another_clone_and_never_a_changed_kernel(
    kept_code: ModuleType, package: Path, tmp_path: Path
) -> None:
    def clone(name: str) -> tuple[Path, dict[str, Path], Path]:
        """Another clone, its packages by name, and its compile cache."""
        folder = tmp_path / name / package.name
        shutil.copytree(package, folder, ignore=shutil.ignore_patterns("__pycache__"))
        return folder, kept_code.folders_of({package.name: folder}), folder.parent / "cache"

    folder, folders, cache = clone("first")
    kept = tmp_path / "kept" / kept_code.key_of(folders)
    assert "empty" in kept_code.load(folders, cache, kept)
    assert run(folder) == (12, True)
    kept_code.save(folders, cache, kept)

    folder, folders, cache = clone("second")
    assert kept_code.key_of(folders) == kept.name
    assert "empty" not in kept_code.load(folders, cache, kept)
    assert run(folder) == (12, False)

    (package / "second.py").write_text(SECOND.replace("x + x", "x + x + 1"))
    folder, folders, cache = clone("third")
    other = kept.with_name(kept_code.key_of(folders))
    assert other != kept
    assert str(kept) in kept_code.load(folders, cache, other)  # the one used last
    assert run(folder) == (15, True)
    kept_code.save(folders, cache, other)
    assert sorted(path.name for path in kept.parent.iterdir()) == sorted((kept.name, other.name))

    folder, folders, cache = clone("fourth")
    assert str(other) in kept_code.load(folders, cache, other)
    assert run(folder) == (15, False)
    assert "empty" in kept_code.load(folders, tmp_path / "none", kept.with_name(f"0{kept.name}"))  # of another processor


def test_kept_code__is_left_out_in_every_tenth_run(kept_code: ModuleType, package: Path, tmp_path: Path) -> None:
    folders, kept = kept_code.folders_of({package.name: package}), tmp_path / "kept" / "key"
    said = []
    for number in range(20):
        cache = tmp_path / f"cache{number}"
        changed = kept.with_name(f"key-{number // 3}")  # a change of sources continues the count
        said.append(kept_code.load(folders, cache, changed))
        kept_code.save(folders, cache, changed)
    assert [number + 1 for number, text in enumerate(said) if "empty" in text] == [1, 10, 20]


def test_kept_code__keeps_the_keys_that_were_used_last(kept_code: ModuleType, package: Path, tmp_path: Path) -> None:
    folders, cache = kept_code.folders_of({package.name: package}), tmp_path / "cache"
    for number in range(kept_code.KEYS + 2):
        kept_code.save(folders, cache, tmp_path / "kept" / f"{number}")
        os.utime(tmp_path / "kept" / f"{number}" / "runs", (number, number))
    kept_code.save(folders, cache, tmp_path / "kept" / "last")
    assert {path.name for path in (tmp_path / "kept").iterdir()} == {*map(str, range(3, kept_code.KEYS + 2)), "last"}


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
