"""The library that Parquet files need, an extra."""

from __future__ import annotations

from typing import Any


def pyarrow() -> Any:
    """The library.

    Raises:
        ImportError: it is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError("Parquet files need pyarrow: pip install 'big2_env[parquet]'") from None
    return pyarrow
