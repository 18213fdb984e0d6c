"""The agent that gets rid of cards as fast as it can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from big2_agents.base import SeededAgent, height
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View

if TYPE_CHECKING:
    from big2_env.kernels.opponents import Opponent


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

    def batched(self, ruleset: RuleSet, num_players: int) -> Opponent:
        """The same player for many games at once. Raises ConfigError where the ruleset cannot be compiled."""
        from big2_agents.kernels.acts import GREEDY
        from big2_agents.kernels.rule_rows import RuleRows

        return RuleRows(ruleset, GREEDY, num_players)
