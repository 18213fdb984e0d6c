"""Kernels keep what they mean without machine code of their own, on disk too, and in a numba that knows only its own way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

KERNELS = '''
"""Two entry points that share kernels."""
import numpy as np
from big2_env.kernels.dialect import HAS_PARTS
from big2_env.kernels.dialect.kernel import kernel, when


@kernel
def quarter(x):
    return x >> 2


@kernel
def half(x):
    return quarter(x) << 1


@when(HAS_PARTS, otherwise=7)
def parts(x):
    return x


@kernel(entry=True)
def first(x):
    return half(x) + parts(x)


@kernel(entry=True)
def second(numbers, rows):
    """Use what numba rewrites: arithmetic on arrays, a list, a comprehension."""
    scaled = numbers * 2.0 + 1.0
    small = np.array([1.0, 2.0])
    return half(len(numbers)) + quarter(8) + scaled.sum() + small[1] + [row + 1 for row in rows][1]
'''
RUN = """
import numba.core.codegen
{prelude}
import numpy as np
from kernels_apart import shared
from big2_env.kernels.dialect.kernel import compiled_by
found = []
number = compiled_by(lambda: found.append(shared.{call}))
assert {plain} or not any(getattr(each.library, '_compiled_object', 0) for each in shared.half.overloads.values())
print(found[0], number)
"""
FIRST, SECOND = "first(20)", "second(np.arange(8.0), (1, 2))"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    package = tmp_path / "kernels_apart"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "shared.py").write_text(KERNELS)
    return tmp_path


def run(folder: Path, call: str, prelude: str = "") -> tuple[float, int]:
    """Return the result of a call in a new process, and how many functions numba compiled."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    code = RUN.format(call=call, prelude=prelude, plain=bool(prelude))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=True, timeout=200
    )
    result, number = done.stdout.split()
    return float(result), int(number)


def test_kernels__serve_entry_points_of_later_processes(folder: Path) -> None:
    result, number = run(folder, FIRST)
    assert (result, number > 2) == (17.0, True)
    assert run(folder, FIRST) == (17.0, 0)
    result, _ = run(folder, SECOND)
    assert result == 4 + 2 + 64 + 2 + 3
    assert run(folder, SECOND) == (75.0, 0)


def test_kernels__compile_in_a_numba_that_lacks_a_name(folder: Path) -> None:
    prelude = "del numba.core.codegen.JITCodeLibrary"
    assert run(folder, FIRST, prelude)[0] == 17.0
    assert run(folder, SECOND)[0] == 75.0  # what numba kept in its own way is compiled again
    assert run(folder, SECOND, prelude)[0] == 75.0
