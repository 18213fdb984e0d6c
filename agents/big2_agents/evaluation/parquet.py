"""Import of pyarrow, which Parquet files need and an extra installs."""

from __future__ import annotations

from typing import Any

from big2_env.base.errors import needing


def pyarrow() -> Any:
    """Return the pyarrow module.

    Raises:
        ImportError: It is not installed.
    """
    with needing("Parquet files need pyarrow: pip install 'big2_env[parquet]'"):
        import pyarrow
        import pyarrow.parquet
    return pyarrow
