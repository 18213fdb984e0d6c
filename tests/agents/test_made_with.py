"""Stored answers and units are those of today's weights and rules. Whether they are right is asked by long tests."""

from __future__ import annotations

import golden_agents
import payoff_units
import pytest
from golden import remedy
from golden_games import read


@pytest.mark.parametrize("part", golden_agents.PARTS)
def test_golden_answers__are_given_with_todays_weights(part: str) -> None:
    old = [
        name
        for name in golden_agents.rulesets_of(part)
        if str(read(f"{part}/{name}")["weights"]) != golden_agents.weights_digest(part, name)
    ]
    assert not old, f"{', '.join(old)}: made with other weights; {remedy(part)}"


def test_payoff_units__are_measured_by_todays_rules_and_players() -> None:
    old = payoff_units.out_of_date()
    assert not old, f"{', '.join(old)}: measured by other rules or players; run PYTHONPATH=tests/support python -m payoff_units"
