"""Dialect in which kernels are written, so that the same source runs compiled by numba and interpreted as plain Python.

Only this package imports numba. Kernels are decorated with `kernel` and take words, sets of cards and records from here.
`specialize` gives one name two implementations, depending on a `Feature` of the ruleset. Importing a kernel module gives the
compiled functions. `loader.interpreted(ruleset).module(name)` gives interpreted ones: the same modules, loaded
again with other meanings for the names below. Interpreted kernels need neither numba nor numpy, so they serve first
answers, browsers and debuggers.

| file | contents |
| --- | --- |
| `kernel.py` | kernel decorators, specialization by feature |
| `compiling.py` | compilation by numba, calls between kernels, compile cache |
| `bits.py`, `cardsets.py` | words, random numbers, vector instructions; sets of cards of one deck or two |
| `records.py` | numpy records |
| `sources.py` | stamps of the sources, by which the compile cache is up to date |
| `transpositions.py` | transposition table of a search |
| `interpreted.py`, `lists.py` | the same names for plain Python: words as ints, records as objects with lists, memos as dicts |
| `memory.py` | numpy arrays and records as interpreted kernels read and write them |
| `loader.py` | loading of kernels as plain Python |

To keep a kernel valid in both modes:

* Values that wrap around at 64 bits, or become negative although a word is expected, need an explicit bound in Python too
  (`& WORD`).
* Assigning a record or a table row to a field copies it when compiled and shares it when interpreted. Use `copied` to
  copy.
* Do not use `x[-1]`: it reads garbage when compiled and the last entry when interpreted.
* A narrow field may overflow when compiled but not when interpreted. Tests of both modes over random games catch this.
"""

from __future__ import annotations

from enum import Enum


class Feature(Enum):
    """Property that some games or players have and others lack."""

    BY_SLOTS = "actions are places in the sorted hand; else they are ranks"
    HAS_EXTRAS = "games have an auction, a draw pile, a lock for the round or captured cards"
    TWO_DECKS = "a set of cards takes two words"
    BY_CARD = "the learned players see the cards one by one; else by rank"
    HEURISTIC_SITS = "some seat has a heuristic player"
    PACKED = "observations are packed bits"


BY_SLOTS, HAS_EXTRAS, TWO_DECKS, BY_CARD, HEURISTIC_SITS, PACKED = Feature
