"""The user's data folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def data_folder(environ: Mapping[str, str] | None = None, platform: str = sys.platform) -> Path:
    """Where what a person plays is kept: `BIG2_DATA`, else the place that the system has for such data.

    >>> str(data_folder({"HOME": "/home/me", "XDG_DATA_HOME": "/data"}, "linux").as_posix())
    '/data/big2_env'
    """
    variables = os.environ if environ is None else environ
    if variables.get("BIG2_DATA"):
        return Path(variables["BIG2_DATA"])
    home = Path(variables.get("HOME") or Path.home())
    if platform == "win32":
        return Path(variables.get("LOCALAPPDATA") or home / "AppData" / "Local") / "big2_env"
    if platform == "darwin":
        return home / "Library" / "Application Support" / "big2_env"
    return Path(variables.get("XDG_DATA_HOME") or home / ".local" / "share") / "big2_env"
