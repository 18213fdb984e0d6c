"""The agent that takes the first legal act."""

from __future__ import annotations

from typing import TYPE_CHECKING

from big2_agents.base import SeededAgent
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View

if TYPE_CHECKING:
    from big2_env.kernels.opponents import Opponent


class FirstAgent(SeededAgent):
    """The first of the legal acts: it leads its lowest card and answers as cheaply as it can."""

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The first act of the list, a pass only where nothing else is legal."""
        return next(iter(legal))

    def batched(self, ruleset: RuleSet, num_players: int) -> Opponent:
        """The same player for many games at once. Raises ConfigError where the ruleset cannot be compiled."""
        from big2_agents.kernels.acts import LOWEST
        from big2_agents.kernels.rule_rows import RuleRows

        return RuleRows(ruleset, LOWEST, num_players)
