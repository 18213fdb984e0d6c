"""The scripts of libraries whose pins clash with ours, each tested in a virtual environment of its own.

    python tests/examples/own_environments.py FOLDER [SCRIPT...]

Makes FOLDER/SCRIPT where it is not there, installs this package and the library as the page of the scripts says, and runs the
script's test. It takes minutes and gigabytes for each; `PIP_CONSTRAINT=FILE` is heard, for a torch without a GPU, say.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIBRARIES = {
    "rllib_self_play": ["ray[rllib]==2.60.0"],
    "torchrl_ppo": ["torchrl==0.14.1"],
    "tianshou_dqn": ["tianshou==2.0.1"],
    "agilerl_ppo": ["agilerl==2.58.0", "peft"],
    "verifiers_game": ["verifiers[ta]==0.4.0"],
}
"""By script: what is installed for it."""
TESTS = ["pytest", "pytest-xdist", "hypothesis"]


def check(script: str, folder: Path) -> int:
    """The exit status of a script's test in its environment, or of what was to be installed there."""
    python = folder / script / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        print(f"{script}: making {folder / script}", flush=True)
        venv.create(folder / script, with_pip=True)
    ours = ["-e", f"{ROOT}[{'textarena' if script == 'verifiers_game' else 'sb3'}]"]
    install = subprocess.run([python, "-m", "pip", "install", "-q", *LIBRARIES[script], *ours, *TESTS], check=False)
    chosen = ["-n", "0", "-m", "", "-k", f"foreign and {script}"]  # all of them are long
    test = [python, "-m", "pytest", ROOT / "tests/examples/test_examples.py", *chosen]
    return install.returncode or subprocess.run(test, cwd=ROOT, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("scripts", nargs="*", metavar="SCRIPT", help=f"{', '.join(LIBRARIES)}; all by default")
    args = parser.parse_args()
    if unknown := [script for script in args.scripts if script not in LIBRARIES]:
        parser.error(f"expected scripts of {', '.join(LIBRARIES)}, got {', '.join(unknown)}")
    found = {script: check(script, args.folder) for script in args.scripts or LIBRARIES}
    for script, status in found.items():
        print(f"{script}: {'passed' if status == 0 else f'failed ({status})'}")
    return max(found.values())


if __name__ == "__main__":
    sys.exit(main())
