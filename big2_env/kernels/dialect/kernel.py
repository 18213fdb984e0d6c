"""Decorators that turn functions into kernels compiled by numba, and functions with two implementations by feature.

`interpreted.py` defines the same names for kernels that run as plain Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

import numpy as np
from numba import config, from_dtype, typeof, types
from numba.core import cgutils, event
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from big2_env.kernels.dialect import Feature
from big2_env.kernels.dialect.cardsets import CARDS_128
from big2_env.kernels.dialect.compiling import by_type, compiled, inner, selected
from big2_env.kernels.dialect.sources import PACKAGES

__all__ = ["array_at", "array_in", "cache_folder", "clear", "compiled_by", "compiling_noted", "copied", "fill", "kernel"]
__all__ += ["record_at", "record_in", "specialize", "specialized", "store", "wipe"]

_OPTIONS: dict[str, Any] = {"error_model": "numpy"}
_FIELD_OF = {
    Feature.BY_SLOTS: "action_slots",
    Feature.HAS_EXTRAS: "bidding",
    Feature.BY_CARD: "by_card",
    Feature.HEURISTIC_SITS: "weights",
}
"""By feature: a field that only records with this feature have."""


def _has(feature: Feature, given: Sequence[Any]) -> bool:
    """Return whether the argument types of a call have a feature."""
    if feature is Feature.TWO_DECKS:
        return CARDS_128 in given
    if feature is Feature.PACKED:  # a row for an observation, uint8 (bytes,)
        return types.CPointer(types.uint8) in given
    return any(_FIELD_OF[feature] in getattr(one, "fields", ()) for one in given)


def kernel(
    function: Callable[..., Any] | None = None, *, entry: bool = False, inline: bool = False, fastmath: bool = False
) -> Any:
    """Compile a function that kernels call.

    Compiled code is cached on disk. Private functions and lambdas are cached only with `entry` or `inline`: the cached code of
    the functions that call them contains them.

    Args:
        function: The decorated function.
        entry: True if Python calls the function too. An entry point from Python takes a third of the compile time.
        inline: True to inline the function into its callers. This saves time if the function is an expression, or mainly calls
            one larger kernel. Inlining a large function into several callers takes longer than compiling it.
        fastmath: True to allow reordering of float sums.
    """
    if function is None:
        return lambda function: kernel(function, entry=entry, inline=inline, fastmath=fastmath)
    if entry:
        return compiled(function, nogil=True, fastmath=fastmath, **_OPTIONS)
    if inline:
        return compiled(function, inline="always", **_OPTIONS)
    return inner(function, fastmath=fastmath)


def specialize(feature: Feature, then: Any, otherwise: Any) -> Any:
    """Return a function for kernels: the kernel `then` if the records among its arguments have a feature, else `otherwise`.

    `otherwise` is a kernel or a constant.
    """
    return selected(lambda *given: then if _has(feature, given) else otherwise)


def specialized(feature: Feature, otherwise: Any = None) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that makes a function a kernel for rulesets with a feature.

    For all other rulesets the function returns `otherwise`, at no cost.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        return specialize(feature, kernel(function), otherwise)

    return decorate


@kernel(inline=True)
def copied(record: Any) -> Any:
    """Return a record for assignment to a field: the field receives a copy."""
    return record


@kernel(inline=True)
def fill(out: Any, i: Any, start: Any, stop: Any, value: Any) -> None:
    """Write a number to the entries `start` to `stop` - 1 of row `i`."""
    out[i, start:stop] = value


@kernel(inline=True)
def clear(out: Any, i: Any) -> None:
    """Write zeros to row `i`."""
    out[i, :] = 0


@kernel(inline=True)
def wipe(array: Any) -> None:
    """Write zeros to an array without rows."""
    array[:] = 0


@kernel(inline=True)
def store(array: Any, values: Any) -> None:
    """Write numbers to the beginning of an array without rows.

    `array[:] = values` would also compile the comparison of the lengths and the text of its error.
    """
    for n in range(len(values)):
        array[n] = values[n]


@cache
def record_at(dtype: np.dtype[Any]) -> Any:
    """Return an intrinsic for compiled code that gives the record of that dtype at an address, int64."""
    record = from_dtype(dtype)

    @intrinsic
    def at(typingctx: Any, place: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(record))

        return record(types.int64), codegen

    return at


@intrinsic
def array_at(typingctx: Any, place: Any, shape: Any, kind: Any) -> Any:
    """Return the array of a shape and a type of numbers at an address, int64, in C order."""
    array = types.Array(kind.dtype, len(shape), "C")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        entry = context.get_data_type(array.dtype)
        size = context.get_abi_sizeof(entry)
        lengths = cgutils.unpack_tuple(builder, args[1], array.ndim)
        strides = [cgutils.intp_t(size)]
        for length in reversed(lengths[1:]):
            strides.insert(0, builder.mul(strides[0], length))
        found = context.make_array(array)(context, builder)
        populate_array(found, builder.inttoptr(args[0], entry.as_pointer()), lengths, strides, size, meminfo=None)
        return found._getvalue()

    return array(types.int64, types.UniTuple(types.int64, array.ndim), kind), codegen


def record_in(field: str, dtype_of: Callable[[Any], np.dtype[Any]]) -> Any:
    """Return a function for kernels that gives the record whose address a call's arguments have in a field.

    Args:
        field: The field. With an index as second argument of the function it has the address of the first of several records.
        dtype_of: Gives the dtype of the record for the names of the arguments' fields.
    """

    def found(call: Any, i: Any = 0) -> Any:
        raise TypeError("expected a call from a kernel: this function has no form for Python")

    @by_type(found)
    def typed(call: Any, i: Any = 0) -> Any:
        dtype = dtype_of(call.fields)
        at, size = record_at(dtype), dtype.itemsize
        return lambda call, i=0: at(call[field] + i * size)

    return found


def array_in(dtype_of: Callable[[Any], np.dtype[Any]]) -> Any:
    """Return a function for kernels that gives the array at an address, as `array_at` does.

    Args:
        dtype_of: Gives the dtype of the array for the names of the fields of a call's arguments.
    """

    def found(call: Any, place: Any, shape: Any) -> Any:
        raise TypeError("expected a call from a kernel: this function has no form for Python")

    @by_type(found)
    def typed(call: Any, place: Any, shape: Any) -> Any:
        kind = getattr(np, dtype_of(call.fields).name)
        return lambda call, place, shape: array_at(place, shape, kind)

    return found


def compiled_by(act: Callable[[], object]) -> int:
    """Return how many functions numba compiles while `act` runs, not counting those loaded from disk."""
    with event.install_recorder("numba:compile") as recorder:
        act()
    return sum(each.is_start for _, each in recorder.buffer)


@contextmanager
def compiling_noted(note: Callable[[bool], None]) -> Iterator[None]:
    """Call `note(True)` when numba starts to compile a function in this process, `note(False)` when it has finished.

    Functions loaded from numba's cache do not count.
    """
    with event.install_listener("numba:compile", _Listener(note)):
        yield


class _Listener(event.Listener):  # type: ignore[misc]
    """Listener that notes the outermost of nested compilations, unless it is of a function outside our packages."""

    def __init__(self, note: Callable[[bool], None]) -> None:
        self._note, self._depth, self._is_ours = note, 0, False

    def on_start(self, started: Any) -> None:
        self._depth += 1
        if self._depth == 1:
            self._is_ours = started.data["dispatcher"].py_func.__module__.partition(".")[0] in PACKAGES
            if self._is_ours:
                self._note(True)

    def on_end(self, _: Any) -> None:
        self._depth -= 1
        if self._depth == 0 and self._is_ours:
            self._note(False)


def _note_compilations() -> None:
    """Have all compilations of this process noted."""
    from big2_env.base.compile_note import NOTE  # here, because the stamps of kernels cover what is imported at the top

    event.register("numba:compile", _Listener(lambda is_compiling: NOTE.begin() if is_compiling else NOTE.end()))


_note_compilations()


def form_for(function: Any, *args: Any) -> Callable[..., Any]:
    """Return the compiled form of an entry kernel for arguments of the same types as these.

    Calling it is faster than calling the kernel, which searches for the form at each call. The form does not check the types
    of its arguments.
    """
    form: Callable[..., Any] = function.compile(tuple(map(typeof, args)))
    return form


def is_compiled(function: Any, *args: Any) -> bool:
    """Return whether an entry kernel is compiled for arguments of the same types as these, here or in numba's cache on disk."""
    types = tuple(map(typeof, args))
    if types in function.overloads:
        return True
    with suppress(AttributeError, OSError):  # attributes of numba that are not public
        kept = function._cache
        return kept._index_key(types, function.targetctx.codegen()) in kept._cache_file._load_index()
    return False


def cache_folder() -> str:
    """Return the folder NUMBA_CACHE_DIR, or "" if numba keeps compiled code next to each module."""
    return str(config.CACHE_DIR)
