"""Origin of a measurement or a trained agent: commit, versions of packages, machine."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path
from typing import Any, Final

_PROJECT: Final = Path(__file__).parents[2]


def commit() -> str | None:
    """Return the commit of this package, seven digits: its checkout's, or the one that pip installed; `None` if unknown."""
    if (_PROJECT / ".git").exists():
        words = ["git", "rev-parse", "--short=7", "HEAD"]
        try:
            done = subprocess.run(words, cwd=_PROJECT, capture_output=True, text=True, check=False)
        except OSError:  # git is not installed
            return None
        return done.stdout.strip() or None
    try:
        source = json.loads(distribution("big2_env").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return None
    found = source.get("vcs_info", {}).get("commit_id")
    return found[:7] if found else None


def machine() -> dict[str, Any]:
    """Return processor, cores, load, system and Python version of this machine."""
    model = ""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "processor": model or platform.processor(),
        "cores": os.cpu_count(),
        "load": load,
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the installed version of each package."""
    found = {}
    for package in sorted(packages):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
