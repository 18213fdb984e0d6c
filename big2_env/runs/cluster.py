"""Workers that are Ray actors, on this machine or on all machines of a cluster."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from socket import create_connection
from threading import current_thread
from typing import Any, Final, NamedTuple, TextIO

from big2_env.base.errors import ConfigError, needing
from big2_env.runs.batches import (
    BatchResult,
    Done,
    Event,
    Lost,
    Ready,
    StartFailed,
    Task,
    Worker,
    check_version,
    installed_version,
    portable,
)
from big2_env.runs.progress import waiting

EXTRA: Final = "Ray is needed for this: pip install 'big2_env[ray]'"
BATCH_SECONDS: Final = 1.0
"""Least duration of a batch; sending one takes about a millisecond."""
WORKERS_A_SECOND: Final = 250
"""Number of workers above which batches grow, which bounds the messages per second that this process sends."""
OBJECT_STORE: Final = 100_000_000
"""Bytes of shared memory for Ray on this machine; batches and results are small and do not use it."""
LOOK: Final = 5.0
"""Seconds between checks of the cluster's size."""


class Stored(NamedTuple):
    """A value in Ray's object store, sent once to each machine."""

    reference: Any

    def get(self) -> Any:
        """Return the value; its arrays are in the store and read-only."""
        return _ray().get(self.reference)


class RayTask:
    """A worker as a Ray actor."""

    def __init__(self) -> None:
        self._worker: Worker | None = None

    def begin(self, task: Task[Any]) -> tuple[str, BaseException | None]:
        """Start the worker; return the installed version of this package and the exception that prevented the start."""
        try:
            self._worker = Worker(task)
        except (Exception, SystemExit) as error:
            return installed_version(), portable(error)
        return installed_version(), None

    def do(self, items: Sequence[Any]) -> BatchResult:
        """Run the items of a batch."""
        assert self._worker is not None
        return self._worker.do(items)


class Actors:
    """A pool of actors of the Ray cluster that this process is connected to.

    Args:
        task: Work of the actors.
        number: Number of actors, 0 for one per core of the cluster.
    """

    def __init__(self, task: Task[Any], number: int) -> None:
        self._ray = _ray()
        self._task = self._ray.put(task)
        self._make = self._ray.remote(num_cpus=1)(RayTask)
        self._fixed, self._cores, self._looked = number, 0, -LOOK
        self._actors: dict[int, Any] = {}
        self._said: dict[Any, tuple[int, int | None]] = {}
        """Worker and first item of each awaited answer; `None` instead of the item for a worker's start."""

    @property
    def batch_seconds(self) -> float:
        """Intended duration of a batch, in seconds."""
        return BATCH_SECONDS * max(1.0, len(self._actors) / WORKERS_A_SECOND)

    def capacity(self) -> int:
        """Return the most actors at a time: a fixed number, or the cluster's cores, which come and go."""
        if self._fixed:
            return self._fixed
        if time.monotonic() - self._looked >= LOOK:
            self._cores, self._looked = num_cores_of_cluster(), time.monotonic()
        return self._cores

    def start(self, worker: int) -> None:
        """Request an actor; it starts when the cluster has a free core."""
        actor = self._actors[worker] = self._make.remote()
        self._said[actor.begin.remote(self._task)] = worker, None

    def send(self, worker: int, first: int, items: Sequence[Any]) -> None:
        """Send an actor a batch."""
        self._said[self._actors[worker].do.remote(items)] = worker, first

    def share(self, value: Any) -> Stored:
        """Put a value into the object store; it is freed after the last item that refers to it."""
        return Stored(self._ray.put(value))

    def wait(self, seconds: float) -> list[Event]:
        """Return what the actors sent within some seconds, or that one has died."""
        if not self._said:
            time.sleep(min(seconds, 0.1))
            return []
        self._ray.wait(list(self._said), num_returns=1, timeout=seconds)
        ready, _ = self._ray.wait(list(self._said), num_returns=len(self._said), timeout=0)
        return [event for said in ready if said in self._said and (event := self._read(said)) is not None]

    def _read(self, said: Any) -> Event | None:
        worker, first = self._said.pop(said)
        try:
            answer = self._ray.get(said)
        except self._ray.exceptions.RayTaskError as error:  # what it found cannot be sent
            failed = portable(error)
            return StartFailed(failed) if first is None else Done(worker, first, BatchResult([], 0.0, failed, str(error)))
        except self._ray.exceptions.RayError as error:
            self.stop(worker)
            return Lost(worker, type(error).__name__)
        if first is not None:
            return Done(worker, first, answer)
        version, failure = answer
        check_version(version, "a machine of the cluster")
        return Ready(worker) if failure is None else StartFailed(failure)

    def stop(self, worker: int) -> None:
        """Kill an actor and discard its pending answers."""
        with suppress(Exception):  # it is gone already
            self._ray.kill(self._actors[worker])
        del self._actors[worker]
        self._said = {said: of for said, of in self._said.items() if of[0] != worker}

    def close(self) -> None:
        """Kill all actors."""
        for worker in list(self._actors):
            self.stop(worker)


def num_cores_of_cluster() -> int:
    """Return how many cores the cluster has now."""
    return int(_ray().cluster_resources().get("CPU", 0))


def _ray() -> Any:
    """Return the `ray` module.

    Raises:
        ImportError: Ray is not installed.
    """
    with needing(EXTRA):
        import ray
    return ray


def check_installed() -> None:
    """Check that Ray is installed, before any work starts.

    Raises:
        ImportError: Ray is not installed; the error names the extra.
    """
    from importlib.util import find_spec

    if find_spec("ray") is None:
        raise ImportError(EXTRA)


class _Output:
    """Standard output that sends what Ray's own threads print to standard error, so that programs can read the results."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write to the stream, or to standard error in a thread of Ray."""
        return (sys.stderr if current_thread().name.startswith("ray_") else self._stream).write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _check_reachable(address: str | None) -> None:
    """Raise `OSError` if no server listens at HOST:PORT; Ray itself would try for minutes."""
    host, colon, port = (address or "").rpartition(":")
    if colon and "/" not in host and port.isdecimal():
        create_connection((host.strip("[]"), int(port)), timeout=10).close()


@contextmanager
def connected(address: str | None, number: int) -> Iterator[None]:
    """Connect to Ray for the duration of the block. An existing connection of this process is used and kept.

    Args:
        address: `auto`, HOST:PORT or ray://HOST:PORT; `None` starts Ray on this machine.
        number: Cores of a Ray that is started here.

    Raises:
        ConfigError: No cluster answers at the address.
        ImportError: Ray is not installed.
    """
    ray = _ray()
    if ray.is_initialized():
        yield
        return
    quiet: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    own: dict[str, Any] = {"num_cpus": number, "object_store_memory": OBJECT_STORE}
    if address is None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported of a Ray that nobody else sees
        os.environ.setdefault("RAY_worker_niceness", "0")  # as processes here; Ray's own is 15, which other work starves
    with waiting("starting Ray" if address is None else f"joining the Ray cluster at {address}"):
        try:
            _check_reachable(address)
            ray.init(**quiet, **({"address": "local"} | own if address is None else {"address": address}))
        except Exception as error:  # Ray says by a plain one that it did not start in time
            ray.shutdown()
            said = (str(error).splitlines() or [type(error).__name__])[0]
            if address is None:
                raise ConfigError(f"expected a Ray that starts on this machine, got none: {said}") from None
            raise ConfigError(f"expected a Ray cluster at {address}, found none: {said}") from None
    try:
        with redirect_stdout(_Output(sys.stdout)):
            yield
    finally:
        ray.shutdown()
