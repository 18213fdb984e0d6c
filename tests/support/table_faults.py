"""Compiled tables with a fault, which the comparison of the engines has to find."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from big2_env import RuleSet
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.records import as_record
from big2_env.kernels.variants import variant_of


def tampered(change: Callable[[Any], object]) -> Callable[[RuleSet, int], Any]:
    """`compile_tables` with a fault."""

    def compiled(rules: RuleSet, players: int) -> Any:
        array = np.frombuffer(bytearray(compile_tables(rules, players).tobytes()), variant_of(rules).tables).reshape(())
        change(array)
        return as_record(array)

    return compiled


FAULTS: dict[str, tuple[Callable[[Any], object], str]] = {
    "lock": (lambda t: t["lock"].fill(1), "turn, top player, category, power, passed"),
    "lead": (lambda t: t["lead"].fill(0), "the legal actions"),
    "penalty": (lambda t: np.multiply(t["penalty"], 2, out=t["penalty"]), "reward"),
    "power": (lambda t: np.add(t["row_power"], 4, out=t["row_power"]), "the legal actions"),
    "category": (lambda t: np.maximum(t["row_category"], 3, out=t["row_category"]), "the legal actions"),
    "pattern": (lambda t: t["row_pattern"].fill(0), "the position"),
    "place": (lambda t: t["place_of"].__setitem__(slice(None), t["place_of"][::-1].copy()), "the legal actions"),
    "hash": (lambda t: t["hash_row"].fill(0), "the legal actions"),
    "need": (lambda t: t["row_need"].fill(0), "the legal actions"),
    "final": (lambda t: t["top_final"].fill(1), "the legal actions"),
    "factor": (lambda t: t["penalty_factor"].fill(2), "reward"),
    "doubling": (lambda t: (t["num_lots"].fill(1), t["lot_factor"].fill(7)), "reward"),
}
