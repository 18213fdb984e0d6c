"""Sets of cards in compiled code: one number each, with 64 bits for one deck and 128 bits for two.

A card is a bit: its value in the ruleset's order times 4 (8 with two decks), plus its index among the cards of that rank.
So each rank is a nibble or a byte, and lower cards have lower bits. The functions in this file accept both widths, and so
do `&`, `|`, `^`, `~`, `==` and `!=`. Rules that use nothing else are written once and compiled for both.

Records store a set as one uint64 or as two, in a field with one more dimension. `get` and `put` handle both.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin, models, register_model

from big2_env.kernels.dialect.bits import ONES, U
from big2_env.kernels.dialect.compiling import by_type, inner, selected

_TWO_WORDS: Final = ir.IntType(128)


class _Cards128(types.Type):  # type: ignore[misc]  # numba is not typed
    def __init__(self) -> None:
        super().__init__("cards128")


CARDS_128: Final = _Cards128()
"""Type of a set of cards of two decks."""
register_model(_Cards128)(
    type(
        "_Model",
        (models.PrimitiveModel,),
        {"__init__": lambda self, manager, of: models.PrimitiveModel.__init__(self, manager, of, _TWO_WORDS)},
    )
)


def _on_two_words(result: Any, given: str, build: Callable[..., Any]) -> Any:
    """Return an intrinsic. `given` has one letter per argument: c for a set of two decks, w for a uint64, which is widened."""
    kinds = [CARDS_128 if letter == "c" else types.uint64 for letter in given]

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return build(builder, *(builder.zext(arg, _TWO_WORDS) if arg.type != _TWO_WORDS else arg for arg in args))

    def one(typingctx: Any, a: Any) -> Any:
        return result(*kinds), codegen

    def two(typingctx: Any, a: Any, b: Any) -> Any:
        return result(*kinds), codegen

    return intrinsic(one if len(kinds) == 1 else two)


def _is_wide(*given: Any) -> bool:
    return all(one is CARDS_128 for one in given)


def _number(value: int) -> Any:
    return ir.Constant(_TWO_WORDS, value)


def _operators(build: str, *functions: Any) -> None:
    """Define operators on two sets of two decks."""
    call = _on_two_words(CARDS_128, "cc", lambda builder, a, b: getattr(builder, build)(a, b))
    for function in functions:
        by_type(function)(lambda a, b: (lambda a, b: call(a, b)) if _is_wide(a, b) else None)


_operators("and_", operator.and_, operator.iand)
_operators("or_", operator.or_, operator.ior)
_operators("xor", operator.xor, operator.ixor)
_invert = _on_two_words(CARDS_128, "c", lambda builder, a: builder.not_(a))
_equal = _on_two_words(types.boolean, "cc", lambda builder, a, b: builder.icmp_unsigned("==", a, b))
_some = _on_two_words(types.boolean, "c", lambda builder, a: builder.icmp_unsigned("!=", a, _number(0)))
_join = _on_two_words(CARDS_128, "ww", lambda builder, low, high: builder.or_(low, builder.shl(high, _number(64))))
_lowered = _on_two_words(CARDS_128, "cw", lambda builder, cards, number: builder.lshr(cards, number))
_raised = _on_two_words(CARDS_128, "ww", lambda builder, word, number: builder.shl(word, number))
_from = _on_two_words(CARDS_128, "w", lambda builder, place: builder.shl(_number(-1), place))
_low_word = _on_two_words(types.uint64, "c", lambda builder, cards: builder.trunc(cards, ir.IntType(64)))
by_type(operator.invert)(lambda a: (lambda a: _invert(a)) if _is_wide(a) else None)
by_type(operator.eq)(lambda a, b: (lambda a, b: _equal(a, b)) if _is_wide(a, b) else None)
by_type(operator.ne)(lambda a, b: (lambda a, b: not _equal(a, b)) if _is_wide(a, b) else None)
by_type(operator.not_)(lambda a: (lambda a: not _some(a)) if _is_wide(a) else None)
by_type(bool)(lambda a: (lambda a: _some(a)) if _is_wide(a) else None)
lower_builtin(bool, _Cards128)(  # numba looks here where a condition is a bare set
    lambda context, builder, signature, args: builder.icmp_unsigned("!=", args[0], _number(0))
)


def _for_both(wide_if: Callable[..., bool], narrow: Callable[..., Any], wide: Callable[..., Any], doc: str) -> Any:
    """Return a function for compiled code that is `narrow` for one deck and `wide` for two."""
    for_one, for_two = inner(narrow), inner(wide)
    chosen = selected(lambda *given: for_two if wide_if(*given) else for_one)
    chosen.__doc__ = doc
    return chosen


def _put_one(field: Any, i: Any, cards: Any) -> None:
    field[U(i)] = cards


def _put_two(field: Any, i: Any, cards: Any) -> None:
    field[U(i), U(0)], field[U(i), U(1)] = _low_word(cards), _low_word(_lowered(cards, U(64)))


get = _for_both(
    lambda field, i: field.ndim == 2,
    lambda field, i: field[U(i)],
    lambda field, i: _join(field[U(i), U(0)], field[U(i), U(1)]),
    "Return the set at index `i` of a record's field.",
)
get_2 = _for_both(
    lambda field, i, j: field.ndim == 3,
    lambda field, i, j: field[U(i), U(j)],
    lambda field, i, j: _join(field[U(i), U(j), U(0)], field[U(i), U(j), U(1)]),
    "Return the set at index `i`, `j` of a record's field.",
)
put = _for_both(
    lambda field, i, cards: field.ndim == 2, _put_one, _put_two, "Write a set, `cards`, to index `i` of a record's field."
)


def _first_is_wide(cards: Any, *others: Any) -> bool:
    return cards is CARDS_128


word_of = _for_both(
    _first_is_wide,
    lambda cards, which: cards if which == 0 else U(0),
    lambda cards, which: _low_word(_lowered(cards, U(64) * U(which))),
    "Return the low word of a set (0) or the high one (1), uint64; with one deck the high one is 0.",
)
shift_of = _for_both(
    _first_is_wide,
    lambda like: np.int64(2),
    lambda like: np.int64(3),
    "Return the base-2 logarithm of the bits per value: 2 with one deck, 3 with two.",
)
no_cards = _for_both(
    _first_is_wide, lambda like: U(0), lambda like: _join(U(0), U(0)), "Return the empty set, of the type of the set `like`."
)
card_at = _for_both(
    _first_is_wide,
    lambda like, place: U(1) << U(place),
    lambda like, place: _raised(U(1), U(place)),
    "Return the card at a bit as a set, of the type of the set `like`.",
)
from_place = _for_both(
    _first_is_wide,
    lambda like, place: ~U(0) << U(place),
    lambda like, place: _from(U(place)),
    "Return the set of all bits from `place` up, of the type of the set `like`.",
)
rank_cards = _for_both(
    _first_is_wide,
    lambda cards, value: cards >> (U(4) * U(value)) & U(15),
    lambda cards, value: _low_word(_lowered(cards, U(8) * U(value))) & U(255),
    "Return the cards of one value, shifted to the lowest bits: a nibble or a byte, uint64.",
)
as_rank = _for_both(
    _first_is_wide,
    lambda like, cards, value: cards << (U(4) * U(value)),
    lambda like, cards, value: _raised(cards, U(8) * U(value)),
    "Return a nibble or a byte as the cards of one value, of the type of the set `like`.",
)
shifted_down = _for_both(
    _first_is_wide,
    lambda cards, number: cards >> U(number),
    lambda cards, number: _lowered(cards, U(number)),
    "Return a set shifted down by a number of bits.",
)


@intrinsic
def lowest_card(typingctx: Any, cards: Any) -> Any:
    """Return the lowest card of a set as a set; empty for the empty set."""
    return cards(cards), lambda context, builder, signature, args: builder.and_(args[0], builder.neg(args[0]))


@intrinsic
def without_lowest(typingctx: Any, cards: Any) -> Any:
    """Return a set without its lowest card."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.and_(args[0], builder.sub(args[0], ir.Constant(args[0].type, 1)))

    return cards(cards), codegen


