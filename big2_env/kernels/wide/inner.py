"""The decorator of the functions that only compiled code calls."""

from __future__ import annotations

from typing import Any

import numba as nb

inner: Any = nb.njit(cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")
"""Compiles a function without a way in from Python, which would take a third of the time."""
