"""A worker in this process, for tests of what workers are given and give."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import pytest

from big2_env.runs.batches import Done, Event, Pickled, Ready, Task, Worker
from big2_env.runs.executors import Local

T = TypeVar("T")

STALENESS = [
    pytest.param(asked, found, marks=[pytest.mark.long, *[pytest.mark.release] * (asked != 1)])
    for asked, found in [(0, [0, 0, 0, 0, 0]), (1, [0, 1, 1, 1, 1]), (4, [0, 1, 2, 3, 4])]
]
"""What is asked of workers, and how stale the first five rounds are then; long, because each worker loads torch."""


def copied(value: T) -> T:
    """A copy as another process would get it."""
    return cast(T, pickle.loads(pickle.dumps(value)))


class WorkerHere:
    """One worker in this process; like others it reads and writes copies."""

    batch_seconds = 1.0

    def __init__(self, task: Task) -> None:
        self.worker, self.events = Worker(copied(task)), deque[Event]()

    def capacity(self) -> int:
        return 1

    def start(self, worker: int) -> None:
        self.events.append(Ready(worker))

    def send(self, worker: int, first: int, items: Sequence[Any]) -> None:
        self.events.append(Done(worker, first, copied(self.worker.do(copied(items)))))

    def wait(self, seconds: float) -> list[Event]:
        return [self.events.popleft()]

    def stop(self, worker: int) -> None:
        raise AssertionError("nothing hangs")

    def share(self, value: Any) -> Pickled:
        return Pickled(pickle.dumps(value))


class ExecutorHere(Local):
    """This process in the place of workers."""

    @contextmanager
    def workers(self, task: Task) -> Iterator[WorkerHere]:  # type: ignore[override]
        yield WorkerHere(task)
