"""Workers that are processes of this machine.

Each has a pipe of its own. So a process that is killed loses only what it was at, and one whose parent is gone reads the end
of its pipe and goes too, without a word.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final

from big2_env.runs.batches import Done, Event, Lost, Ready, Refused
from big2_env.runs.worker import Outcome, Pickled, Task, Worker, portable

BATCH_SECONDS: Final = 0.25
"""How long a batch takes: sending it takes a fifth of a millisecond."""


class Processes:
    """Up to so many processes, each started afresh, not forked: agents may bring threads, which a fork does not survive."""

    batch_seconds: Final = BATCH_SECONDS

    def __init__(self, task: Task, number: int) -> None:
        self._task = pickle.dumps(task)
        self._number = number
        self._context = get_context("spawn")
        self._processes: dict[int, Any] = {}
        self._pipes: dict[int, Any] = {}

    def capacity(self) -> int:
        """How many processes there may be."""
        return self._number

    def start(self, worker: int) -> None:
        """Start a process; it gets its task as soon as it listens."""
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=serve, args=(theirs,), name=f"worker {worker}", daemon=True)
        with _no_interrupts():
            process.start()
        theirs.close()
        self._processes[worker], self._pipes[worker] = process, ours
        self._say(worker, self._task)

    def send(self, worker: int, first: int, items: Sequence[Any]) -> None:
        """Give a process a batch."""
        self._say(worker, pickle.dumps((first, items)))

    def _say(self, worker: int, data: bytes) -> None:
        with suppress(OSError):  # it is gone, which `wait` finds
            self._pipes[worker].send_bytes(data)

    def share(self, value: Any) -> Pickled:
        """A value to be sent through the pipes."""
        return Pickled(pickle.dumps(value))

    def wait(self, seconds: float) -> list[Event]:
        """What the processes say, or that one is gone."""
        workers = {pipe: worker for worker, pipe in self._pipes.items()}
        return [self._read(workers[pipe]) for pipe in wait(list(workers), seconds)]

    def _read(self, worker: int) -> Event:
        try:
            said = pickle.loads(self._pipes[worker].recv_bytes())
        except (EOFError, OSError):
            process = self._processes[worker]
            process.join(1)
            self.stop(worker)
            return Lost(worker, f"exit status {process.exitcode}")
        if isinstance(said, BaseException):
            return Refused(said)
        return Ready(worker) if said is None else Done(worker, *said)

    def stop(self, worker: int) -> None:
        """Kill a process."""
        process = self._processes.pop(worker)
        process.kill()
        process.join()
        self._pipes.pop(worker).close()

    def close(self) -> None:
        """Kill all processes."""
        for process in self._processes.values():
            process.kill()
        for worker in list(self._processes):
            self.stop(worker)


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Let processes that are started meanwhile never hear Ctrl-C: it is the parent's to end them."""
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # the first process would start it, which lets Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve(pipe: Connection) -> None:
    """Do what comes through a pipe until it ends: first a task, then batches."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # before the task is loaded, and numpy with it
    came: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(pipe, came), name="listening", daemon=True).start()
    try:
        worker = Worker(pickle.loads(came.get()))
    except (Exception, SystemExit) as error:
        _answer(pipe, pickle.dumps(portable(error)))
        return
    _answer(pipe, pickle.dumps(None))
    said: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_speak, args=(pipe, said), name="speaking", daemon=True).start()
    while True:
        first, items = pickle.loads(came.get())
        outcome = worker.do(items)
        try:
            data = pickle.dumps((first, outcome))
        except Exception as error:
            data = pickle.dumps((first, Outcome([], outcome.seconds, portable(error))))
        said.put(data)


def _listen(pipe: Connection, came: SimpleQueue[bytes]) -> None:
    """Take what comes at once, so that the parent never waits to send; where the parent is gone, end the process."""
    with suppress(EOFError, OSError):
        while True:
            came.put(pipe.recv_bytes())
    os._exit(1)


def _speak(pipe: Connection, said: SimpleQueue[bytes]) -> None:
    """Send what is done, so that a worker never waits for a parent that is busy."""
    while True:
        _answer(pipe, said.get())


def _answer(pipe: Connection, data: bytes) -> None:
    try:
        pipe.send_bytes(data)
    except OSError:
        os._exit(1)
