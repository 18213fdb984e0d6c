"""Scores of weights: mean payoffs on duplicate deals, played in this process or by workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from big2_agents.kernels.codes import GREEDY, RANDOM
from big2_agents.kernels.rule_players import Player, RuleGames
from big2_agents.models.formula import first_weights_of
from big2_env.base.salts import Salts
from big2_env.climbing.ruleset import RuleSet
from big2_env.runs.executors import Executor
from big2_env.runs.item_queue import ItemQueue, answer_task
from big2_env.runs.progress import waiting


class DuplicateDeals:
    """Duplicate deals of a ruleset: a player takes every seat in turn against copies of another one.

    In games with teams it plays on both sides.

    Raises:
        ConfigError: The ruleset has no compiled heuristic.
    """

    def __init__(self, ruleset: RuleSet, players: Sequence[Player]) -> None:
        self.ruleset = ruleset
        self.seats = ruleset.default_players
        self._with_teams = ruleset.auction is not None
        self._games = RuleGames(ruleset, list(players))

    def set_players(self, players: Sequence[Player]) -> None:
        """Replace the players that may be scored."""
        self._games.seat_players(list(players))

    @property
    def games_per_deal(self) -> int:
        """Games of one deal."""
        return self.seats * (1 + self._with_teams)

    def score(self, player: Player, other: Player, seed: int) -> float:
        """Return the mean payoff per game of a player against copies of another one, over all seats of a deal.

        If there are teams, a second set of games swaps the roles and counts the other player's payoff as negative: half of the
        score then measures play as a partner.
        """
        one, two = self._games.code_of(player), self._games.code_of(other)
        total = self._alone(one, two, seed)
        if self._with_teams:
            total = (total - self._alone(two, one, seed)) / 2
        return total / self.seats

    def scores(self, player: Player, others: Sequence[Player], seeds: Sequence[int]) -> list[float]:
        """Return the score on each deal, against the other player of the same index."""
        return [self.score(player, other, seed) for other, seed in zip(others, seeds, strict=True)]

    def _alone(self, one: int, two: int, seed: int) -> float:
        """Return the total payoff of a player over all seats."""
        total, salt = 0.0, Salts().first(seed)
        for seat in range(self.seats):
            codes = [two] * self.seats
            codes[seat] = one
            total += self._games.play(seed, codes, salt)[2][seat]
        return total


class Match(NamedTuple):
    """A player to be scored, and the deals to score it on."""

    player: Player
    others: tuple[Player, ...]
    """The other player of each deal."""
    seeds: tuple[int, ...]


class Scorer(Protocol):
    """Plays matches."""

    def scores(self, matches: Sequence[Match]) -> list[list[float]]:
        """Return the scores of each match, deal by deal, as `DuplicateDeals.scores` does."""


class LocalScorer:
    """Plays matches in this process.

    Raises:
        ConfigError: The ruleset has no compiled heuristic.
    """

    def __init__(self, rules: RuleSet) -> None:
        first = first_weights_of(rules)
        self.duplicate = DuplicateDeals(rules, [GREEDY, RANDOM, first])
        self.duplicate.score(first, GREEDY, 0)  # compiled before the clock runs

    def answer(self, match: Match) -> list[float]:
        """Return the scores of one match."""
        self.duplicate.set_players([match.player, *match.others])
        return self.duplicate.scores(match.player, match.others, match.seeds)

    def scores(self, matches: Sequence[Match]) -> list[list[float]]:
        """Return the scores of each match, deal by deal."""
        return [self.answer(match) for match in matches]


class WorkerScorer:
    """Has matches played by workers; the scores are the same."""

    def __init__(self, queue: ItemQueue) -> None:
        self._queue = queue

    def scores(self, matches: Sequence[Match]) -> list[list[float]]:
        """Return the scores of each match, deal by deal."""
        for match in matches:
            self._queue.give(match)
        return [self._queue.take() for _ in matches]


@contextmanager
def scorer_of(local: LocalScorer, executor: Executor | None) -> Iterator[Scorer]:
    """Provide what plays matches until the block ends: this process without an executor, else its workers.

    Raises:
        ConfigError: Workers that cannot start.
        ImportError: Ray is asked for and not installed.
    """
    if executor is None:
        yield local
        return
    with executor.workers(answer_task(LocalScorer, local.duplicate.ruleset)) as workers:
        with waiting("starting workers"):
            queue = ItemQueue(workers, executor.limit)
        yield WorkerScorer(queue)
