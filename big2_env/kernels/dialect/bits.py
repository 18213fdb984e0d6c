"""Bit operations on words, and the random stream. `cardsets.py` defines how words represent sets of cards."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba import TypingError, types
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


_VECTOR = 512
"""Bits of the widest vectors. Processors with narrower ones store several per vector."""


def _lanes(entry: Any) -> int:
    """Return the number of entries of a numba type in a vector."""
    return _VECTOR // int(entry.bitwidth)


def _store_bits(builder: Any, row: Any, place: Any, bits: Any) -> None:
    """Build code that writes each bit of an integer as an entry, 0 or 1, beginning at a pointer into a row of that type.

    A vector of bits is widened to a vector of entries, without a loop or a lookup table. Each store is one vector, because
    LLVM splits wider ones into stores that take half as long again.

    Raises:
        TypingError: For a row whose entries are not int8, uint8 or float32.
    """
    if row.dtype not in (types.int8, types.uint8, types.float32):
        raise TypingError(f"expected a row of int8, uint8 or float32, but got {row.dtype}")
    lanes = min(_lanes(row.dtype), bits.type.width)
    vector = ir.VectorType(ir.FloatType() if row.dtype == types.float32 else ir.IntType(row.dtype.bitwidth), lanes)
    for start in range(0, bits.type.width, lanes):
        part = builder.trunc(builder.lshr(bits, bits.type(start)), ir.IntType(lanes)) if lanes < bits.type.width else bits
        are_set = builder.bitcast(part, ir.VectorType(ir.IntType(1), lanes))
        entries = builder.select(are_set, ir.Constant(vector, [1] * lanes), ir.Constant(vector, [0] * lanes))
        target = builder.gep(place, [ir.IntType(64)(start)])
        builder.store(entries, builder.bitcast(target, vector.as_pointer())).align = 1


def _store_entries(number: int) -> Any:
    """Return an intrinsic that writes the low `number` bits of a word to entries of a row from `start`.

    Bounds are not checked.
    """

    @intrinsic
    def store(typingctx: Any, row: Any, start: Any, word: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            bits = args[2] if number == 64 else builder.trunc(args[2], ir.IntType(number))
            _store_bits(builder, row, builder.gep(args[0], [args[1]]), bits)
            return context.get_dummy_value()

        return types.void(row, types.int64, types.uint64), codegen

    return store


store_64_entries, store_32_entries = _store_entries(64), _store_entries(32)


@intrinsic
def row_at(typingctx: Any, array: Any, i: Any) -> Any:
    """Return row `i` of a C-ordered array (N, size) as a pointer to its first entry. The caller keeps the array alive.

    A kernel that takes an array counts references to it, which costs more than the call.
    """
    if not (isinstance(array, types.Array) and array.ndim == 2 and array.layout == "C" and array.mutable):
        raise TypingError(f"expected a writable array of rows in C order, but got {array}")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        struct = context.make_array(signature.args[0])(context, builder, args[0])
        size = cgutils.unpack_tuple(builder, struct.shape)[1]
        return builder.gep(struct.data, [builder.mul(args[1], size)])

    return types.CPointer(array.dtype)(array, types.int64), codegen


@intrinsic
def _entries_per_vector(typingctx: Any, row: Any) -> Any:
    return types.int64(row), lambda context, builder, signature, args: ir.IntType(64)(_lanes(row.dtype))


@intrinsic
def _first_aligned(typingctx: Any, row: Any) -> Any:
    """Return the index of a row's first entry at an address that is a multiple of a vector's size."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        size = builder.and_(builder.neg(builder.ptrtoint(args[0], word)), word(_VECTOR // 8 - 1))
        return builder.udiv(size, word(row.dtype.bitwidth // 8))

    return types.int64(row), codegen


@intrinsic
def _prefetch(typingctx: Any, row: Any, index: Any) -> Any:
    """Load the memory of an entry that will be written soon. The address need not be valid."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number, place = ir.IntType(32), builder.bitcast(builder.gep(args[0], [args[1]]), cgutils.voidptr_t)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(prefetch, [place, number(1), number(3), number(1)])  # for writing, into the nearest cache, data
        return context.get_dummy_value()

    return types.void(row, types.int64), codegen


@intrinsic
def _store_vector(typingctx: Any, words: Any, row: Any, start: Any) -> Any:
    """Write one vector of a bit string, from bit `start`, to the same entries of a row."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        first = builder.gep(data, [builder.lshr(args[2], word(6))])
        low, high = builder.load(first), builder.load(builder.gep(first, [word(1)]))
        both = cgutils.get_or_insert_function(builder.module, ir.FunctionType(word, [word] * 3), "llvm.fshr.i64")
        bits, lanes = builder.call(both, [high, low, args[2]]), _lanes(row.dtype)
        bits = bits if lanes == 64 else builder.trunc(bits, ir.IntType(lanes))
        _store_bits(builder, row, builder.gep(args[1], [args[2]]), bits)
        return context.get_dummy_value()

    return types.void(words, row, types.int64), codegen


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


def has_instructions(*features: str) -> bool:
    """Return True if the processor has one of some features, by LLVM's names."""
    found = get_host_cpu_features()
    return any(found.get(feature, False) for feature in features)


if has_instructions("bmi2"):
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
    """Return the next state and number of a SplitMix64 stream, as in `big2_env.base.rng`."""
    state = state + GOLDEN_GAMMA
    return state, mix(state)


@inlined
def below(number: Any, n: Any) -> Any:
    """Return a number from 0 to `n` - 1, from the high half of a draw, as in `big2_env.base.rng`."""
    return np.int64(((number >> U(32)) * U(n)) >> U(32))


@inner
def shuffle(items: Any, size: Any, state: Any) -> Any:
    """Shuffle the first `size` items as in `big2_env.base.rng`, and return the next state of the stream."""
    for last in range(size - 1, 0, -1):
        state, number = random_next(state)
        other = below(number, last + 1)
        items[U(last)], items[U(other)] = items[U(other)], items[U(last)]
    return state


@inlined
def append_bits(words: Any, word: Any, low: Any, shift: Any, bits: Any, number: Any) -> Any:
    """Append `number` bits, up to 64, to a bit string; higher bits must be 0.

    Returns:
        The current word's index, its bits and their number.
    """
    low |= bits << U(shift)
    shift += number
    if shift >= 64:
        words[U(word)] = low
        word, shift = word + 1, shift - 64
        low = bits >> U(1) >> U(number - shift - 1)
    return word, low, shift


@inlined
def spread_bits(words: Any, row: Any, size: Any) -> None:
    """Expand a bit string into a row, one entry per bit. Reads one word beyond the one with the last bit.

    float32 rows take several kB. Stores that cross cache lines would then take longer, and so would waiting for the memory
    of the next row.
    """
    lanes = _entries_per_vector(row)
    if size < lanes:
        for k in range(size):
            row[U(k)] = words[U(0)] >> U(k) & U(1)
        return
    if lanes == 64:
        for word in range(size >> 6):
            store_64_entries(row, word << 6, words[U(word)])
    else:
        _store_vector(words, row, 0)
        for start in range(_first_aligned(row), size - lanes + 1, lanes):
            _prefetch(row, start + size)
            _store_vector(words, row, start)
    _store_vector(words, row, size - lanes)


@intrinsic
def _store_word(typingctx: Any, row: Any, offset: Any, word: Any) -> Any:
    """Write a word to 8 entries of a row of bytes, the lowest byte first. Bounds are not checked."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = builder.bitcast(builder.gep(args[0], [args[1]]), ir.IntType(64).as_pointer())
        builder.store(args[2], place).align = 1
        return context.get_dummy_value()

    return types.void(row, types.int64, types.uint64), codegen


@inlined
def copy_bits(words: Any, row: Any, size: Any) -> None:
    """Copy a bit string to a row of bytes: eight bits per byte, the first one lowest, padded with zeros."""
    length = (size + 7) >> 3
    for word in range(length >> 3):
        _store_word(row, word << 3, words[U(word)])
    for k in range(length & ~7, length):
        row[U(k)] = words[U(k >> 3)] >> U((k & 7) << 3) & U(255)


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
