"""No index of compiled code is outside its array: games of each kind of ruleset under the checks of numba."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from forks import OUTSIDE
from index_checks import NOTE

SUPPORT = Path(__file__).parents[1] / "support"
OUTSIDE_CAUGHT = """
from contextlib import suppress
import numba, numpy
from forks import fatal, signal_of
from index_checks import write_notes

@numba.njit(nogil=True, error_model="numpy")
def entry(array, index):
    return array[index]

def caught(index):
    with suppress(BaseException):
        entry(numpy.zeros(3), index)
"""
"""Code that has an index outside its array, and hides it."""
IN_CHILDREN = """
write_notes()
calls = [("inside", lambda: caught(2)), ("outside", lambda: caught(3)), ("far outside", lambda: caught(-(2**40)))]
print(fatal(calls), signal_of(lambda: caught(-1)))
"""
IN_TESTS = """
def test_inside():
    caught(2)

def test_outside():
    caught(3)
"""


def under_checks(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What Python does with an own cache of code that looks at its indexes."""
    path = os.pathsep.join([str(SUPPORT), os.environ.get("PYTHONPATH", "")])
    checked = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": path}
    return subprocess.run([sys.executable, *command], env=checked, capture_output=True, text=True, cwd=folder)


def test_index_outside__that_a_child_hides__is_found(tmp_path: Path) -> None:
    done = under_checks("-c", OUTSIDE_CAUGHT + IN_CHILDREN, folder=tmp_path)
    assert done.stdout.splitlines() == [f"{{'outside': {OUTSIDE}, 'far outside': {OUTSIDE}}} 0"], done.stderr


def test_index_outside__that_a_test_hides__fails_it(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(OUTSIDE_CAUGHT + IN_TESTS)
    done = under_checks("-m", "pytest", "-q", "-p", "index_checks", "-p", "no:cacheprovider", "test_it.py", folder=tmp_path)
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "debug: IndexError: index 3 is out of bounds for axis 0 with size 3" in done.stdout


@pytest.mark.long
@pytest.mark.release
@pytest.mark.parametrize("name", ["big2", "dou_dizhu", "three_two_one", "wu_gua_pi"])
def test_compiled_code__stays_inside_its_arrays(name: str, tmp_path: Path) -> None:
    done = under_checks(str(SUPPORT / "checked_games.py"), name, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    note, last = done.stdout.splitlines()
    assert note.startswith(NOTE)  # of the index that is outside on purpose
    assert last.startswith(f"{name}: ")
