"""Indexes of compiled code that are outside their arrays, under `NUMBA_BOUNDSCHECK=1`: found whoever catches the `IndexError`.

With full tracebacks numba also writes each of them to the standard output, in C, from within compiled code. That is read here.
As a plugin of pytest this fails each test during which there was one.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Generator
from typing import Final

import numba
import pytest

NOTE: Final = "debug: IndexError: index "
"""How what numba writes begins."""


def looked_at() -> bool:
    """True if what numba compiles in this process looks at its indexes."""
    return bool(numba.config.BOUNDSCHECK == 1)


def write_notes() -> None:
    """Make numba write a note of each index outside, in processes started by this one as well."""
    os.environ["NUMBA_FULL_TRACEBACKS"] = "1"
    numba.config.FULL_TRACEBACKS = 1


def flush() -> None:
    """Write out what C code holds back: a process that is left by `os._exit` would lose it."""
    ctypes.CDLL(None).fflush(None)


def pytest_configure() -> None:
    write_notes()


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    try:
        return (yield)
    finally:
        flush()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    notes = [line for _, text in report.sections for line in text.splitlines() if NOTE in line]
    if notes and report.passed:
        report.outcome, report.longrepr = "failed", "\n".join(notes)
    return report
