"""How strong a play is, and what covers what."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.dialect.bits import U
from big2_env.kernels.dialect.cardsets import rank_cards
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.tables import FULL, Tables


@kernel
def does_cover(tab: Tables, category: Any, power: Any, top_category: Any, top_power: Any) -> Any:
    """Whether a play of this category and power covers the top."""
    relation = tab.covers[U(top_category), U(category)]
    return relation == FULL or (relation != 0 and power > top_power)


@kernel
def power_of(tab: Tables, row: Any, cards: Any) -> Any:
    """The power of cards that make a row."""
    power = np.int64(tab.row_power[U(row)])
    step = np.int64(tab.row_step[U(row)])
    if step:
        key = rank_cards(cards, tab.row_key[U(row)])
        power += step * (3 if key & U(8) else 2 if key & U(4) else 1 if key & U(2) else 0)
    return power
