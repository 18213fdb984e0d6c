"""What the tests share: hypothesis profiles, the rulesets that laws run over."""

from __future__ import annotations

import os
from itertools import count

import pytest
from hypothesis import HealthCheck, settings
from outside_patterns import OUTSIDE

from big2_env import BIG2, RuleSet

_NUMBERS = count()
settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("dev"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(autouse=True)
def _own_data_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the games of whoever runs it, or depends on their language."""
    monkeypatch.setenv("BIG2_DATA", str(tmp_path_factory.getbasetemp() / "data" / str(next(_NUMBERS))))
    monkeypatch.setenv("BIG2_LANG", "en")


@pytest.fixture(params=[BIG2, OUTSIDE], ids=["big2", "outside"])
def rules(request: pytest.FixtureRequest) -> RuleSet:
    """BIG2, and BIG2 with two patterns from outside the package."""
    return request.param
