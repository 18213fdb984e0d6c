"""Sampled deals of the searching players, from Python."""

from __future__ import annotations

from typing import Any

import numba as nb

from big2_agents.kernels.playouts import sample_deal


@nb.njit
def sample(t: Any, s: Any, scratch: Any) -> Any:
    """Sample a deal into `s.sample`; returns its weight."""
    return sample_deal(t, s, scratch)
