"""What is published: the archive of the source and what the package says of itself."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from email import message_from_bytes
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
PAGES = {
    "big2_env/climbing/README.md",
    "big2_env/climbing/KATA.md",
    "big2_env/climbing/KATA.zh-Hant.md",
    "big2_env/base/language/README.zh-Hans.md",
    "big2_env/base/language/README.zh-Hant.md",
}


def build(target: str, source: Path, out: Path) -> Path:
    """The one file that building makes."""
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", target, "-d", out], cwd=source, check=True, timeout=120)
    [built] = out.iterdir()
    return built


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked archive of the source."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(build("sdist", ROOT, folder / "built")) as archive:
        archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # Python 3.11.4
    [unpacked] = folder.glob("big2_env-*")
    return unpacked


def test_sdist__has_the_packages_and_nothing_that_the_repository_alone_needs(source: Path) -> None:
    names = {path.name for path in source.iterdir()} - {".gitignore"}
    assert names == {"big2_env", "agents", "CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml", "PKG-INFO"}
    assert [name for name in {*PAGES, "big2_env/notation/sample.in"} if not (source / name).is_file()] == []


def test_wheel__of_the_sdist_is_that_of_the_checkout(source: Path, tmp_path: Path) -> None:
    wheels = [ZipFile(build("wheel", place, tmp_path / str(i))) for i, place in enumerate((ROOT, source))]
    names, again = (sorted(wheel.namelist()) for wheel in wheels)
    assert names == again
    model = {f"big2_agents/models/big2{end}" for end in (".npz", ".md", ".card.json", ".curve.svg")}
    files = {"big2_env/__init__.py", "big2_env/py.typed", "big2_agents/py.typed", *model, *PAGES}
    assert files <= set(names)
    assert not [name for name in names if name.split("/")[0] in ("tests", "benchmarks", "notebooks")]


def test_metadata__has_the_versions_of_python_and_no_address(source: Path) -> None:
    """No address: nothing has been published yet."""
    found = message_from_bytes((source / "PKG-INFO").read_bytes())
    assert {f"Programming Language :: Python :: 3.{minor}" for minor in (11, 12, 13)} <= set(found.get_all("Classifier", []))
    assert found.get_all("Project-URL", []) == []
