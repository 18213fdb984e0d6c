"""What a worker of any kind does: items in, an outcome out. Executors differ only in where their workers are."""

from __future__ import annotations

import pickle
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from big2_env.errors import ConfigError


class Task(NamedTuple):
    """What the workers of a run are for."""

    function: Callable[[Any], Any]
    """Importable; called with one item."""
    start: Callable[..., object] | None = None
    """Importable; called once in each worker, before its first item."""
    given: tuple[Any, ...] = ()
    """The arguments of `start`."""


class Outcome(NamedTuple):
    """What became of a batch of items."""

    results: list[Any]
    """The results of the items up to the end, or up to the one that failed."""
    seconds: float
    """How long the items took."""
    error: BaseException | None = None
    """What the next item raised."""
    traceback: str = ""
    """Where it was raised, as text."""


class Shared(Protocol):
    """A value that many items have; how it is sent to workers is theirs to know."""

    def get(self) -> Any:
        """The value, a copy or one that must not be written to."""
        ...


class Pickled(NamedTuple):
    """A value as bytes: it is pickled once, however many workers it is sent to."""

    data: bytes

    def get(self) -> Any:
        """A copy of the value."""
        return pickle.loads(self.data)


class Worker:
    """Does the items of one task, in the process it was made in."""

    def __init__(self, task: Task) -> None:
        self._function = task.function
        if task.start is not None:
            task.start(*task.given)

    def do(self, items: Sequence[Any]) -> Outcome:
        """What becomes of the items. The first error ends the batch, and is part of what comes back."""
        began, results = time.perf_counter(), []
        try:
            for item in items:
                results.append(self._function(item))  # noqa: PERF401 - what is done before an error is kept
        except (Exception, SystemExit) as error:
            return Outcome(results, time.perf_counter() - began, portable(error), traceback.format_exc())
        return Outcome(results, time.perf_counter() - began)


def portable(error: BaseException) -> BaseException:
    """The error itself where it can be sent to another process, else its text."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def installed_version() -> str:
    """The version of this package that is installed here, empty where only its files are."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("big2_env")
    except PackageNotFoundError:
        return ""


def check_version(version: str, where: str) -> None:
    """Refuse a worker that has another version of this package: its results might differ.

    Raises:
        ConfigError: it has another version.
    """
    if version != installed_version():
        raise ConfigError(f"expected big2_env {installed_version()} on every machine, got {version or 'none'} on {where}")
