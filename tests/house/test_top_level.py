"""The top level of the repository: few entries, so that a newcomer sees at once where things are."""

from __future__ import annotations

import subprocess

from places import ROOT

FILES = {"CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml"}
FOLDERS = {"agents", "benchmarks", "big2_env", "notebooks", "tests"}


def tracked() -> set[str]:
    """The visible entries that git tracks; without git, those of the folder."""
    names = [path.name for path in ROOT.iterdir()]
    if (ROOT / ".git").exists():
        names = subprocess.check_output(["git", "ls-files"], cwd=ROOT, encoding="utf-8").splitlines()
    return {name for path in names if not (name := path.partition("/")[0]).startswith(".")}


def test_top_level__has_these_entries_and_no_others() -> None:
    assert tracked() == FILES | FOLDERS
