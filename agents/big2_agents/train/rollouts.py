"""Rollouts of a learner, made in its own process or by rollout workers that work ahead of it.

A request contains everything a rollout depends on except the weights. The result is therefore the same in any process, and the
same again if a worker dies. With workers (`big2_env.runs.item_queue.RoundsAhead`) a run depends only on its seed and staleness;
a staleness of 0 gives the same run as no workers.
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
    """Player of rollouts."""

    def load(self, weights: Any) -> None:
        """Load the weights of the learner's networks."""

    def play(self, request: Any) -> Any:
        """Make a rollout."""


class Learner(Protocol):
    """Consumer of rollouts."""

    iteration: int
    args: Any
    """Hyper-parameters, including `staleness`."""
    player: Any
    """`Player` in this process, with the current networks."""

    def request(self, number: int, staleness: int) -> Any:
        """Return the request for the rollout of an iteration."""

    def weights(self) -> Any:
        """Return the weights for `Player.load`."""

    def worker_player(self) -> tuple[Any, ...]:
        """Return an importable function that makes a worker's player, followed by its arguments."""


class Rollout(NamedTuple):
    """Finished rollout."""

    result: Any
    staleness: int
    """Updates since its weights were current."""


Rollouts: TypeAlias = Callable[[], Rollout]
"""Function that returns the rollout of the learner's iteration."""


class _Order(NamedTuple):
    """Order of a rollout from a worker."""

    request: Any
    weights: Shared
    iteration: int
    """Updates before these weights."""


class RolloutWorker:
    """Worker that makes rollouts on the processor.

    Args:
        make: Function that makes the player.
        given: Arguments of `make`.
    """

    def __init__(self, make: Callable[..., Player], *given: Any) -> None:
        torch.set_num_threads(1)
        self._player = make(*given)

    def answer(self, order: _Order) -> tuple[Any, int]:
        """Make a rollout; return it with the number of updates before its weights."""
        self._player.load(order.weights.get())
        return self._player.play(order.request), order.iteration


@contextmanager
def rollouts_of(learner: Learner, executor: Executor | None) -> Iterator[Rollouts]:
    """Provide a learner's rollouts until the block ends.

    Args:
        learner: The learner.
        executor: Executor of the rollout workers; `None` to play in this process.

    Raises:
        ConfigError: Workers cannot start.
        ImportError: Ray is asked for but not installed.
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
    """Return the rollout of the learner's iteration, made in this process."""
    return Rollout(learner.player.play(learner.request(learner.iteration, 0)), 0)
