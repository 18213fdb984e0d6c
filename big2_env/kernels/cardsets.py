"""Sets of cards in compiled code: one number each, of 64 bits for one deck and of 128 bits for two.

A card is a place: its value in the ruleset's order times 4, or 8 with two decks, plus its place among the cards of that rank.
So a rank's cards are a nibble, or a byte, and lower cards have lower places. The functions of this file take either number, and
so do `&`, `|`, `^`, `~`, `==` and `!=`: rules that use nothing else are written once and compiled for both.

Records hold a set as a uint64, or as two of them: a field with one more dimension. `get` and `put` know both.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin, models, register_model

from big2_env.kernels.bits import ONES, U, by_type, inner

PLACES: Final = {1: 4, 2: 8}
"""Places for each value, by the number of words that a set takes."""
_TWO_WORDS: Final = ir.IntType(128)


class _Cards128(types.Type):  # type: ignore[misc]  # numba is not typed
    def __init__(self) -> None:
        super().__init__("cards128")


CARDS_128: Final = _Cards128()
"""The type of a set of cards of two decks."""


@register_model(_Cards128)
class _Cards128Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, type_: Any) -> None:
        super().__init__(manager, type_, _TWO_WORDS)


def _is_wide(*given: Any) -> bool:
    return all(one is CARDS_128 for one in given)


def _operator(result: Any, codegen: Callable[[Any, Any], Any], *functions: Any) -> None:
    """Give an operator of one or two sets of two decks its meaning."""

    @intrinsic
    def one(typingctx: Any, a: Any) -> Any:
        return result(CARDS_128), lambda context, builder, signature, args: codegen(builder, args)

    @intrinsic
    def two(typingctx: Any, a: Any, b: Any) -> Any:
        return result(CARDS_128, CARDS_128), lambda context, builder, signature, args: codegen(builder, args)

    for function in functions:
        if function is operator.invert:
            by_type(function)(lambda a: (lambda a: one(a)) if _is_wide(a) else None)
        else:
            by_type(function)(lambda a, b: (lambda a, b: two(a, b)) if _is_wide(a, b) else None)


_operator(CARDS_128, lambda builder, args: builder.and_(*args), operator.and_, operator.iand)
_operator(CARDS_128, lambda builder, args: builder.or_(*args), operator.or_, operator.ior)
_operator(CARDS_128, lambda builder, args: builder.xor(*args), operator.xor, operator.ixor)
_operator(CARDS_128, lambda builder, args: builder.not_(*args), operator.invert)
_operator(types.boolean, lambda builder, args: builder.icmp_unsigned("==", *args), operator.eq)
_operator(types.boolean, lambda builder, args: builder.icmp_unsigned("!=", *args), operator.ne)


@by_type(bool)
def _truth(cards: Any) -> Any:
    return (lambda cards: cards != _join(U(0), U(0))) if _is_wide(cards) else None


@by_type(operator.not_)
def _not(cards: Any) -> Any:
    return (lambda cards: cards == _join(U(0), U(0))) if _is_wide(cards) else None


@lower_builtin(bool, _Cards128)  # type: ignore[untyped-decorator]  # numba looks here where a condition is a bare set
def _lower_truth(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.icmp_unsigned("!=", args[0], ir.Constant(_TWO_WORDS, 0))


@intrinsic
def _join(typingctx: Any, low: Any, high: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        low, high = (builder.zext(word, _TWO_WORDS) for word in args)
        return builder.or_(low, builder.shl(high, ir.Constant(_TWO_WORDS, 64)))

    return CARDS_128(types.uint64, types.uint64), codegen


@intrinsic
def _word_from(typingctx: Any, cards: Any, place: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.trunc(builder.lshr(args[0], builder.zext(args[1], _TWO_WORDS)), ir.IntType(64))

    return types.uint64(CARDS_128, types.uint64), codegen


@intrinsic
def _shifted(typingctx: Any, word: Any, place: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.shl(*(builder.zext(arg, _TWO_WORDS) for arg in args))

    return CARDS_128(types.uint64, types.uint64), codegen


@intrinsic
def _all_from(typingctx: Any, place: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.shl(ir.Constant(_TWO_WORDS, -1), builder.zext(args[0], _TWO_WORDS))

    return CARDS_128(types.uint64), codegen


@intrinsic
def lowest_card(typingctx: Any, cards: Any) -> Any:
    """The lowest card of a set as a set; the empty set of the empty one."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.and_(args[0], builder.neg(args[0]))

    return cards(cards), codegen


@intrinsic
def without_lowest(typingctx: Any, cards: Any) -> Any:
    """A set without its lowest card."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.and_(args[0], builder.sub(args[0], ir.Constant(args[0].type, 1)))

    return cards(cards), codegen


def get(field: Any, i: Any) -> Any:
    """The set at place `i` of a record's field."""