@inner
def _unary_nibbles(mask: Any) -> Any:
    pairs = mask - ((mask >> U(1)) & U(0x5555555555555555))
    counts = (pairs & U(0x3333333333333333)) + ((pairs >> U(2)) & U(0x3333333333333333))
    one, two, four = counts & ONES, (counts >> U(1)) & ONES, (counts >> U(2)) & ONES
    return one | two | four | ((two | four) << U(1)) | (((one & two) | four) << U(2)) | (four << U(3))


@inner
def _unary_bytes(mask: Any) -> Any:
    low, ones = U(0x0101010101010101), U(0x0F0F0F0F0F0F0F0F)
    pairs = mask - ((mask >> U(1)) & U(0x5555555555555555))
    fours = (pairs & U(0x3333333333333333)) + ((pairs >> U(2)) & U(0x3333333333333333))
    counts = (fours + (fours >> U(4))) & ones
    found = U(0)
    for k in range(1, 9):  # adding 128 - k to a byte carries into its highest bit where it is at least k
        found |= ((counts + low * U(128 - k)) >> U(7) & low) << U(k - 1)
    return found


unary = _for_both(
    _first_is_wide,
    lambda cards: _unary_nibbles(cards),
    lambda cards: _join(_unary_bytes(_low_word(cards)), _unary_bytes(_low_word(_lowered(cards, U(64))))),
    "Return each rank's number of cards in unary, as the lowest bits of its nibble or byte.",
)
