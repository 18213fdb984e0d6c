"""The climbing games as kernels, compiled by numba or interpreted: the same rules, fed from the same values, for many games.

Nothing here is imported by the rules. `compile.py` turns a `RuleSet` into a record (`tables.py`); every other file works from
such records alone and knows no pattern and no game by name. There is one engine. What it is compiled for is a *variant*
(`variants.py`): how actions are numbered (by places in the hand, or by ranks), whether a set of cards takes one word or two
(`dialect/cardsets.py`), how many seats a game has room for, and whether it has what only some games have (`optional_parts.py`).

| file | what it says |
| --- | --- |
| `tables.py`, `variants.py` | the records: a ruleset, a game, a call; what compiled code is specialized for |
| `compile.py` | a ruleset as a record |
| `dialect` | how kernels are written: words, sets of cards, records, compiled or interpreted |
| `optional_parts.py` | what only some games have |
| `legal.py` | what covers what, the two generators of legal plays, what an action names |
| `turn.py` | how a deal or an action changes a game, what its end pays |
| `observe.py` | what a seat sees; its random streams |
| `loops.py` | whole calls from Python over many games |
| `batch.py`, `game_batch.py`, `engine.py` | the Python side: batches of any game, calls of compiled code, steps |
| `opponents.py`, `packing.py` | a learner's opponents; positions put in and taken out |

Records have the same short names everywhere:

| name | record |
| --- | --- |
| tab | a ruleset (`tables.py`) |
| game | a game (`tables.py`) |
| scratch | what one thread works with (`tables.py`) |
| learner | whose seat a learner has in a game (`tables.py`) |
| call | a call's arguments (`tables.py`) |
"""
