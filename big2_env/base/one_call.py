"""A lock for objects with scratch memory, so that threads can share an object."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Any, Concatenate, Final, ParamSpec, Protocol, Self, TypeVar

CALLS: Final = frozenset(
    ("reset", "step", "step_into", "state", "legal_ids", "action_masks", "random_actions", "render", "scene")
)
"""Methods of environments that run one after another. `observe` and `last` of PettingZoo would take a tenth longer."""
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


class OneThread:
    """Base class of environments: if threads share one, moves and resets run one after another."""

    one_call: OneCall

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Return an object with a lock of its own."""
        made = super().__new__(cls)
        made.one_call = OneCall()
        return made

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Decorate the methods in `CALLS`."""
        super().__init_subclass__(**kwargs)
        for name in CALLS & vars(cls).keys():
            setattr(cls, name, one_at_a_time(vars(cls)[name]))
