"""What weights are paid a game on duplicate deals: alone against others in every seat; in games with teams, on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from big2_agents.kernels.acts import GREEDY, RANDOM
from big2_agents.kernels.rule_players import Player, RuleGames
from big2_env.climbing.ruleset import RuleSet

__all__ = ["GREEDY", "RANDOM", "DuplicateDeals"]


class DuplicateDeals:
    """Plays weights against rule players under a ruleset.

    Raises:
        ConfigError: the ruleset has no compiled heuristic.
    """

    def __init__(self, ruleset: RuleSet, players: Iterable[Player]) -> None:
        self.ruleset = ruleset
        self.seats = ruleset.default_players
        self._with_teams = ruleset.auction is not None
        self._games = RuleGames(ruleset, list(players))

    def seat_players(self, players: Iterable[Player]) -> None:
        """Exchange the players."""
        self._games.seat_players(list(players))

    @property
    def games_a_deal(self) -> int:
        """How many games a deal is."""
        return self.seats * (1 + self._with_teams)

    def score(self, player: Player, other: Player, seed: int) -> float:
        """The mean payoff a game of a player alone against others, over all seats of a deal.

        Where there are teams a second set of games has the other player alone, and counts what that one loses: half of the
        score is then for playing beside oneself.
        """
        one, two = self._games.code_of(player), self._games.code_of(other)
        total = self._alone(one, two, seed)
        if self._with_teams:
            total = (total - self._alone(two, one, seed)) / 2
        return total / self.seats

    def scores(self, player: Player, others: Sequence[Player], seeds: Sequence[int]) -> list[float]:
        """The score of each deal, against the other player that stands beside its seed."""
        return [self.score(player, other, seed) for other, seed in zip(others, seeds, strict=True)]

    def _alone(self, one: int, two: int, seed: int) -> float:
        """What a player is paid in one seat after the other."""
        total = 0.0
        for seat in range(self.seats):
            codes = [two] * self.seats
            codes[seat] = one
            total += self._games.play(seed, codes)[2][seat]
        return total
