"""The climbing games compiled with numba: the same rules, fed from the same values, over many games at once.

Nothing here is imported by the rules. `compile.py` turns a `RuleSet` into a record (`tables.py`); every other file works from
such records alone and knows no pattern and no game by name. There is one engine. What it is compiled for is a *variant*
(`variants.py`): how actions are numbered (by places in the hand, or by ranks), whether a set of cards takes one word or two
(`cardsets.py`), how many seats a game has room for, and whether it has what only some games have (`optional_parts.py`).

| file | what it says |
| --- | --- |
| `legal_slots.py`, `legal_ranks.py` | the two generators of legal plays |
| `legal.py`, `compare.py` | what may be done, what an action names, what covers what |
| `turn.py`, `settle.py` | how a deal or an act changes a game, what its end pays |
| `observe.py` | what a seat sees |
| `loops.py`, `arguments.py` | whole calls from Python over many games |
| `engine.py`, `batch.py`, `opponents.py`, `packing.py` | the Python side |
"""
