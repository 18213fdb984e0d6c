"""What the tests share: hypothesis profiles, the rulesets that laws run over."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from outside_patterns import OUTSIDE

from big2_env import BIG2, RuleSet

settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("dev"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(params=[BIG2, OUTSIDE], ids=["big2", "outside"])
def rules(request: pytest.FixtureRequest) -> RuleSet:
    """BIG2, and BIG2 with two patterns from outside the package."""
    return request.param
