"""The names of the dialect for interpreted kernels: words and sets of cards are unsigned Python ints.

Integers do not wrap around here. Code that relies on 64 bits masks with `WORD` (`random_next` below, hashes).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Any, Final

from big2_env.kernels.dialect import Feature, lists
from big2_env.kernels.dialect.sources import source_hash

WORD: Final = (1 << 64) - 1
ONES: Final = 0x1111111111111111
GOLDEN_GAMMA: Final = 0x9E3779B97F4A7C15
MIX_1: Final = 0xBF58476D1CE4E5B9
MIX_2: Final = 0x94D049BB133111EB
_DIGITS: Final = bytes.maketrans(b"01", b"\0\1")


def kernel(function: Any = None, **options: Any) -> Any:
    """Return a function unchanged."""
    return (lambda function: function) if function is None else function


def popcount(x: int) -> int:
    """Return the number of set bits."""
    return x.bit_count()


def lowest_bit(x: int) -> int:
    """Return the index of the lowest set bit."""
    return (x & -x).bit_length() - 1


def highest_bit(x: int) -> int:
    """Return the index of the highest set bit."""
    return x.bit_length() - 1


def lowest_bits(number: int) -> int:
    """Return a word with its lowest `number` bits set."""
    return (1 << number) - 1


def borrowed(array: Any) -> Any:
    """Return the same array."""
    return array


def array_at(view: Any, shape: Any, kind: Any) -> Any:
    """Return the same view. Interpreted calls pass views (`memory.py`) instead of addresses."""
    return view


def record_at(kind: Any) -> Callable[[Any], Any]:
    """Return a function that returns the record it is given."""
    return lambda record: record


def record_in(field: str, dtype_of: Any) -> Callable[..., Any]:
    """Return a function that returns the record, or one of the records, in a field of a call's arguments."""
    return lambda call, i=None: getattr(call, field) if i is None else getattr(call, field)[i]


def array_in(dtype_of: Any) -> Callable[[Any, Any, Any], Any]:
    """Return a function that returns the view it is given."""
    return lambda call, view, shape: view


def deposit(choice: int, mask: int) -> int:
    """Return the set bits of `mask` whose index among them (0 for the lowest) is set in `choice`."""
    found = 0
    while choice:
        low = mask & -mask
        if choice & 1:
            found |= low
        mask ^= low
        choice >>= 1
    return found


def extract(bits: int, mask: int) -> int:
    """Return the bits of `bits` selected by `mask`, packed together (0 for the mask's lowest set bit)."""
    found = place = 0
    while mask:
        low = mask & -mask
        if bits & low:
            found |= 1 << place
        mask ^= low
        place += 1
    return found


def mix(x: int) -> int:
    """Return a word whose bits depend on all bits of `x` (Stafford's variant 13, the finalizer of SplitMix64)."""
    x = (x ^ x >> 30) * MIX_1 & WORD
    x = (x ^ x >> 27) * MIX_2 & WORD
    return x ^ x >> 31


def random_next(state: int) -> tuple[int, int]:
    """Return the next state and number of a SplitMix64 stream, as in `big2_env.base.rng`."""
    state = state + GOLDEN_GAMMA & WORD
    return state, mix(state)


def below(number: int, n: int) -> int:
    """Return a number from 0 to `n` - 1, from the high half of a draw, as in `big2_env.base.rng`."""
    return (number >> 32) * n >> 32


def shuffle(items: Any, size: int, state: int) -> int:
    """Return the state after the first `size` items are shuffled."""
    for last in range(size - 1, 0, -1):
        state, number = random_next(state)
        other = below(number, last + 1)
        items[last], items[other] = items[other], items[last]
    return state


def get(field: Any, i: int) -> Any:
    """Return the set at index `i` of a record's field."""
    return field[i]


def get_2(field: Any, i: int, j: int) -> Any:
    """Return the set at index `i`, `j` of a record's field."""
    return field[i][j]


def put(field: Any, i: int, cards: int) -> None:
    """Write a set to index `i` of a record's field."""
    field[i] = cards


def word_of(cards: int, which: int) -> int:
    """Return the low word of a set (0) or the high one (1)."""
    return cards >> 64 * which & WORD


def no_cards(like: int) -> int:
    """Return the empty set."""
    return 0


def card_at(like: int, place: int) -> int:
    """Return the card at a bit as a set."""
    return 1 << place


def from_place(like: int, place: int) -> int:
    """Return the set of all bits from `place` up."""
    return -1 << place


def shifted_down(cards: int, number: int) -> int:
    """Return a set shifted down by `number` bits."""
    return cards >> number


def lowest_card(cards: int) -> int:
    """Return the lowest card of a set as a set."""
    return cards & -cards


def without_lowest(cards: int) -> int:
    """Return a set without its lowest card."""
    return cards & cards - 1


