"""A lock for objects with scratch memory, so that threads can share an object."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Concatenate, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class OneCall:
    """Lock of an object whose calls run one after another. A copy of the object has its own."""

    def __init__(self) -> None:
        self.lock = RLock()

    def __reduce__(self) -> tuple[type[OneCall], tuple[()]]:
        return OneCall, ()


class _Locked(Protocol):
    one_call: OneCall


L = TypeVar("L", bound=_Locked)


def one_at_a_time(method: Callable[Concatenate[L, P], R]) -> Callable[Concatenate[L, P], R]:
    """Make a method wait until other threads have left the decorated methods of its object, which has a lock `one_call`."""

    @wraps(method)
    def call(self: L, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self.one_call.lock:
            return method(self, *args, **kwargs)

    return call
