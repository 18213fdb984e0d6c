"""Agents that look at nothing but the legal acts: random, first and greedy; and what other agents share with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from big2_env.agents import Agent
from big2_env.cards import iter_cards
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.rng import SplitMix64

if TYPE_CHECKING:
    from big2_env.kernels.opponents import Opponent

__all__ = ["Agent", "SeededAgent", "height"]


class SeededAgent:
    """The half of an agent that is always the same: a random stream that `reset` starts anew."""

    def __init__(self) -> None:
        self.rng = SplitMix64(0)

    def reset(self, seed: int) -> None:
        """Start a game: the stream of `seed` from its beginning."""
        self.rng = SplitMix64(seed)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def height(ruleset: RuleSet, mask: int) -> int:
    """A number that orders sets of cards of one size: by the highest card, then the next, ... as the ruleset ranks them."""
    if ruleset.order.is_by_id:
        return mask
    places = ruleset.order.positions
    return sum(1 << places[card] for card in iter_cards(mask))


class RandomAgent(SeededAgent):
    """Any legal act, each with the same chance, the pass included."""

    def act(self, view: View, legal: LegalPlays) -> Play:
        """A uniform choice from the legal acts."""
        acts = list(legal)
        return acts[self.rng.below(len(acts))]

    def batched(self, ruleset: RuleSet, num_players: int) -> str:
        """The same player for many games at once: compiled code that draws from each row's own stream."""
        return "random"


class LowestAgent(SeededAgent):
    """The first of the legal acts: it leads its lowest card and answers as cheaply as it can."""

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The first act of the list, a pass only where nothing else is legal."""
        return next(iter(legal))

    def batched(self, ruleset: RuleSet, num_players: int) -> Opponent:
        """The same player for many games at once. Raises ConfigError where the ruleset cannot be compiled."""
        from big2_agents.kernels.acts import LOWEST
        from big2_agents.kernels.rule_players import RuleRows

        return RuleRows(ruleset, LOWEST, num_players)


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
        from big2_agents.kernels.rule_players import RuleRows

        return RuleRows(ruleset, GREEDY, num_players)
