"""Rollouts of a learner: made in its own process, or by rollout workers that work ahead of it.

A request holds all that a rollout depends on, apart from the weights. So its result is the same in any process, and again if a
worker is lost. With workers (`big2_env.runs.item_queue.RoundsAhead`) a run depends on its seed and its staleness alone; with a
staleness of 0 it is the same as without workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol, TypeAlias

import torch

from big2_env.runs.batches import Shared
from big2_env.runs.executors import Executor
from big2_env.runs.item_queue import RoundsAhead, answer_task
from big2_env.runs.progress import waiting


class Player(Protocol):
    """Makes rollouts."""

    def load(self, weights: Any) -> None:
        """Take the weights of the learner's networks."""

    def play(self, request: Any) -> Any:
        """Make a rollout."""


class Learner(Protocol):
    """Learns from rollouts."""

    iteration: int

    @property
    def args(self) -> Any:
        """Hyper-parameters, among them `staleness`."""

    @property
    def player(self) -> Player:
        """Makes rollouts in this process, by the networks as they are."""

    def request(self, number: int, staleness: int) -> Any:
        """Return the request for the rollout of an iteration."""

    def weights(self) -> Any:
        """Return the weights for `Player.load`."""

    def worker_player(self) -> tuple[Any, ...]:
        """Return an importable function that makes a worker's player, and its arguments."""


class Rollout(NamedTuple):
    """A rollout that was made."""

    result: Any
    staleness: int
    """Updates since the weights that made it."""


Rollouts: TypeAlias = Callable[[], Rollout]
"""Returns the rollout of the learner's iteration."""


class _Order(NamedTuple):
    """A rollout for a worker to make."""

    request: Any
    weights: Shared
    iteration: int
    """Updates that the weights have seen."""


class RolloutWorker:
    """A worker that makes rollouts on the processor.

    Args:
        make: Makes the player.
        given: Arguments of `make`.
    """

    def __init__(self, make: Callable[..., Player], *given: Any) -> None:
        torch.set_num_threads(1)
        self._player = make(*given)

    def answer(self, order: _Order) -> tuple[Any, int]:
        """Make a rollout; return it with the number of updates that its weights have seen."""
        self._player.load(order.weights.get())
        return self._player.play(order.request), order.iteration


@contextmanager
def rollouts_of(learner: Learner, executor: Executor | None) -> Iterator[Rollouts]:
    """Provide a learner's rollouts until the block ends: from its own process without an executor, else from workers.

    Raises:
        ConfigError: Workers that cannot start.
        ImportError: Ray is asked for and not installed.
    """
    if executor is None:
        yield lambda: own_rollout(learner)
        return
    with executor.workers(answer_task(RolloutWorker, *learner.worker_player())) as workers:

        def order(number: int) -> _Order:
            request = learner.request(number, ahead.staleness)
            return _Order(request, workers.share(learner.weights()), learner.iteration)

        def take() -> Rollout:
            result, iteration = ahead.take(learner.iteration)
            return Rollout(result, learner.iteration - iteration)

        with waiting("starting rollout workers"):
            ahead = RoundsAhead(workers, order, learner.iteration, learner.args.staleness, executor.limit)
        yield take


def own_rollout(learner: Learner) -> Rollout:
    """Make the rollout of the learner's iteration in this process."""
    return Rollout(learner.player.play(learner.request(learner.iteration, 0)), 0)
