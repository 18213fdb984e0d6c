"""What tests of the arena share."""

from __future__ import annotations

from functools import cache

import pytest

from big2_agents.evaluation.arena.bench import V3, Protocol

_CHECK = Protocol.check_opponents


@cache
def _check_opponents(ruleset: str) -> None:
    _CHECK(V3, ruleset)


@pytest.fixture
def check_opponents_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every bench compares its opponents with their pins, for a second; here the first of each ruleset alone does."""
    monkeypatch.setattr(Protocol, "check_opponents", lambda _, ruleset: _check_opponents(ruleset))
