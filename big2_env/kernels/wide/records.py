"""Games, scratch and buffers as records, and records by their address."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from big2_env.kernels.records import record_at
from big2_env.kernels.wide.inner import inner
from big2_env.kernels.wide.tables import MARK, MAX_ACTIONS, MAX_DEALS, MAX_PLAYERS, MAX_SLOTS, TABLES

GAME: Final = np.dtype(
    [
        ("hands", np.uint64, (MAX_PLAYERS, 2)),  # the cards held, by seat; all cards as places, in two words
        ("played", np.uint64, (MAX_PLAYERS, 2)),  # the cards played, by seat
        ("captured", np.uint64, (MAX_PLAYERS, 2)),  # the cards of the circles won, by seat, where the settlement asks
        ("lanes", np.uint64, (MAX_PLAYERS, 2)),  # the hands as lanes, where suits never matter
        ("nibbles", np.uint64, MAX_PLAYERS),  # the hands as nibbles, where suits never matter
        ("top", np.uint64, 2),  # the top play, 0 when the seat to move leads
        ("lead_over", np.uint64, 2),  # with the lock 'round': what a lead has to cover to keep others out
        ("obligation", np.uint64, 2),  # the card that the first play must contain, 0 for none
        ("bottom", np.uint64, 2),  # the cards left over for the landlord
        ("circle", np.uint64, 2),  # the cards played in this circle, where the settlement asks
        ("rng", np.uint64),  # state of the game's own stream
        ("stake", np.int64),
        ("factor", np.int64),
        *((name, np.int32) for name in ("turn", "top_category", "top_power", "top_pattern", "top_seat")),
        *((name, np.int32) for name in ("lead_category", "lead_power", "lead_pattern")),
        ("passed", np.int32),  # the seats that have passed and are not asked again for now, as bits
        ("players", np.int32),  # how many seats there are
        ("winner", np.int32),  # -1 while the game goes on
        ("actor", np.int32),  # who acted last, -1 before the first act
        ("steps", np.int32),  # acts so far
        ("bidding", np.int32),
        ("landlord", np.int32),  # -1 for none
        ("num_said", np.int32),
        ("num_finished", np.int32),
        ("num_pile", np.int32),
        ("num_redeals", np.int32),
        ("held", np.int32, MAX_PLAYERS),  # how many cards each seat holds
        ("acted", np.int32, MAX_PLAYERS),  # how many hands each seat has played, in games with an auction
        ("said_seat", np.int8, MAX_PLAYERS + 2),
        ("said_value", np.int8, MAX_PLAYERS + 2),  # 0 for no
        ("finished", np.int8, MAX_PLAYERS),  # the seats that are out, the first one first
        ("pile", np.uint8, 108),  # the places of the cards to draw, the top one last
        ("redeals", np.uint8, (MAX_DEALS - 1, 108)),  # further decks, card ids from bottom to top, the next one first
        (MARK, np.int64),
    ]
)
"""One game of the wide engine. A field that a ruleset has no use for stays 0, or -1 where that says none."""

SCRATCH: Final = np.dtype(
    [
        ("ids", np.int32, MAX_ACTIONS),  # a list of legal acts
        ("deck", np.uint8, 108),
        ("most", np.int64, 16),  # units of each value that may be carried
        ("reach", np.int64, 16),  # units of all values below
        ("stack", np.int64, 256),  # choices of side cards begun
        ("keys", np.uint64, 1 << MAX_SLOTS),  # the nibbles of each choice of places
        ("suits", np.uint8, 1 << MAX_SLOTS),  # the suits that all its cards have, as bits
        ("places", np.uint8, MAX_SLOTS),
        (MARK, np.int64),
    ]
)
"""What one thread needs while it works on games."""

BUFFERS: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            # where arrays begin, and what a call is asked
            *("obs", "mask", "reward", "status", "payoffs", "final_obs", "counts", "ids", "seats", "acted"),
            *("actions", "chosen", "answers", "results", "is_float", "capacity", "reset", "skip", "anew", "steps"),
            MARK,
        )
    ]
)
"""What a call of the kernel reads and writes: addresses, numbers and flags."""

tables_at, scratch_at, buffers_at = record_at(TABLES), record_at(SCRATCH), record_at(BUFFERS)


def _access(entry: Any, numba_type: Any) -> tuple[Any, Any]:
    """Intrinsics for compiled code: the number at a place of an array that begins at an address, and writing it."""

    @intrinsic
    def load(typingctx: Any, start: Any, index: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.load(builder.gep(builder.inttoptr(args[0], entry.as_pointer()), [args[1]]), align=1)

        return numba_type(types.int64, types.int64), codegen

    @intrinsic
    def store(typingctx: Any, start: Any, index: Any, number: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            builder.store(args[2], builder.gep(builder.inttoptr(args[0], entry.as_pointer()), [args[1]])).align = 1
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, numba_type), codegen

    return load, store


load_byte, store_byte = _access(ir.IntType(8), types.int8)
load_int, store_int = _access(ir.IntType(32), types.int32)
load_long, _ = _access(ir.IntType(64), types.int64)
_, store_float = _access(ir.FloatType(), types.float32)
_, store_double = _access(ir.DoubleType(), types.float64)


@intrinsic
def clear(typingctx: Any, start: Any, size: Any) -> Any:
    """Write zeros over so many bytes."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        cgutils.memset(builder, builder.inttoptr(args[0], cgutils.voidptr_t), args[1], 0)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@inner
def store_one(start: Any, index: Any, is_float: Any) -> None:
    """Write 1 into an array of int8 or float32."""
    if is_float:
        store_float(start, index, np.float32(1.0))
    else:
        store_byte(start, index, np.int8(1))
