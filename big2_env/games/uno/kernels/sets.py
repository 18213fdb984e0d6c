"""Sets of ages, as the low and the high word of 128 bits: which cards are of a colour, a face, a kind."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from big2_env.kernels.dialect.bits import U, lowest_bit, popcount
from big2_env.kernels.dialect.kernel import kernel


@intrinsic
def _where(typingctx: Any, codes: Any, mask: Any, first: Any, number: Any) -> Any:
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
    return types.UniTuple(types.uint64, 2)(codes, signed, signed, signed), codegen


@kernel(entry=True)
def of_card(g: Any, code: Any) -> Any:
    """The ages of a card, by its code; those from `taken` on have no meaning, here and below."""
    return _where(g.codes, 255, code, 1)


@kernel(entry=True)
def of_face(g: Any, face: Any) -> Any:
    """The ages of a face."""
    return _where(g.codes, 15, face, 1)


@kernel(entry=True)
def of_faces(g: Any, first: Any, number: Any) -> Any:
    """The ages of several faces in a row."""
    return _where(g.codes, 15, first, number)


@kernel(entry=True)
def of_colour(g: Any, colour: Any) -> Any:
    """The ages of a colour."""
    return _where(g.codes, 240, colour << 4, 1)


@kernel(entry=True)
def until(taken: Any) -> Any:
    """The first so many ages."""
    low = ~U(0) if taken >= 64 else (U(1) << U(taken)) - U(1)
    return low, U(0) if taken <= 64 else (U(1) << U(taken - 64)) - U(1)


@kernel(entry=True)
def oldest(low: Any, high: Any) -> Any:
    """The lowest of a set of ages that is not empty."""
    return lowest_bit(low) if low != U(0) else 64 + lowest_bit(high)


@kernel(entry=True)
def size(low: Any, high: Any) -> Any:
    """How many ages a set has."""
    return popcount(low) + popcount(high)
