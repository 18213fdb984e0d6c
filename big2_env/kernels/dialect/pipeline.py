"""Compiler of kernels on top of numba: fewer passes, and machine code only for entry points from Python.

By default numba optimizes every function together with all that it calls, translates the result to machine code, and does
the same again for each caller. Kernels that only kernels call need no machine code: they are kept as LLVM's intermediate
code, linked into the entry points and optimized there, once. This and the passes left out save 40% of the compile time.

This module uses names of numba that are not public. Its import fails with an `ImportError` if a version of numba lacks
one; kernels are then compiled in numba's own way, with the same results (`bits.py`).
"""

from __future__ import annotations

from types import CodeType
from typing import Any

import llvmlite.binding as llvm
from numba.core import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.compiler_machinery import PassManager, _pass_registry
from numba.core.cpu import CPUContext

_UNUSED = frozenset({"WithLifting", "InlineClosureLikes", "InlineOverloads"})
"""Passes for code that no kernel contains, unless it defines functions inside."""
_REWRITES = "NopythonRewrites"
_KIND = "kernel"
"""Kind of a library without machine code in the cache on disk; numba's own kinds are object and bitcode."""
_USED = {
    JITCodeLibrary: (
        "_get_module_for_linking",
        "_optimize_final_module",
        "_finalize_final_module",
        "_finalize_dynamic_globals",
        "_ensure_finalized",
    ),
    CPUContext: ("load_additional_registries", "install_registry", "get_constant_generic", "subtarget", "get_dummy_value"),
    CompileResult: ("_rebuild", "_find_referenced_environments"),
    Compiler: ("define_pipelines", "_compile_core"),
    PassManager: ("run", "finalize"),
}
"""Attributes of numba that this module uses or replaces."""
for _owner, _names in _USED.items():
    for _name in _names:
        if not hasattr(_owner, _name):
            raise ImportError(f"numba's {_owner.__name__} lacks {_name}")


class _Context(CPUContext):  # type: ignore[misc]
    """Target of one compilation."""

    def load_additional_registries(self) -> None:
        """Look for what is new in the registries of code that numba has found.

        numba asks for this at each use of an array, and its own search takes a millisecond.
        """
        for registry in tuple(self._registries):
            self.install_registry(registry)

    def get_constant_generic(self, builder: Any, ty: Any, val: Any) -> Any:
        """Return a constant: a null pointer for a function, because nothing uses its address."""
        if isinstance(ty, types.Dispatcher):
            return self.get_dummy_value()
        return super().get_constant_generic(builder, ty, val)


class _Library(JITCodeLibrary):  # type: ignore[misc]
    """Code of a kernel without machine code."""

    def _optimize_final_module(self) -> None:
        """Leave this to the entry points."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return a null pointer."""
        self._ensure_finalized()
        return 0

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Return the form for the cache on disk."""
        self._ensure_finalized()
        return self.name, _KIND, self._get_module_for_linking().as_bitcode()


class _Codegen:
    """numba's code generator, for kernels without machine code."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, env: Any) -> None:
        """Do nothing: entry points set the environments of what they call."""

    def unserialize_library(self, serialized: tuple[str, str, bytes]) -> _Library:
        """Return the library of a kernel from the cache on disk."""
        name, _, bitcode = serialized
        library = _Library(self, name)
        library._shared_module, library._finalized = llvm.parse_bitcode(bitcode), True
        return library


class _Results(CompileResultCacheImpl):  # type: ignore[misc]
    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Return a kernel from the cache on disk, `None` for one that numba has compiled in its own way."""
        if payload[0][1] != _KIND:
            return None
        return CompileResult._rebuild(target_context.subtarget(_internal_codegen=_Codegen(target_context.codegen())), *payload)


class InnerCache(FunctionCache):  # type: ignore[misc]
    """Cache of kernels without machine code."""

    _impl_class = _Results


class _Passes(PassManager):  # type: ignore[misc]
    """The passes that kernels need, without events that describe all types at every pass."""

    def run(self, state: Any) -> None:
        """Run the passes."""
        for kind, _ in self.passes:
            if kind.__name__ == _REWRITES and not _has_arrays(state):
                continue
            each = _pass_registry.get(kind).pass_inst
            each.analysis = self._analysis
            each.run_initialization(state)
            each.run_pass(state)
            each.run_finalizer(state)


def _has_arrays(state: Any) -> bool:
    """Return whether a function calls something with an array as its result, or with a list or text: numba rewrites these."""
    kinds = types.Array, types.List, types.StringLiteral  # type: ignore[attr-defined]
    signatures = [each for each in state.calltypes.values() if each is not None]
    return any(isinstance(one, kinds) for each in signatures for one in (each.return_type, *each.args[1:]))


class KernelCompiler(Compiler):  # type: ignore[misc]
    """Compiler of entry points."""

    def _compile_core(self) -> Any:
        result = super()._compile_core()
        for env in result._find_referenced_environments():
            result.library.codegen.set_env(env.env_name, env)
        return result

    def define_pipelines(self) -> list[Any]:
        """Return numba's passes without those useless to kernels."""
        if type(self.state.targetctx) is CPUContext:
            self.state.targetctx.__class__ = _Context
        pipelines: list[Any] = super().define_pipelines()
        if len(pipelines) > 1 or any(isinstance(each, CodeType) for each in self.state.func_id.code.co_consts):
            return pipelines
        passes = _Passes("kernel")
        passes.passes = [each for each in pipelines[0].passes if each[0].__name__ not in _UNUSED]
        passes.finalize()
        return [passes]


class InnerCompiler(KernelCompiler):
    """Compiler of kernels that only kernels call."""

    def define_pipelines(self) -> list[Any]:
        """Return the passes, and have the code kept in a library without machine code."""
        if self.state.library is None:
            self.state.library = _Library(_Codegen(self.state.targetctx.codegen()), self.state.func_id.func_qualname)
            self.state.library.enable_object_caching()
        return super().define_pipelines()
