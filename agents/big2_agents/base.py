"""What the agents of this package share: the protocol, a random stream of their own, the order of cheapness."""

from __future__ import annotations

from big2_env.agents import Agent
from big2_env.cards import iter_cards
from big2_env.climbing.ruleset import RuleSet
from big2_env.rng import SplitMix64

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
