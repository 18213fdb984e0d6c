"""Views as records of compiled games, for every ruleset: what the view knows is there, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_games import random_games

from big2_agents.kernels.from_view import Memory
from big2_agents.kernels.track import track_dtype
from big2_env import RuleSet
from big2_env.climbing.rulesets import available_rulesets
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.records import as_record
from big2_env.kernels.packing import Positions
from big2_env.kernels.variants import variant_of

HIDDEN = {"rng", "steps", "pile", "redeals"}
"""What no view says, or the position does not."""


@pytest.mark.parametrize("rules", available_rulesets().values(), ids=lambda rules: rules.name)
def test_memory__is_the_position_without_what_is_hidden(rules: RuleSet) -> None:
    dtype = variant_of(rules).game
    positions, tables = Positions(rules, dtype), compile_tables(rules)
    patterns = {rule.pattern.name: i for i, rule in enumerate(rules.patterns)}
    known: Any = as_record(np.zeros((), dtype))
    found: Any = as_record(np.zeros((), dtype))
    track: Any = as_record(np.zeros((), track_dtype(len(known.hands))))
    looked = 0
    for game in random_games(rules, range(24)):
        if game.is_over:
            continue
        position, view = game.position, game.view()
        positions.pack(position._replace(bottom=0) if position.bidding else position, known)
        known.hands[np.arange(len(known.hands)) != view.seat] = 0
        Memory().update(tables, view, patterns, found, track)
        for name in set(dtype.names or ()) - HIDDEN:
            seats = slice(view.num_players) if name in ("hands", "played", "captured", "acted") else slice(None)
            one, other = np.atleast_1d(known[name])[seats], np.atleast_1d(found[name])[seats]
            if name == "finished":
                one, other = one[: len(view.finished)], other[: len(view.finished)]
            np.testing.assert_array_equal(one, other, err_msg=name)
        looked += 1
    assert looked > 5
