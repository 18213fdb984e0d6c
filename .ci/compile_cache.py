"""Compiled kernels of green checks, kept in the user's cache for later checks of the same kernels in any clone.

    python compile_cache.py load FOLDER     # fills NUMBA_CACHE_DIR from the folder of this environment's key
    python compile_cache.py save FOLDER     # keeps NUMBA_CACHE_DIR there

The key covers Python, numba, NumPy, the processor, and the sources of kernels. For sources that have no folder yet, the folder
that was used last is loaded: stamps of compiled code cover all sources that it depends on
(`big2_env/kernels/dialect/sources.py`), so old code is never run and the rest is not compiled again. numba names folders by
paths of modules, which differ between clones; here they have the names of packages. Every tenth run starts empty.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping
from hashlib import sha1, sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp

from llvmlite.binding import get_host_cpu_features, get_host_cpu_name

PACKAGES = ("big2_env", "big2_agents")
EMPTY_EVERY = 10
"""Runs from one that starts empty to the next."""
KEYS = 8
"""Keys that are kept, the last used ones."""


def folders_of(roots: Mapping[str, Path]) -> dict[str, Path]:
    """Return the folders of packages and of the packages in them, by name."""
    return {
        ".".join((name, *path.parent.relative_to(root).parts)): path.parent
        for name, root in roots.items()
        for path in sorted(root.rglob("__init__.py"))
    }


def key_of(folders: Mapping[str, Path]) -> str:
    """Return the key of the kernels in packages: that of this Python on this processor, a dash, and that of the sources."""
    machine = [platform.machine(), get_host_cpu_name(), get_host_cpu_features().flatten(), sys.version]
    machine += [f"{name} {version(name)}" for name in ("numba", "llvmlite", "numpy")]
    sources = []
    for name, folder in folders.items():
        for path in sorted(folder.glob("*.py")):
            source = path.read_bytes()
            if b"kernels" in source or "kernels" in name:
                sources.append(f"{name} {path.name} {sha256(source).hexdigest()}")
    return "-".join(sha256("\n".join(parts).encode()).hexdigest()[:12] for parts in (machine, sources))


def by_use(place: Path, pattern: str) -> list[Path]:
    """Return folders of keys, the one that was used last at the end."""
    return sorted(place.glob(pattern), key=lambda path: (path / "runs").stat().st_mtime)


def nearest(kept: Path) -> Path | None:
    """Return the folder of a key, else the one used last of the same Python on the same processor, None without any."""
    others = by_use(kept.parent, f"{kept.name.partition('-')[0]}-*")
    return kept if kept.is_dir() else others[-1] if others else None


def copy(folders: Mapping[str, Path], cache: Path, kept: Path, *, back: bool = False) -> int:
    """Copy what is kept to numba's folders, or back, and return the number of files."""
    files = 0
    for name, folder in folders.items():
        path = sha1(os.path.abspath(folder).encode(), usedforsecurity=False).hexdigest()
        source, target = kept / name, cache / f"{folder.name}_{path}"  # as numba.core.caching names it
        if back:
            source, target = target, source
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
            files += len(list(source.iterdir()))
    return files


def load(folders: Mapping[str, Path], cache: Path, kept: Path) -> str:
    """Fill the compile cache of a run, and return what was done in words."""
    cache.mkdir(parents=True, exist_ok=True)
    found = nearest(kept)
    if found is None:
        return f"empty: {kept} has not been saved"
    runs = found / "runs"
    number = int(runs.read_text()) + 1
    runs.write_text(str(number))
    if number % EMPTY_EVERY == 0:
        return f"empty: run {number} of {found}"
    return f"{copy(folders, cache, found)} files from {found}, run {number}"


def save(folders: Mapping[str, Path], cache: Path, kept: Path) -> str:
    """Keep the compile cache of a run in place of what was kept, and return what was done in words."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    found = nearest(kept)
    new, old = (Path(mkdtemp(prefix=".", dir=kept.parent)) for _ in range(2))
    files = copy(folders, cache, new, back=True)
    (new / "runs").write_text("1" if found is None else (found / "runs").read_text())
    if kept.is_dir():
        kept.rename(old / kept.name)
    new.rename(kept)
    for path in (old, *by_use(kept.parent, "[!.]*")[:-KEYS]):
        shutil.rmtree(path)
    return f"{files} files in {kept}"


def installed() -> Iterator[tuple[str, Path]]:
    """Yield the packages of this environment with their folders."""
    for name in PACKAGES:
        if (spec := find_spec(name)) and spec.origin:
            yield name, Path(spec.origin).parent


if __name__ == "__main__":
    verb, place = sys.argv[1:]
    folders = folders_of(dict(installed()))
    do = {"load": load, "save": save}[verb]
    print(f"compiled kernels: {do(folders, Path(os.environ['NUMBA_CACHE_DIR']), Path(place) / key_of(folders))}")
