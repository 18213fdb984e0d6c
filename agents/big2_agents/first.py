"""The agent that takes the first legal act."""

from __future__ import annotations

from big2_agents.base import SeededAgent
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View


class FirstAgent(SeededAgent):
    """The first of the legal acts: it leads its lowest card and answers as cheaply as it can."""

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The first act of the list, a pass only where nothing else is legal."""
        return next(iter(legal))
