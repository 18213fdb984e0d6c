"""What a call of the kernels reads and writes, as one record made once for each thread of an engine.

numba takes a while for each array that Python hands over, so arrays go as their addresses, and compiled code makes arrays of
them again. An engine keeps the arrays alive. The record's type names the variant (`variants.py`) of the call.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
from numba import carray, from_dtype, types
from numba.core import cgutils
from numba.extending import intrinsic

from big2_env.kernels.sources import MARK

__all__ = ["ADDRESSES", "LEARNER", "NUMBERS", "address", "arguments_dtype", "carray", "pointer", "record_at"]

LEARNER: Final = np.dtype(
    [
        ("seat", np.int32),  # the learner's seat, -1 where every seat is the learner's
        ("deals", np.int32),  # how many games were dealt
        ("first", np.int32),  # the learner's seat in the first of them
        ("asked", np.int32),  # 1 once the learner has been asked in this game
    ]
)
"""What belongs to a game besides its record."""

ADDRESSES: Final = (
    *("tables", "scratch", "games", "learners", "kinds", "actions", "chosen", "seeds", "rows", "viewers"),
    *("obs", "mask", "reward", "status", "payoffs", "paid", "final_obs", "counts", "ids", "seats", "actor"),
)
"""Where records and arrays begin."""
NUMBERS: Final = (
    *("num_games", "num_actions", "obs_size", "num_players", "capacity"),  # sizes of the arrays
    *("reset", "skip_forced", "fixed_seat"),  # how games go on
    *("by_row", "by_seed", "by_viewer", "writes_obs", "writes_mask", "writes_ids", "shows"),  # what is asked, 0 or 1
)


@cache
def arguments_dtype(variant: str) -> np.dtype[Any]:
    """The record of the arguments of a call for the variant of that name."""
    return np.dtype([*((name, np.int64) for name in (*ADDRESSES, *NUMBERS)), (variant, np.int64), (MARK, np.int64)])


def address(array: Any) -> int:
    """Where an array or a record begins. Whoever hands it to a kernel keeps it alive for the call."""
    return int(array.__array_interface__["data"][0])


@cache
def record_at(dtype: np.dtype[Any]) -> Any:
    """An intrinsic for compiled code: the record of that dtype at an address, int64."""
    record = from_dtype(dtype)

    @intrinsic
    def at(typingctx: Any, place: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(record))

        return record(types.int64), codegen

    return at


@intrinsic
def pointer(typingctx: Any, place: Any) -> Any:
    """An address, int64, as the pointer that `numba.carray` takes."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], cgutils.voidptr_t)

    return types.voidptr(types.int64), codegen
