"""No index of compiled code is outside its array: games of each kind of ruleset under the checks of numba."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SUPPORT = Path(__file__).parents[1] / "support"


@pytest.mark.long
@pytest.mark.release
@pytest.mark.parametrize("name", ["big2", "dou_dizhu", "three_two_one", "wu_gua_pi"])
def test_compiled_code__stays_inside_its_arrays(name: str, tmp_path: Path) -> None:
    checked = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, str(SUPPORT / "checked_games.py"), name]
    done = subprocess.run(command, env=checked, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{name}: ")
