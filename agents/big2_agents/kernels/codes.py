"""Codes of players in compiled games. Reading them imports neither numba nor numpy."""

from __future__ import annotations

from typing import Final

RANDOM, LOWEST, GREEDY, HEURISTIC = range(4)
"""Codes of the rule players. LOWEST takes the first legal move."""
NET: Final = -1
"""Code of a network; further networks have lower codes."""
