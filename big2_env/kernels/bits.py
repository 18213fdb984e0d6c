"""Bits of 52-card masks. Card places are value * 4 + suit, so each rank is one nibble of the mask."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

U = np.uint64
ONES = U(0x1111111111111111)
"""The lowest bit of every nibble."""
GOLDEN_GAMMA = U(0x9E3779B97F4A7C15)
MIX_1 = U(0xBF58476D1CE4E5B9)
MIX_2 = U(0x94D049BB133111EB)


@intrinsic
def popcount(typingctx: Any, x: Any) -> Any:
    """How many bits of a uint64 are set, int64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@intrinsic
def lowest_bit(typingctx: Any, x: Any) -> Any:
    """The index of the lowest set bit of a uint64, int64; undefined for 0."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), codegen


@intrinsic
def store_64_entries(typingctx: Any, array: Any, offset: Any, word: Any) -> Any:
    """Write the 64 bits of a word over 64 entries of a C-ordered array as 0 or 1; the caller answers for the bounds.

    One vector of bits widened to one vector of entries: compilers see no loop, and no table is read.
    """
    entry = ir.FloatType() if array.dtype == types.float32 else ir.IntType(array.dtype.bitwidth)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        bits = builder.bitcast(args[2], ir.VectorType(ir.IntType(1), 64))
        row = ir.VectorType(entry, 64)
        entries = builder.select(bits, ir.Constant(row, [1] * 64), ir.Constant(row, [0] * 64))
        place = builder.gep(data, [args[1]])
        builder.store(entries, builder.bitcast(place, entries.type.as_pointer())).align = 1
        return context.get_dummy_value()

    return types.void(array, types.int64, types.uint64), codegen


@intrinsic
def borrowed(typingctx: Any, array: Any) -> Any:
    """The same array without a reference count: counting at every call costs more than the calls. The caller keeps it alive."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        struct = context.make_array(signature.args[0])(context, builder, args[0])
        for member in ("meminfo", "parent"):
            setattr(struct, member, cgutils.get_null_value(getattr(struct, member).type))
        return struct._getvalue()

    return array(array), codegen


if get_host_cpu_features().get("bmi2", False):

    @intrinsic
    def deposit(typingctx: Any, choice: Any, mask: Any) -> Any:
        """The bits of a mask whose places (from 0 at the lowest set bit) are set in `choice`."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            pdep = cgutils.get_or_insert_function(builder.module, ir.FunctionType(word, [word, word]), "llvm.x86.bmi.pdep.64")
            return builder.call(pdep, args)

        return types.uint64(types.uint64, types.uint64), codegen

else:  # a processor without the instruction

    @nb.njit(cache=True)
    def deposit(choice: Any, mask: Any) -> Any:
        """The bits of a mask whose places (from 0 at the lowest set bit) are set in `choice`."""
        found = U(0)
        while choice != U(0):
            for _ in range(lowest_bit(choice)):
                mask &= mask - U(1)
            low = mask & (~mask + U(1))
            found |= low
            mask ^= low
            choice >>= U(lowest_bit(choice) + 1)
        return found


@nb.njit(cache=True)
def unary(mask: Any) -> Any:
    """The counts of each rank in unary: bit k of nibble r is set when the mask has more than k cards of rank r."""
    pairs = mask - ((mask >> U(1)) & U(0x5555555555555555))
    counts = (pairs & U(0x3333333333333333)) + ((pairs >> U(2)) & U(0x3333333333333333))
    one, two, four = counts & ONES, (counts >> U(1)) & ONES, (counts >> U(2)) & ONES
    return one | two | four | ((two | four) << U(1)) | (((one & two) | four) << U(2)) | (four << U(3))


@nb.njit(cache=True)
def random_next(state: Any) -> Any:
    """The next state and number of a SplitMix64 stream, as in `big2_env.rng`."""
    state = state + GOLDEN_GAMMA
    z = state
    z = (z ^ (z >> U(30))) * MIX_1
    z = (z ^ (z >> U(27))) * MIX_2
    return state, z ^ (z >> U(31))


@nb.njit(cache=True)
def below(number: Any, n: Any) -> Any:
    """A number from 0 .. n - 1 by the high half of a draw, as in `big2_env.rng`."""
    return np.int64(((number >> U(32)) * U(n)) >> U(32))
