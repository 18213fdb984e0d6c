"""Simple baselines that look only at the legal moves, and the base class that agents share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from big2_agents.kernels.codes import GREEDY, LOWEST
from big2_env.base.cards import iter_cards
from big2_env.base.errors import ConfigError, warn_once
from big2_env.base.rng import SplitMix64
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View

if TYPE_CHECKING:
    from big2_env.kernels.opponents import OneGame, Opponent

__all__ = ["SeededAgent", "height"]
Made = TypeVar("Made")
Greedy = TypeVar("Greedy")


class SeededAgent:
    """Base class of agents with a random stream, `rng`, which `reset` restarts."""

    def __init__(self) -> None:
        self.rng = SplitMix64(0)

    def reset(self, seed: int) -> None:
        """Start a game: restart the random stream from `seed`."""
        self.rng = SplitMix64(seed)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def height(ruleset: RuleSet, mask: int) -> int:
    """Return a sort key for card sets of equal size: compares the highest card first, then the next, in the ruleset's order."""
    if ruleset.order.is_by_id:
        return mask
    places = ruleset.order.positions
    return sum(1 << places[card] for card in iter_cards(mask))


def or_greedy(make: Callable[[], Made], greedy: Greedy) -> Made | Greedy:
    """Make an object of kernels. If the kernels do not support the ruleset, warn and return a greedy one instead."""
    try:
        return make()
    except ConfigError as error:
        warn_once(f"{error}; greedy plays instead")
        return greedy


class RandomAgent(SeededAgent):
    """Chooses uniformly at random among the legal moves, including the pass."""

    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return a uniformly random legal move."""
        moves = list(legal)
        return moves[self.rng.below(len(moves))]

    def probabilities(self, view: View, legal: LegalPlays) -> list[float]:
        """Return the probability of each legal move, in their order."""
        return [1 / len(legal)] * len(legal)

    def batched(self, ruleset: RuleSet, num_players: int) -> str:
        """Return the name of the batched opponent that draws from each row's own stream."""
        return "random"

    def chooser(self, engine: OneGame) -> Callable[[], int]:
        """Return a function that draws an action of the seat to move."""

        def choose() -> int:
            listed = engine.listed()
            return int(listed[self.rng.below(len(listed))])

        return choose


class LowestAgent(SeededAgent):
    """Takes the first legal move: leads its lowest card and answers with the cheapest play."""

    is_stochastic = False

    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return the first legal move; it passes only if nothing else is legal."""
        return next(iter(legal))

    def batched(self, ruleset: RuleSet, num_players: int) -> Opponent:
        """Return the version of this agent for many games at once.

        Raises:
            ConfigError: The ruleset cannot be compiled.
        """
        from big2_agents.rule_based.batched import SwitchedRows

        return SwitchedRows(ruleset, LOWEST, num_players)

    def chooser(self, engine: OneGame) -> Callable[[], int]:
        """Return a function that gives the first action of the seat to move."""
        return lambda: int(engine.listed()[0])


class GreedyAgent(SeededAgent):
    """Leads the longest play, answers with the cheapest one, and never passes by choice.

    Leads are compared by number of cards, then price; answers by price alone. The price is lowest for plays that are not bombs,
    then for low power, then for low cards.
    """

    is_stochastic = False

    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return the greedy move; it passes only if nothing else is legal."""
        ruleset = view.ruleset
        categories = ruleset.table.categories
        leads = legal.top is None

        def price(play: Play) -> tuple[int, ...]:
            bomb = categories[play.category].bomb
            return -len(play) if leads else 0, bomb, play.power, height(ruleset, play.mask)

        plays = [play for play in legal if play]
        return min(plays, key=price) if plays else next(iter(legal))

    def batched(self, ruleset: RuleSet, num_players: int) -> Opponent:
        """Return the version of this agent for many games at once.

        Raises:
            ConfigError: The ruleset cannot be compiled.
        """
        from big2_agents.rule_based.batched import SwitchedRows

        return SwitchedRows(ruleset, GREEDY, num_players)

    def chooser(self, engine: OneGame) -> Callable[[], int] | None:
        """Return a function that gives the greedy action of the seat to move, once it is compiled."""
        from big2_agents.rule_based.batched import chooser_of

        return chooser_of(GREEDY, engine)
