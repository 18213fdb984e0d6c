"""Compilation of kernels by numba, and calls between them.

numba compiles a function again for each combination of argument types. Kernels take integers of all sizes as int64, so most
of them are compiled once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from glob import escape
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numba as nb
from numba import typeof, types
from numba.core.caching import IndexDataCacheFile
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import is_jitted, lower_builtin, lower_cast, overload

from big2_env.kernels.dialect.sources import source_hash


class CompileCache(IndexDataCacheFile):  # type: ignore[misc]  # numba is untyped
    """Compile cache of a function, with a file of code for each signature, named by hashes of the sources and the signature.

    Numba numbers these files. Two processes that compile a function for different types, or from different sources, at the
    same time may then choose the same number, and later processes run the wrong code.
    """

    def save(self, key: Any, data: Any) -> None:
        """Save code. The first code from changed sources replaces all code from others.

        Args:
            key: Signature, processor and bytecode.
            data: The code.
        """
        base, known = self._data_name_pattern.removesuffix("{number:d}.nbc"), self._load_index()
        current = f"{base}{self._hash((self._source_stamp, self._version))}."
        name = f"{current}{self._hash(key)}.nbc"
        self._save_data(name, data)
        self._save_index(self._load_index() | {key: name})
        if not known:
            for path in Path(self._cache_path).glob(f"{escape(base)}*.nbc"):
                if not path.name.startswith(current):
                    with suppress(OSError):  # another process reads it; it stays
                        path.unlink()

    def _hash(self, what: Any) -> str:
        return blake2b(self._dump(what), digest_size=8).hexdigest()


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a function and cache the result by the stamp of its sources (`sources.py`) instead of numba's.

    It gets no entry point from C, which numba would compile as well. If no folder for the cache can be written to, each process
    compiles again, after a warning.

    Args:
        function: The function.
        **options: Options of `numba.njit`.
    """
    options |= {"no_cfunc_wrapper": True}
    try:
        dispatcher: Any = nb.njit(cache=True, **options)(function)
    except RuntimeError:
        message = "expected a folder that can be written to as NUMBA_CACHE_DIR; without one each process compiles again"
        warnings.warn(message, RuntimeWarning, stacklevel=1)
        dispatcher = nb.njit(**options)(function)
    if stamp := source_hash(function.__module__):
        with suppress(AttributeError):  # attributes of numba that are not public; without them its own stamp stays
            kept = dispatcher._cache
            base = kept._impl.filename_base.replace(f"-{kept._impl._lineno}.py", ".py")  # a moved function is the same one
            kept._cache_file = CompileCache(kept.cache_path, base, stamp)
    return _widening(dispatcher)


def inner(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a function that only compiled code calls. Omitting the Python entry point saves a third of the compile time.

    Private functions, with names that begin with an underscore, and lambdas are not cached: the cached code of the functions
    that call them contains them.

    Args:
        function: The function.
        **options: Options of `numba.njit`.
    """
    options |= {"no_cpython_wrapper": True, "error_model": "numpy"}
    if function.__name__[0].isalpha():
        return compiled(function, **options)
    return _widening(nb.njit(no_cfunc_wrapper=True, **options)(function))


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a function that is inlined into its callers."""
    return compiled(function, inline="always")


def _widening(dispatcher: Any) -> Any:
    """Have calls from compiled code pass integers as int64, and fields of records as arrays of any length."""
    if nb.config.DISABLE_JIT:  # numba has returned the function itself
        return dispatcher
    template_of = dispatcher.get_call_template

    def widened_template(args: Any, kws: Any) -> Any:
        return template_of(tuple(map(_widened, args)), {name: _widened(kind) for name, kind in kws.items()})

    dispatcher.get_call_template = widened_template
    return dispatcher


def _widened(kind: Any) -> Any:
    """Return the type as which a kernel takes an argument of a type."""
    kind = types.unliteral(kind)
    if isinstance(kind, types.NestedArray):
        return types.Array(kind.dtype, kind.ndim, "C")
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind


@lower_cast(types.NestedArray, types.Array)
def _as_array(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    """Return the field of a record as an array, which has the same form.

    Numba's own cast asserts that the types are equal. This one holds for all compiled code of the process.
    """
    return value


by_type: Any = partial(overload, strict=False, jit_options={"no_cfunc_wrapper": True})
"""Overload a placeholder function for compiled code by the types of its arguments."""


def selected(select: Callable[..., Any]) -> Any:
    """Return a function for compiled code of which each call is a call of another function, or a constant.

    The call is compiled as the other function's call: a function in between would be compiled too.

    Args:
        select: Function from the types of the arguments to a compiled function or a constant. Its result must not depend on
            sizes of integers or lengths of arrays, because the types that it is given may be widened already.
    """

    def meant_by(given: Any) -> Any:
        meant = select(*given)
        if callable(meant) and not is_jitted(meant):
            raise TypeError(f"expected a kernel or a constant to select, but got {meant!r}")
        return meant

    def chosen(*given: Any) -> Any:
        raise TypeError("expected a call from a kernel: this function has no form for Python")

    class Call(AbstractTemplate):  # type: ignore[misc]  # numba is untyped
        key = chosen

        def generic(self, args: Any, kws: Any) -> Any:
            meant = meant_by(args)
            if is_jitted(meant):
                return typeof(meant).get_call_type(self.context, args, kws)
            return typeof(meant)(*args)

        def get_impl_key(self, sig: Any) -> Any:
            meant = meant_by(sig.args)
            return typeof(meant).get_impl_key(sig) if is_jitted(meant) else chosen

    @lower_builtin(chosen, types.VarArg(types.Any))
    def constant(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return context.get_constant_generic(builder, sig.return_type, meant_by(sig.args))

    infer_global(chosen, types.Function(Call))
    return chosen
