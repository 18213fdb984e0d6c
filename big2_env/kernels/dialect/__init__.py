"""How kernels are written, so that one text runs compiled by numba and interpreted as plain Python.

Only this package imports numba. Whoever writes a kernel decorates it with `kernel` and takes words, sets of cards and records
from here; `either` and `when` make one name two functions, by what a ruleset has (`features.py`). Python gets compiled kernels
by importing their modules, and interpreted ones by `loader.interpreted(ruleset).module(name)`: the same modules, loaded anew
with other meanings for the names below. They need neither numba nor numpy, so they serve a first answer, a browser and a
debugger.

| file | what it says |
| --- | --- |
| `kernel.py`, `features.py` | functions as kernels; what they are specialised for |
| `bits.py`, `cardsets.py` | words and random numbers; sets of cards, of one deck or two |
| `vectors.py` | many bytes in one instruction |
| `compiling.py` | what is compiled, and where it is kept |
| `records.py`, `arguments.py` | records of numpy; a call's arrays by their addresses |
| `memo.py` | what a search has found out about positions |
| `interpreted.py`, `lists.py`, `dicts.py` | the same names for plain Python: words as ints, records as objects with lists |
| `loader.py` | kernels as plain Python |

To keep a kernel fit for both:

* What wraps around at 64 bits, or becomes negative where a word is meant, needs a bound that holds in Python too (`& WORD`).
* A record or a row of a table assigned to a field is copied when compiled and shared when interpreted: write what you mean with
  `copied`.
* `x[-1]` reads garbage when compiled and the last entry when interpreted; neither is meant.
* A field of a few bits holds what it is asked to hold when interpreted: the tests of both forms over random games see the rest.
"""
