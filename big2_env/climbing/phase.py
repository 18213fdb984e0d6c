"""Where a game stands: Ready, Initialized, Dealt, Assigned, Started, Over."""

from __future__ import annotations

from big2_env.named import Named


class Phase(Named):
    """The state of a game. The first two are before any cards are dealt."""

    READY = "ready"
    """No game is chosen."""
    INITIALIZED = "initialized"
    """Rules and number of players are set."""
    DEALT = "dealt"
    """Cards are dealt, and the auction goes on."""
    ASSIGNED = "assigned"
    """It is known who leads; no card has been played."""
    STARTED = "started"
    """Cards are being played."""
    OVER = "over"
    """The game has ended."""
