"""Bit operations on words, and the random stream. `cardsets.py` defines how words represent sets of cards."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from big2_env.kernels.dialect.compiling import compiled, inlined, inner

U = np.uint64
ONES = U(0x1111111111111111)
"""Lowest bit of every nibble."""
GOLDEN_GAMMA = U(0x9E3779B97F4A7C15)
MIX_1 = U(0xBF58476D1CE4E5B9)
MIX_2 = U(0x94D049BB133111EB)


@intrinsic
def popcount(typingctx: Any, x: Any) -> Any:
    """Return the number of set bits of a uint64 or a `cardsets.CARDS_128`, as int64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number = builder.ctpop(args[0])
        return number if number.type.width == 64 else builder.trunc(number, ir.IntType(64))

    return types.int64(types.uint64 if isinstance(x, types.Number) else x), codegen


@intrinsic
def lowest_bit(typingctx: Any, x: Any) -> Any:
    """Return the index of the lowest set bit of a uint64 or a `cardsets.CARDS_128`, as int64; undefined for 0."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = builder.cttz(args[0], context.get_constant(types.boolean, True))
        return place if place.type.width == 64 else builder.trunc(place, ir.IntType(64))

    return types.int64(types.uint64 if isinstance(x, types.Number) else x), codegen


@intrinsic
def highest_bit(typingctx: Any, x: Any) -> Any:
    """Return the index of the highest set bit of a uint64, as int64; undefined for 0."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.sub(ir.Constant(ir.IntType(64), 63), builder.ctlz(args[0], context.get_constant(types.boolean, True)))

    return types.int64(types.uint64), codegen


@inlined
def lowest_bits(number: Any) -> Any:
    """Return a word with its lowest `number` bits set, fewer than 64."""
    return (U(1) << U(number)) - U(1)


@intrinsic
def store_64_entries(typingctx: Any, array: Any, offset: Any, word: Any) -> Any:
    """Write the 64 bits of a word to 64 entries of a C-ordered array as 0 or 1. Bounds are not checked.

    One vector of bits is widened to one vector of entries, without a loop or a lookup table.
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
    """Return the same array without a reference count. The caller keeps it alive.

    Counting references would cost more than the calls.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        struct = context.make_array(signature.args[0])(context, builder, args[0])
        for member in ("meminfo", "parent"):
            setattr(struct, member, cgutils.get_null_value(getattr(struct, member).type))
        return struct._getvalue()

    return array(array), codegen


def _bmi2(name: str) -> Any:
    """Return an intrinsic for a BMI2 instruction on two uint64."""

    @intrinsic
    def call(typingctx: Any, bits: Any, mask: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            function = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(word, [word, word]), f"llvm.x86.bmi.{name}.64"
            )
            return builder.call(function, args)

        return types.uint64(types.uint64, types.uint64), codegen

    return call


if get_host_cpu_features().get("bmi2", False):
    deposit, extract = _bmi2("pdep"), _bmi2("pext")
else:  # a processor without the instructions

    @compiled
    def deposit(choice: Any, mask: Any) -> Any:
        """Return the set bits of `mask` whose index among them (0 for the lowest) is set in `choice`."""
        found = U(0)
        while choice != U(0):
            for _ in range(lowest_bit(choice)):
                mask &= mask - U(1)
            low = mask & (~mask + U(1))
            found |= low
            mask ^= low
            choice >>= U(lowest_bit(choice) + 1)
        return found

    @compiled
    def extract(bits: Any, mask: Any) -> Any:
        """Return the bits of `bits` selected by `mask`, packed together (0 for the mask's lowest set bit)."""
        found, place = U(0), U(0)
        while mask != U(0):
            found |= (bits >> U(lowest_bit(mask)) & U(1)) << place
            mask &= mask - U(1)
            place += U(1)
        return found


@inlined
def mix(x: Any) -> Any:
    """Return a word whose bits depend on all bits of `x` (Stafford's variant 13, the finalizer of SplitMix64)."""
    x = (x ^ (x >> U(30))) * MIX_1
    x = (x ^ (x >> U(27))) * MIX_2
    return x ^ (x >> U(31))


@inner
def random_next(state: Any) -> Any:
    """Return the next state and number of a SplitMix64 stream, as in `big2_env.rng`."""
    state = state + GOLDEN_GAMMA
    return state, mix(state)