@by_type(get)
def _get(field: Any, i: Any) -> Any:
    if field.ndim == 1:
        return lambda field, i: field[U(i)]
    return lambda field, i: _join(field[U(i), U(0)], field[U(i), U(1)])


def get_2(field: Any, i: Any, j: Any) -> Any:
    """The set at place `i`, `j` of a record's field."""


@by_type(get_2)
def _get_2(field: Any, i: Any, j: Any) -> Any:
    if field.ndim == 2:
        return lambda field, i, j: field[U(i), U(j)]
    return lambda field, i, j: _join(field[U(i), U(j), U(0)], field[U(i), U(j), U(1)])


def put(field: Any, i: Any, cards: Any) -> None:
    """Write a set at place `i` of a record's field."""


@by_type(put)
def _put(field: Any, i: Any, cards: Any) -> Any:
    if field.ndim == 1:

        def one(field: Any, i: Any, cards: Any) -> None:
            field[U(i)] = cards

        return one

    def two(field: Any, i: Any, cards: Any) -> None:
        field[U(i), U(0)], field[U(i), U(1)] = _word_from(cards, U(0)), _word_from(cards, U(64))

    return two


def word_of(cards: Any, which: Any) -> Any:
    """The low word of a set (0) or the high one (1), uint64; there is no high one with one deck."""


@by_type(word_of)
def _word_of(cards: Any, which: Any) -> Any:
    if _is_wide(cards):
        return lambda cards, which: _word_from(cards, U(64) * U(which))
    return lambda cards, which: cards if which == 0 else U(0)


def shift_of(like: Any) -> Any:
    """The places for each value as a power of two: 2 with one deck, 3 with two."""


@by_type(shift_of)
def _shift_of(like: Any) -> Any:
    shift = 3 if _is_wide(like) else 2
    return lambda like: np.int64(shift)


def card_at(like: Any, place: Any) -> Any:
    """The card at a place as a set, of the type of `like`."""


@by_type(card_at)
def _card_at(like: Any, place: Any) -> Any:
    if _is_wide(like):
        return lambda like, place: _shifted(U(1), U(place))
    return lambda like, place: U(1) << U(place)


def from_place(like: Any, place: Any) -> Any:
    """All places from one on as a set, of the type of `like`."""


@by_type(from_place)
def _from_place(like: Any, place: Any) -> Any:
    if _is_wide(like):
        return lambda like, place: _all_from(U(place))
    return lambda like, place: ~U(0) << U(place)


def rank_cards(cards: Any, value: Any) -> Any:
    """The cards of one value, moved to the lowest places: a nibble or a byte, uint64."""


@by_type(rank_cards)
def _rank_cards(cards: Any, value: Any) -> Any:
    if _is_wide(cards):
        return lambda cards, value: _word_from(cards, U(8) * U(value)) & U(255)
    return lambda cards, value: cards >> (U(4) * U(value)) & U(15)


def as_rank(like: Any, cards: Any, value: Any) -> Any:
    """A nibble or a byte as the cards of one value, of the type of `like`."""


@by_type(as_rank)
def _as_rank(like: Any, cards: Any, value: Any) -> Any:
    if _is_wide(like):
        return lambda like, cards, value: _shifted(cards, U(8) * U(value))
    return lambda like, cards, value: cards << (U(4) * U(value))


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


def unary(cards: Any) -> Any:
    """The numbers of each rank's cards in unary: the lowest bits of its nibble or byte, as many as the set has of the rank."""


@by_type(unary)
def _unary(cards: Any) -> Any:
    if _is_wide(cards):
        return lambda cards: _join(_unary_bytes(_word_from(cards, U(0))), _unary_bytes(_word_from(cards, U(64))))
    return lambda cards: _unary_nibbles(cards)


def shifted_down(cards: Any, number: Any) -> Any:
    """A set with all places lowered by a number."""


@by_type(shifted_down)
def _shifted_down(cards: Any, number: Any) -> Any:
    if _is_wide(cards):
        return lambda cards, number: _lowered(cards, U(number))
    return lambda cards, number: cards >> U(number)


@intrinsic
def _lowered(typingctx: Any, cards: Any, number: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.lshr(args[0], builder.zext(args[1], _TWO_WORDS))

    return CARDS_128(CARDS_128, types.uint64), codegen


def no_cards(like: Any) -> Any:
    """The empty set, of the type of `like`."""


@by_type(no_cards)
def _no_cards(like: Any) -> Any:
    if _is_wide(like):
        return lambda like: _join(U(0), U(0))
    return lambda like: U(0)
