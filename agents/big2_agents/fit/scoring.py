"""What weights are paid on duplicate deals, asked for many players at once: in this process, or by workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from big2_agents.fit.duplicate_deals import DuplicateDeals
from big2_agents.formula import first_weights_of
from big2_agents.kernels.acts import GREEDY, RANDOM
from big2_agents.kernels.rule_players import Player
from big2_env.climbing.ruleset import RuleSet
from big2_env.runs.executors import Executor
from big2_env.runs.item_queue import ItemQueue, answer_task
from big2_env.runs.progress import waiting


class Asked(NamedTuple):
    """A player and the deals on which it is asked about."""

    player: Player
    others: tuple[Player, ...]
    """The other player of each deal."""
    seeds: tuple[int, ...]


class Scorer(Protocol):
    """Who plays the deals."""

    def scores(self, asked: Sequence[Asked]) -> list[list[float]]:
        """For each player its scores deal by deal, as `DuplicateDeals.scores` gives them."""


class OwnScorer:
    """The deals are played in this process.

    Raises:
        ConfigError: the ruleset has no compiled heuristic.
    """

    def __init__(self, rules: RuleSet) -> None:
        first = first_weights_of(rules)
        self.duplicate = DuplicateDeals(rules, [GREEDY, RANDOM, first])
        self.duplicate.score(first, GREEDY, 0)  # compiled before the clock runs

    def answer(self, asked: Asked) -> list[float]:
        """The scores of one player."""
        self.duplicate.seat_players([asked.player, *asked.others])
        return self.duplicate.scores(asked.player, asked.others, asked.seeds)

    def scores(self, asked: Sequence[Asked]) -> list[list[float]]:
        """For each player its scores, deal by deal."""
        return [self.answer(one) for one in asked]


class WorkerScorer:
    """The deals are played by workers: the scores are the same."""

    def __init__(self, asking: ItemQueue) -> None:
        self._asking = asking

    def scores(self, asked: Sequence[Asked]) -> list[list[float]]:
        """For each player its scores, deal by deal."""
        for one in asked:
            self._asking.give(one)
        return [self._asking.take() for _ in asked]


@contextmanager
def scorer_of(own: OwnScorer, executor: Executor | None) -> Iterator[Scorer]:
    """Who plays the deals until the block ends: this process without an executor, else its workers.

    Raises:
        ConfigError: workers that cannot begin.
        ImportError: Ray is asked for and not installed.
    """
    if executor is None:
        yield own
        return
    with executor.workers(answer_task(OwnScorer, own.duplicate.ruleset)) as workers:
        with waiting("starting workers"):
            asking = ItemQueue(workers, executor.limit)
        yield WorkerScorer(asking)
