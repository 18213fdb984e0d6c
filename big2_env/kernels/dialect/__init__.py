"""How kernels are written, so that one text runs compiled by numba and interpreted as plain Python.

Only this package imports numba. Whoever writes a kernel decorates it with `kernel` and takes words, sets of cards and records
from here; `either` and `when` make one name two functions, by what a ruleset has (a `Feature`). Python gets compiled kernels
by importing their modules, and interpreted ones by `loader.interpreted(ruleset).module(name)`: the same modules, loaded anew
with other meanings for the names below. They need neither numba nor numpy, so they serve a first answer, a browser and a
debugger.

| file | what it says |
| --- | --- |
| `kernel.py` | functions as kernels; what they are specialized for; what is compiled, and where it is kept |
| `bits.py`, `cardsets.py` | words, random numbers, many bytes in one instruction; sets of cards, of one deck or two |
| `records.py` | records of numpy, and the name of the state of the sources |
| `memo.py` | what a search has found out about positions |
| `interpreted.py`, `lists.py` | the same names for plain Python: words as ints, records as objects with lists, memos as dicts |
| `loader.py` | kernels as plain Python |

To keep a kernel fit for both:

* What wraps around at 64 bits, or becomes negative where a word is meant, needs a bound that holds in Python too (`& WORD`).
* A record or a row of a table assigned to a field is copied when compiled and shared when interpreted: write what you mean with
  `copied`.
* `x[-1]` reads garbage when compiled and the last entry when interpreted; neither is meant.
* A field of a few bits holds what it is asked to hold when interpreted: the tests of both forms over random games see the rest.
"""

from __future__ import annotations

from enum import Enum


class Feature(Enum):
    """Something that some games or players have and others lack."""

    BY_SLOTS = "actions are places in the sorted hand; else they are ranks"
    HAS_PARTS = "games have an auction, a draw pile, a lock for the round or captured cards"
    TWO_DECKS = "a set of cards takes two words"
    BY_CARD = "the learned players see the cards one by one; else by rank"
    HEURISTIC_SITS = "some seat has a heuristic player"


BY_SLOTS, HAS_PARTS, TWO_DECKS, BY_CARD, HEURISTIC_SITS = Feature
