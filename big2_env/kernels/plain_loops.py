"""Interpreted calls of a batch, on the same memory as compiled ones.

They do not import numba, which would take longer than the first steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect import PACKED
from big2_env.kernels.dialect.loader import interpreted, load
from big2_env.kernels.dialect.memory import Array, plain, viewed
from big2_env.kernels.switch import Compilation, kernel_of
from big2_env.kernels.variants import Variant

MOST_ROWS: Final = 128
"""Maximum number of games that are stepped interpreted. Larger batches wait for compiled kernels."""
LOOPS: Final = "big2_env.kernels.loops"


@cache
def compiled_loops() -> Any:
    """Return the module `loops`, compiled."""
    from big2_env.kernels import loops

    return loops


class PlainLoops:
    """Kernels of `loops.py` interpreted, until compiled ones are ready.

    They read and write the arrays of the batch, so a batch may change between interpreted and compiled calls at any time.

    Args:
        ruleset: Ruleset of the games.
        num_players: Number of seats per game.
        variant: Variant of the compiled code.
        compilation: Compilation of the same kernels, which begins once the calls have taken enough time.
    """

    def __init__(self, ruleset: RuleSet, num_players: int, variant: Variant, compilation: Compilation) -> None:
        self.compilation = compilation
        self._loops = interpreted(ruleset, *([PACKED] if variant.entry == "uint8" else [])).module(LOOPS)
        self._records = {"tables": _tables(ruleset, num_players), "scratch": _values(np.zeros((), variant.scratch))}

    def call(self, kernel: str, numbers: Mapping[str, Any], arrays: Mapping[str, Array], *args: Any) -> Any:
        """Call a kernel.

        Args:
            kernel: Name of the kernel.
            numbers: Fields of the call's arguments.
            arrays: Arrays whose addresses are among these fields.
            *args: Other arguments.
        """
        with self.compilation.timed():
            views = {name: viewed(array) for name, array in arrays.items()}
            call = SimpleNamespace(**{**numbers, **views, **self._records})
            return getattr(self._loops, kernel)([call], *args)


def call(package: str, kernel: str, compilation: Compilation | None, *args: Any) -> Any:
    """Call an entry kernel of a game without rulesets, interpreted on the same memory until it is compiled.

    Args:
        package: Package of the kernels.
        kernel: The kernel, `MODULE.NAME`.
        compilation: Compilation of the package's kernels; `None` to compile now.
        *args: Arrays in C order, records, which are only read, and numbers.
    """
    if compilation is None or compilation.is_ready:
        return _compiled(f"{package}.{kernel}")(*args)
    module, _, name = kernel.rpartition(".")
    with compilation.timed():
        return getattr(load(frozenset()).module(f"{package}.{module}"), name)(*map(_interpreted_form, args))


_compiled: Final = cache(kernel_of)


def _interpreted_form(given: Any) -> Any:
    """Return an argument of a compiled kernel as an interpreted one takes it."""
    if isinstance(given, np.ndarray):
        return viewed(given)
    if isinstance(given, np.void):
        return _values(given)
    return int(given) if isinstance(given, np.integer) else given


@lru_cache(maxsize=16)  # of up to 10 MB each
def _tables(ruleset: RuleSet, num_players: int) -> SimpleNamespace:
    return _values(compile_tables(ruleset, num_players))


def _values(record: Any) -> SimpleNamespace:
    """Return a copy of a record with Python numbers and lists, which are faster to read."""
    return SimpleNamespace(**{name: plain(record[name]) for name in record.dtype.names})
