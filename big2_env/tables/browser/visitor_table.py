"""Base of the tables of one visitor, for climbing games and side games."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from big2_env.tables.browser.messages import Versioned
from big2_env.tables.session.saved import now

S = TypeVar("S")
"""Type of the person's session."""


@dataclass
class VisitorTable(Versioned, Generic[S]):
    """Table of one visitor. Only one thread at a time may change it (`lock`)."""

    key: str
    """Public name, part of the page's address."""
    owner: str
    """Digest of the visitor's secret."""
    session: S
    """Seat of the person, with the current game."""
    version: int = 0
    """Number of changes so far."""
    deal: int = 0
    """Number of deals before the current one."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held during changes of the table."""
    users: int = 0
    """Number of requests being answered."""
    started: str = field(default_factory=now)
    """Start of the current deal, in the format of records."""