@inlined
def below(number: Any, n: Any) -> Any:
    """Return a number from 0 to `n` - 1, from the high half of a draw, as in `big2_env.rng`."""
    return np.int64(((number >> U(32)) * U(n)) >> U(32))


@inlined
def append_bits(words: Any, word: Any, low: Any, high: Any, start: Any, bits: Any) -> Any:
    """Add up to 64 bits that begin at `start`, not before the current word.

    Returns the current word's index, its bits and the next word's bits.
    """
    while word < start >> 6:
        words[U(word)] = low
        word, low, high = word + 1, high, U(0)
    shift = U(start & 63)
    return word, low | bits << shift, high | (bits >> U(1)) >> (U(63) - shift)


@inner
def spread_bits(words: Any, out: Any, i: Any) -> None:
    """Expand a bit string into row `i` of `out`: C order, one entry per bit."""
    size = out.shape[1]
    row = i * size
    if size < 64:
        for k in range(size):
            out[i, k] = (words[0] >> U(k)) & U(1)
        return
    for word in range(size >> 6):
        store_64_entries(out, row + (word << 6), words[U(word)])
    if size & 63:  # the last 64 entries, whatever of them is written already
        last = size - 64
        shift = U(last & 63)
        word = last >> 6
        store_64_entries(out, row + last, words[U(word)] >> shift | words[U(word + 1)] << (U(64) - shift))


@intrinsic
def _store_word(typingctx: Any, array: Any, offset: Any, word: Any) -> Any:
    """Write a word to 8 entries of a C-ordered uint8 array, the lowest byte first. Bounds are not checked."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        place = builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(64).as_pointer())
        builder.store(args[2], place).align = 1
        return context.get_dummy_value()

    return types.void(array, types.int64, types.uint64), codegen


@inner
def copy_bits(words: Any, out: Any, i: Any) -> None:
    """Copy a bit string to row `i` of `out`, uint8 in C order: eight bits per byte, the first one lowest, padded with zeros."""
    size = out.shape[1]
    for word in range(size >> 3):
        _store_word(out, i * size + (word << 3), words[U(word)])
    for k in range(size & ~7, size):
        out[i, k] = (words[U(k >> 3)] >> U((k & 7) << 3)) & U(255)


@intrinsic
def places_where(typingctx: Any, table: Any, mask: Any, first: Any, number: Any) -> Any:
    """Return two uint64 that mark which of 128 bytes, after masking, are one of `number` values from `first`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        byte, row = ir.IntType(8), ir.VectorType(ir.IntType(8), 64)

        def each(value: Any) -> Any:
            one = builder.insert_element(ir.Constant(row, ir.Undefined), builder.trunc(value, byte), ir.IntType(32)(0))
            lanes = ir.Constant(ir.VectorType(ir.IntType(32), 64), [0] * 64)
            return builder.shuffle_vector(one, ir.Constant(row, ir.Undefined), lanes)

        masks, firsts, numbers = map(each, args[1:])
        words = []
        for half in range(2):
            place = builder.gep(data, [ir.IntType(64)(64 * half)])
            found = builder.load(builder.bitcast(place, row.as_pointer()))
            found.align = 1
            inside = builder.icmp_unsigned("<", builder.sub(builder.and_(found, masks), firsts), numbers)
            words.append(builder.bitcast(inside, ir.IntType(64)))
        return cgutils.pack_array(builder, words)

    signed = types.int64
    return types.UniTuple(types.uint64, 2)(table, signed, signed, signed), codegen


@intrinsic
def store_32_entries(typingctx: Any, array: Any, offset: Any, word: Any) -> Any:
    """Write the low 32 bits of a word to 32 entries of a C-ordered int8 array. Bounds are not checked."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        bits = builder.bitcast(builder.trunc(args[2], ir.IntType(32)), ir.VectorType(ir.IntType(1), 32))
        entries = builder.zext(bits, ir.VectorType(ir.IntType(8), 32))
        place = builder.gep(data, [args[1]])
        builder.store(entries, builder.bitcast(place, entries.type.as_pointer())).align = 1
        return context.get_dummy_value()

    return types.void(array, types.int64, types.uint64), codegen
