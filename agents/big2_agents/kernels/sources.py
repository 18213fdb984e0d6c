"""A name for the state of the agents' compiled sources, so that no compiled code outlives them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from big2_env.kernels.dialect.records import MARK, mark_of

AGENTS_SOURCES: Final = mark_of(Path(__file__).parent, MARK)
"""Name of a field of the heuristic's records, as `kernels.sources` tells. It holds nothing."""
