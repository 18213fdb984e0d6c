"""Where the features by rank lie, as a record for compiled code: sized by the ruleset."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from big2_agents.kernels.feature_layout import places, rank_layout
from big2_agents.kernels.mark import AGENTS_MARK
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import BIG2
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.records import COMPILED


@cache
def rank_dtype() -> np.dtype[Any]:
    """The layout of a ruleset: where each part begins (state `s_`, play `p_`, hidden `h_`), sizes, and the numbers behind."""
    state, play, hidden, numbers = rank_layout(BIG2)  # any ruleset will do: the names are the same
    own = [f"p_{name}" for name in play if name not in ("best", "worse", "hold")]
    names = [*(f"s_{name}" for name in state), *own, *(f"h_{name}" for name in hidden), "best", "worse", "hold"]
    fields: list[Any] = [(name, np.int64) for name in (*names, "state_size", "play_size", "hidden_size")]
    fields += [(name, np.float64 if name == "points" else np.int64) for name in numbers]
    return np.dtype([*fields, (AGENTS_MARK, np.int64)])


def rank_fields(ruleset: RuleSet, num_players: int | None = None) -> dict[str, float]:
    """The fields of `rank_dtype` for a ruleset.

    Raises:
        ConfigError: the ruleset cannot be compiled.
    """
    compile_tables(ruleset, num_players, numbers_acts=COMPILED)
    state, play, hidden, numbers = rank_layout(ruleset, num_players)
    found: dict[str, float] = dict(numbers)
    for letter, parts, size in (("s", state, "state_size"), ("p", play, "play_size"), ("h", hidden, "hidden_size")):
        begins, found[size] = places(parts)
        for name, place in begins.items():
            found[name if name in ("best", "worse", "hold") else f"{letter}_{name}"] = place
    return found
