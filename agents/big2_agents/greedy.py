"""The agent that gets rid of cards as fast as it can."""

from __future__ import annotations

from big2_agents.base import SeededAgent, height
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View


class GreedyAgent(SeededAgent):
    """Leads the most cards, the lowest of those; beats whatever it can as cheaply as it can, and never passes by choice.

    Cheap means: no bomb where anything else does, then the least power, then the lowest cards.
    """

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The greedy act; a pass only where nothing else is legal."""
        ruleset = view.ruleset
        categories = ruleset.table.categories
        leads = legal.top is None

        def price(play: Play) -> tuple[int, ...]:
            bomb = categories[play.category].bomb
            return -len(play) if leads else 0, bomb, play.power, height(ruleset, play.mask)

        plays = [play for play in legal if play]
        return min(plays, key=price) if plays else next(iter(legal))
