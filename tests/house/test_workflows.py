"""The workflows of GitHub: the Pythons that the package names, few permissions, and a release that fits its tag."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from typing import Any

import pytest
import yaml
from places import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PYTHONS = [
    found[1] for each in PROJECT["classifiers"] if (found := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", each))
]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WORKFLOWS: dict[str, Any] = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in FILES}
JOBS = {f"{name}: {key}": job for name, workflow in WORKFLOWS.items() for key, job in workflow["jobs"].items()}
SMOKE = 'cd "$(mktemp -d)" && python "$GITHUB_WORKSPACE/.ci/smoke.py"'


def scripts(job: dict[str, Any]) -> str:
    """Return all commands of a job."""
    return "\n".join(step["run"] for step in job["steps"] if "run" in step)


def pythons(job: dict[str, Any]) -> set[str]:
    """Return the Pythons that a job sets up."""
    given = {step["with"]["python-version"] for step in job["steps"] if "setup-python" in step.get("uses", "")}
    return set(job["strategy"]["matrix"]["python"]) if given == {"${{ matrix.python }}"} else given


def test_pythons__are_those_of_the_package() -> None:
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    ci, newest = WORKFLOWS["ci"]["jobs"], PYTHONS[-1]
    assert pythons(ci["checks"]) == {newest}
    assert sorted([newest, *pythons(ci["tests"])]) == PYTHONS
    assert sorted(pythons(ci["installed"])) == sorted(pythons(WORKFLOWS["weekly"]["jobs"]["newest"])) == PYTHONS
    assert set(ci["installed"]["strategy"]["matrix"]["os"]) == {"ubuntu-latest", "macos-latest", "windows-latest"}
    assert {python for job in JOBS.values() for python in pythons(job) if "strategy" not in job} == {newest}


def test_checks__are_those_of_contributors() -> None:
    ci = WORKFLOWS["ci"]["jobs"]
    assert scripts(ci["checks"]) == ".ci/run"
    shown = re.findall(r"(?m)^\$ (pip install -e .*|pytest .*)$", (ROOT / "README.md").read_text("utf-8"))
    assert scripts(ci["tests"]).splitlines() == shown
    assert SMOKE in scripts(ci["installed"])
    assert SMOKE in scripts(WORKFLOWS["release"]["jobs"]["build"])


@pytest.mark.parametrize("name", WORKFLOWS)
def test_workflow__may_read_alone_and_does_not_pile_up(name: str) -> None:
    assert WORKFLOWS[name]["permissions"] == {"contents": "read"}
    assert WORKFLOWS[name]["concurrency"]["group"].startswith(name)


@pytest.mark.parametrize("name", JOBS)
def test_job__ends_and_has_pinned_actions(name: str) -> None:
    assert JOBS[name]["timeout-minutes"] <= 120
    assert JOBS[name].get("permissions", {}) == {
        "docs: deploy": {"pages": "write", "id-token": "write"},
        "release: publish": {"id-token": "write"},
    }.get(name, {})
    used = [step["uses"] for step in JOBS[name]["steps"] if "uses" in step]
    assert [
        action for action in used if not re.fullmatch(r"actions/[\w-]+@v\d+|pypa/gh-action-pypi-publish@release/v\d+", action)
    ] == []


def test_site__is_published_from_main_alone() -> None:
    assert WORKFLOWS["docs"]["jobs"]["deploy"]["if"] == "github.ref == 'refs/heads/main'"


@pytest.mark.parametrize(("tag", "status"), [("v{}", 0), ("{}", 1), ("v{}.1", 1)])
def test_release__needs_the_tag_of_its_version(tag: str, status: int) -> None:
    [check] = [step["run"] for step in WORKFLOWS["release"]["jobs"]["build"]["steps"] if "tag" in step.get("name", "")]
    given = {**os.environ, "GITHUB_REF_NAME": tag.format(PROJECT["version"])}
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", check], cwd=ROOT, env=given, capture_output=True, text=True, check=False
    )
    assert (done.returncode, bool(done.stderr)) == (status, bool(status))
