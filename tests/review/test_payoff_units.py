"""The units that are measured already: what measuring finds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from big2_agents.review import prospects
from big2_agents.review.analysis import measured, payoff_unit
from big2_env import BIG2
from big2_env.climbing.rulesets import available_rulesets

GAMES = [
    pytest.param(name, number, id=f"{name}-{number}", marks=() if name == "big2" else pytest.mark.long)
    for name, number in measured()
]


@pytest.mark.parametrize(("name", "number"), GAMES)
def test_measured_units__are_what_measuring_finds(name: str, number: int) -> None:
    rules = available_rulesets()[name]
    assert payoff_unit(rules, number) == pytest.approx(prospects.measured_unit(rules, number), rel=1e-9)


def test_units__are_measured_for_each_number_of_players_of_the_shipped_games() -> None:
    asked = {
        (name, number)
        for name, rules in available_rulesets().items()
        for number in range(rules.min_players, rules.max_players + 1)
    }
    assert set(measured()) == asked


def test_units__of_changed_rules_are_measured_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prospects, "measured_unit", lambda rules, number: 7.0)
    assert payoff_unit(BIG2.with_scoring("cards"), 4) == 7.0
    assert payoff_unit(replace(BIG2, auto_skip_unbeatable=not BIG2.auto_skip_unbeatable), 4) == 7.0
    assert payoff_unit(BIG2, 4) == measured()["big2", 4]
