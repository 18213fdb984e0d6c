"""Identifier of the agents' compiled sources, so that stale compiled code is never used."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from big2_env.kernels.dialect.records import MARK, mark_of

AGENTS_SOURCES: Final = mark_of(Path(__file__).parent, MARK)
"""Name of an empty field in the heuristic's records, which changes with the sources; see `big2_env.kernels.sources`."""
