"""Records by their address: numba takes 5 us for each record that Python hands over, and next to nothing for a number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype, types
from numba.extending import intrinsic

from big2_env.kernels.state import GAME, SCRATCH
from big2_env.kernels.tables import TABLES


def address(record: Any) -> int:
    """Where a record lies. Whoever hands it to a kernel keeps the record alive for the call."""
    return int(record.__array_interface__["data"][0])


def record_at(dtype: np.dtype[Any]) -> Any:
    """An intrinsic for compiled code: the record of that dtype at an address, int64."""
    record = from_dtype(dtype)

    @intrinsic
    def at(typingctx: Any, place: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(record))

        return record(types.int64), codegen

    return at


tables_at, game_at, scratch_at = record_at(TABLES), record_at(GAME), record_at(SCRATCH)
