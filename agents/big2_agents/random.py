"""The agent that chooses uniformly."""

from __future__ import annotations

from big2_agents.base import SeededAgent
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View


class RandomAgent(SeededAgent):
    """Any legal act, each with the same chance, the pass included."""

    def act(self, view: View, legal: LegalPlays) -> Play:
        """A uniform choice from the legal acts."""
        acts = list(legal)
        return acts[self.rng.below(len(acts))]

    def batched(self, ruleset: RuleSet, num_players: int) -> str:
        """The same player for many games at once: compiled code that draws from each row's own stream."""
        return "random"