@lru_cache(maxsize=1024)
def _digits_where(mask: int, first: int, number: int) -> bytes:
    """Return, for each byte, the digit 1 if the byte, after masking, is one of `number` values from `first`, else 0."""
    return bytes(49 if (byte & mask) - first & 255 < number else 48 for byte in range(256))


def places_where(table: Sequence[int], mask: int, first: int, number: int) -> tuple[int, int]:
    """Return two words that mark which of 128 bytes, after masking, are one of `number` values from `first`."""
    found = int(bytes(table).translate(_digits_where(mask, first, number))[::-1], 2)
    return found & WORD, found >> 64


def row_at(out: Any, i: int) -> Any:
    """Return a row of a list of rows, or of a view."""
    return out[i]


def _store_entries(row: Any, start: int, bits: int, number: int) -> None:
    row[start : start + number] = f"{bits & (1 << number) - 1:0{number}b}".encode().translate(_DIGITS)[::-1]


def store_64_entries(row: Any, start: int, word: int) -> None:
    """Write the low 64 bits of a number to 64 entries of a row, a list or a memoryview of bytes, as 0 or 1."""
    _store_entries(row, start, word, 64)


def store_32_entries(row: Any, start: int, word: int) -> None:
    """Write the low 32 bits of a number to 32 entries of a row, as `store_64_entries` does."""
    _store_entries(row, start, word, 32)


def append_bits(words: Any, word: int, low: int, shift: int, bits: int, number: int) -> tuple[int, int, int]:
    """Append `number` bits, up to 64, to a bit string; higher bits must be 0.

    Returns:
        The current word's index, its bits and their number.
    """
    low |= bits << shift
    shift += number
    if shift >= 64:
        words[word] = low & WORD
        word, low, shift = word + 1, low >> 64, shift - 64
    return word, low, shift


def _bits_of(words: Any, size: int) -> int:
    """Return the first `size` bits of a bit string as a number."""
    found: int = sum((words[word] & WORD) << 64 * word for word in range((size + 63) // 64))
    return found & (1 << size) - 1


def spread_bits(words: Any, row: Any, size: int) -> None:
    """Expand a bit string into a row, one entry per bit."""
    _store_entries(row, 0, _bits_of(words, size), size)


def copy_bits(words: Any, row: Any, size: int) -> None:
    """Copy a bit string to a row of bytes: eight bits per byte, the first one lowest, padded with zeros."""
    length = (size + 7) // 8
    row[:length] = _bits_of(words, size).to_bytes(length, "little")


def _sets(width: int) -> dict[str, Callable[..., Any]]:
    """Return the functions that depend on the number of bits per value, 4 or 8."""
    shift, rank = width.bit_length() - 1, (1 << width) - 1
    ones = sum(1 << width * value for value in range(16))

    def shift_of(like: int) -> int:
        return shift

    def rank_cards(cards: int, value: int) -> int:
        return cards >> (value << shift) & rank

    def as_rank(like: int, cards: int, value: int) -> int:
        return cards << (value << shift)

    def unary_nibbles(cards: int) -> int:
        pairs = cards - (cards >> 1 & 0x5555555555555555)
        counts = (pairs & 0x3333333333333333) + (pairs >> 2 & 0x3333333333333333)
        one, two, four = counts & ONES, counts >> 1 & ONES, counts >> 2 & ONES
        return one | two | four | (two | four) << 1 | (one & two | four) << 2 | four << 3

    def unary_bytes(cards: int) -> int:
        pairs = cards - (cards >> 1 & ones * 0x55)
        fours = (pairs & ones * 0x33) + (pairs >> 2 & ones * 0x33)
        counts, found = fours + (fours >> 4) & ones * 15, 0
        for k in range(1, 9):  # adding 128 - k to a byte carries into its highest bit where it is at least k
            found |= (counts + ones * (128 - k) >> 7 & ones) << k - 1
        return found

    return {
        "shift_of": shift_of,
        "rank_cards": rank_cards,
        "as_rank": as_rank,
        "unary": unary_nibbles if width == 4 else unary_bytes,
    }


def names_for(features: Collection[Feature]) -> dict[str, Any]:
    """Return the names of the dialect for games with these features."""

    def specialize(feature: Feature, then: Any, otherwise: Any) -> Any:
        return then if feature in features else otherwise

    def specialized(feature: Feature, otherwise: Any = None) -> Callable[[Any], Any]:
        return lambda function: function if feature in features else lambda *given: otherwise

    return {
        **{name: value for name, value in (vars(lists) | globals()).items() if not name.startswith("_")},
        **_sets(8 if Feature.TWO_DECKS in features else 4),
        "U": int,
        "source_hash": source_hash,
        "specialize": specialize,
        "specialized": specialized,
    }
