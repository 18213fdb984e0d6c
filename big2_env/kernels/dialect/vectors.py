"""Many bytes in one instruction: entries of a table compared, bits written as entries. `bits.py` has `store_64_entries`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def places_where(typingctx: Any, table: Any, mask: Any, first: Any, number: Any) -> Any:
    """The places, as two uint64, where 128 bytes, masked, are one of `number` values from `first` on."""

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
    """Write the low 32 bits of a word over 32 entries of a C-ordered int8 array; the caller answers for the bounds."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        bits = builder.bitcast(builder.trunc(args[2], ir.IntType(32)), ir.VectorType(ir.IntType(1), 32))
        entries = builder.zext(bits, ir.VectorType(ir.IntType(8), 32))
        place = builder.gep(data, [args[1]])
        builder.store(entries, builder.bitcast(place, entries.type.as_pointer())).align = 1
        return context.get_dummy_value()

    return types.void(array, types.int64, types.uint64), codegen
