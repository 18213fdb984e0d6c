"""Servers of earlier tests, which end while the next tests run."""

from __future__ import annotations

import pytest
from web_visitor import wait_for_servers


@pytest.fixture(autouse=True)
def earlier_servers(request: pytest.FixtureRequest) -> None:
    """A test that replaces code waits for earlier servers, whose agents would meet what it puts there."""
    if "monkeypatch" in request.fixturenames:
        wait_for_servers()
