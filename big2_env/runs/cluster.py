"""Workers that are Ray actors: on this machine, or on all machines of a cluster."""

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

from big2_env.errors import ConfigError
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
"""How long a batch takes at least: sending it takes some milliseconds."""
WORKERS_A_SECOND: Final = 250
"""Workers beyond which batches grow, so that this process has no more than so many to send a second."""
OBJECT_STORE: Final = 100_000_000
"""Bytes of shared memory for a Ray of our own; batches and results are small and do not go through it."""
LOOK: Final = 5.0
"""Seconds from one look at how large the cluster is to the next."""


class Stored(NamedTuple):
    """A value in Ray's object store: each machine gets it once."""

    reference: Any

    def get(self) -> Any:
        """The value; its arrays are those of the store, which cannot be written to."""
        return _ray().get(self.reference)


class RayTask:
    """A worker as an actor."""

    def __init__(self) -> None:
        self._worker: Worker | None = None

    def begin(self, task: Task) -> tuple[str, BaseException | None]:
        """The version of this package here, and what kept the worker from beginning."""
        try:
            self._worker = Worker(task)
        except (Exception, SystemExit) as error:
            return installed_version(), portable(error)
        return installed_version(), None

    def do(self, items: Sequence[Any]) -> BatchResult:
        """What becomes of the items."""
        assert self._worker is not None
        return self._worker.do(items)


class Actors:
    """Actors of the Ray that this process is connected to; `number` is how many, 0 for one on each core of the cluster."""

    def __init__(self, task: Task, number: int) -> None:
        self._ray = _ray()
        self._task = self._ray.put(task)
        self._make = self._ray.remote(num_cpus=1)(RayTask)
        self._fixed, self._cores, self._looked = number, 0, -LOOK
        self._actors: dict[int, Any] = {}
        self._said: dict[Any, tuple[int, int | None]] = {}
        """By what an actor will say: its number and the first item, none where it begins."""

    @property
    def batch_seconds(self) -> float:
        """How long a batch should take."""
        return BATCH_SECONDS * max(1.0, len(self._actors) / WORKERS_A_SECOND)

    def capacity(self) -> int:
        """How many actors there may be: a fixed number, or the cluster's cores, which come and go."""
        if self._fixed:
            return self._fixed
        if time.monotonic() - self._looked >= LOOK:
            self._cores, self._looked = num_cores_of_cluster(), time.monotonic()
        return self._cores

    def start(self, worker: int) -> None:
        """Ask for an actor; it is there when the cluster has a core for it."""
        actor = self._actors[worker] = self._make.remote()
        self._said[actor.begin.remote(self._task)] = worker, None

    def send(self, worker: int, first: int, items: Sequence[Any]) -> None:
        """Give an actor a batch."""
        self._said[self._actors[worker].do.remote(items)] = worker, first

    def share(self, value: Any) -> Stored:
        """A value put into the object store; it leaves it with the last item that has it."""
        return Stored(self._ray.put(value))

    def wait(self, seconds: float) -> list[Event]:
        """What the actors say, or that one is gone."""
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
        """Kill an actor; what it had still to say is not waited for."""
        with suppress(Exception):  # it is gone already
            self._ray.kill(self._actors[worker])
        del self._actors[worker]
        self._said = {said: of for said, of in self._said.items() if of[0] != worker}

    def close(self) -> None:
        """Kill all actors."""
        for worker in list(self._actors):
            self.stop(worker)


def num_cores_of_cluster() -> int:
    """How many cores the cluster has now."""
    return int(_ray().cluster_resources().get("CPU", 0))


def _ray() -> Any:
    """The package.

    Raises:
        ImportError: it is not installed.
    """
    try:
        import ray
    except ImportError:
        raise ImportError(EXTRA) from None
    return ray


def check_installed() -> None:
    """Refuse where Ray is not installed, before anything is done.

    Raises:
        ImportError: it is not, with the name of the extra.
    """
    from importlib.util import find_spec

    if find_spec("ray") is None:
        raise ImportError(EXTRA)


class _Output:
    """Standard output without what Ray's own threads print, which goes to standard error: results are read by programs."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write where the thread that prints may."""
        return (sys.stderr if current_thread().name.startswith("ray_") else self._stream).write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _check_reachable(address: str | None) -> None:
    """Raise OSError where nobody listens at HOST:PORT: Ray itself would try for minutes."""
    host, colon, port = (address or "").rpartition(":")
    if colon and "/" not in host and port.isdecimal():
        create_connection((host.strip("[]"), int(port)), timeout=10).close()


@contextmanager
def connected(address: str | None, number: int) -> Iterator[None]:
    """A connection to Ray that ends with the block; where this process is connected already, that serves and stays.

    Args:
        address: `auto`, HOST:PORT or ray://HOST:PORT; `None` starts a Ray here.
        number: how many cores a Ray that is started here has.

    Raises:
        ConfigError: there is no cluster at the address.
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
