"""One function where actions are places in the hand, another where they are ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import overload


def by_kind(by_places: Any, by_ranks: Any) -> Callable[..., Any]:
    """A function for compiled code alone that is one of two, by the type of its first argument, a compiled ruleset.

    Both are functions of `bits.inner`. The one that is meant becomes part of its caller: a call between would be compiled too.
    """

    def either(*given: Any) -> Any:
        raise NotImplementedError("only compiled code may call this")

    @overload(either, strict=False, jit_options={"error_model": "numpy"})
    def choose(*given: Any) -> Any:
        return (by_places if "action_slots" in given[0].fields else by_ranks).py_func

    return either
