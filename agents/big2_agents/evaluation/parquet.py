"""Import of pyarrow, which Parquet files need and an extra installs."""

from __future__ import annotations

from typing import Any


def pyarrow() -> Any:
    """Return the pyarrow module.

    Raises:
        ImportError: It is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError("Parquet files need pyarrow: pip install 'big2_env[parquet]'") from None
    return pyarrow
