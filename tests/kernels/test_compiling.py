"""Calls between kernels: compiled once for integers of all sizes, and selected by the types of the arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import config, njit
from numba.core.caching import CompileResultCacheImpl
from numba.core.errors import TypingError

from big2_env.kernels.dialect import HAS_EXTRAS
from big2_env.kernels.dialect.bits import U
from big2_env.kernels.dialect.compiling import compiled, selected
from big2_env.kernels.dialect.kernel import array_at, is_compiled, kernel, specialize, specialized
from big2_env.kernels.dialect.records import address, as_array, as_record

RECORD = np.dtype([("small", np.int8), ("short", np.int16, 3), ("long", np.int16, 5)])
WITH_PARTS = np.dtype([("bidding", np.int8), ("small", np.int8)])


@kernel
def _scaled(numbers: Any, i: Any, factor: Any) -> Any:
    return numbers[i] * factor


@njit
def total(records: Any) -> Any:
    """Return a sum of calls with fields of two lengths, and with integers of two sizes, literal, computed and by name."""
    record = records[0]
    named = _scaled(factor=record.small, i=np.int8(2), numbers=record.short)
    return _scaled(record.short, record.small, 2) + _scaled(record.long, np.int64(4), record.small) + named


def test_kernels__are_compiled_once_for_integers_and_fields_of_all_sizes() -> None:
    record = np.zeros((), RECORD)
    record["small"], record["short"], record["long"] = 2, (0, 0, 7), (0, 0, 0, 0, 1000)
    assert total(as_array(as_record(record))) == 7 * 2 + 1000 * 2 + 7 * 2
    assert len(_scaled.overloads) == 1


@specialized(HAS_EXTRAS, otherwise=U(7))
def bids(record: Any) -> Any:
    """Return a field that only some records have."""
    return U(record.bidding)


def test_when__is_the_kernel_or_a_constant() -> None:
    @njit
    def asked(records: Any) -> Any:
        return bids(records[0])

    plain, parts = np.zeros((), RECORD), np.zeros((), WITH_PARTS)
    parts["bidding"] = 3
    assert [asked(as_array(as_record(each))) for each in (plain, parts)] == [7, 3]


@kernel
def _first(record: Any, value: Any) -> Any:
    return value + 1


@kernel
def _second(record: Any, value: Any) -> Any:
    return value + 2


def test_either__calls_the_kernel_that_the_records_select() -> None:
    next_of = specialize(HAS_EXTRAS, _second, _first)

    @njit
    def asked(records: Any, value: Any) -> Any:
        return next_of(records[0], value)

    assert [asked(as_array(as_record(np.zeros((), kind))), 10) for kind in (RECORD, WITH_PARTS)] == [11, 12]
    assert len(_first.overloads) == len(_second.overloads) == 1


def test_selected__has_no_form_for_python() -> None:
    with pytest.raises(TypeError, match="a call from a kernel"):
        selected(lambda *given: 1)()


def test_selected__refuses_functions_that_are_not_compiled() -> None:
    asks = selected(lambda *given: len)
    with pytest.raises((TypeError, TypingError), match="a kernel or a constant to select, but got <built-in"):
        njit(lambda value: asks(value))(1)


def test_kernel__without_compilation_is_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", True)

    def function(x: Any) -> Any:
        return x

    assert [kernel(function), kernel(function, entry=True), kernel(function, inline=True)] == [function] * 3


@kernel(entry=True)
def read_at(place: Any, rows: Any, columns: Any) -> Any:
    """Return the last entry of an array at an address."""
    found = array_at(place, (rows, columns), np.float32)
    return found[rows - 1, columns - 1] + len(found)


def test_kernels__are_compiled_where_no_folder_can_be_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CompileResultCacheImpl, "_locator_classes", [])  # numba has found none
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR"):
        added = compiled(lambda number: number + 1)
    assert added(2) == 3
    assert not is_compiled(added, 2.5)


def test_array_at__reads_memory_in_c_order() -> None:
    numbers = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert read_at(address(numbers), 3, 4) == 11 + 3
    assert read_at(address(numbers), 2, 4) == 7 + 2
