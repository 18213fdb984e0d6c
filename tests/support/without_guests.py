"""The core's tests on an unpacked wheel from which all guests were deleted.

    PYTHONPATH=tests/support python -m without_guests WHEEL [--sample 2]     # in a clone with pytest and what the core needs

A test file that imports a guest tests that guest, and is left out. The list of the others is printed first.
"""

from __future__ import annotations

import ast
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

GUESTS = {
    "big2_env": ("games", "tables"),
    "big2_agents": ("data", "language_model", "review", "uno"),
}
"""By top package: the packages that the others, the core, do not import. They register by entry points."""
FOLDERS = ("notation", "text", "envs")
"""Folders of tests that use most of the core and take seconds; test_structure.py reads the imports of all."""
ROOT = Path(__file__).parents[2]


def is_guest(module: str) -> bool:
    """Whether a module belongs to a guest."""
    top, _, rest = module.partition(".")
    return rest.partition(".")[0] in GUESTS.get(top, ())


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, and the names that it imports from them."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def needs_guest(path: Path) -> bool:
    """Whether a test file imports a guest, itself or by a module of tests/support."""
    support = ROOT / "tests" / "support"
    open_files, seen = [path], {path}
    while open_files:
        for module in imported(open_files.pop()):
            if is_guest(module) or module.startswith("big2_env.base.side_games."):  # a list that is empty without guests
                return True
            other = support / f"{module.partition('.')[0]}.py"
            if other.exists() and other not in seen:
                seen.add(other)
                open_files.append(other)
    return False


def unpack_core(wheel: Path, folder: Path) -> None:
    """Unpack a wheel without guests and without their entry points."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    for top, guests in GUESTS.items():
        for guest in guests:
            shutil.rmtree(folder / top / guest)
    (registered,) = folder.glob("*.dist-info/entry_points.txt")
    lines = registered.read_text("utf-8").splitlines()
    kept = [line for line in lines if not is_guest(re.sub(r"^.* = (.*):.*$", r"\1", line))]
    registered.write_text("".join(f"{line}\n" for line in kept), "utf-8")


def share_kernels(folder: Path) -> None:
    """Let the unpacked core find what numba has compiled for the clone, under the names of its own folders."""
    if cache := os.environ.get("NUMBA_CACHE_DIR"):
        kernels = runpy.run_path(str(ROOT / ".ci" / "compile_cache.py"))
        clone, core = (
            kernels["folders_of"]({"big2_env": root / "big2_env", "big2_agents": agents / "big2_agents"})
            for root, agents in ((ROOT, ROOT / "agents"), (folder, folder))
        )
        kernels["copy"](clone, Path(cache), folder / "kernels", back=True)
        kernels["copy"](core, folder / "numba", folder / "kernels")


def main(wheel: str, *options: str) -> int:
    """Run the tests with further options of pytest, and return its exit status."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / "tests" / folder).glob("test_*.py"))]
    core = [path for path in paths if not needs_guest(path)]
    print(f"{len(core)} of {len(paths)} files in {', '.join(FOLDERS)} need no guest", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        unpack_core(Path(wheel), Path(folder))
        share_kernels(Path(folder))
        environment = os.environ | {"PYTHONPATH": folder, "PYTHONSAFEPATH": "1", "NUMBA_CACHE_DIR": f"{folder}/numba"}
        where = [sys.executable, "-c", "import big2_env, big2_agents; print(big2_env.__file__, big2_agents.__file__)"]
        found = subprocess.run(where, env=environment, cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE).stdout
        assert found.count(folder) == 2, found
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", *options, *map(str, core)]
        return subprocess.run(command, env=environment, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
