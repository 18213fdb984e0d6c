"""The climbing games as kernels, compiled by numba or interpreted: the same rules, fed from the same values, for many games.

Nothing here is imported by the rules. `compile.py` turns a `RuleSet` into a record (`tables.py`); every other file works from
such records alone and knows no pattern and no game by name. There is one engine. What it is compiled for is a *variant*
(`variants.py`): how actions are numbered (by places in the hand, or by ranks), whether a set of cards takes one word or two
(`dialect/cardsets.py`), how many seats a game has room for, and whether it has what only some games have (`optional_parts.py`).

| file | what it says |
| --- | --- |
| `compile.py`, `compile_slots.py`, `compile_ranks.py` | a ruleset as a record; what those by places and by ranks have |
| `tables.py`, `game_record.py`, `variants.py` | the records: a ruleset, a game; what compiled code is specialised for |
| `dialect` | how kernels are written: words, sets of cards, records, compiled or interpreted |
| `optional_parts.py` | what only some games have |
| `legal_slots.py`, `legal_ranks.py` | the two generators of legal plays |
| `legal.py`, `compare.py` | what may be done, what an action names, what covers what |
| `turn.py`, `settle.py` | how a deal or an act changes a game, what its end pays |
| `agent_streams.py` | the seats' random streams, made of what each seat knows |
| `observe.py` | what a seat sees |
| `loops.py` | whole calls from Python over many games |
| `batch.py`, `game_batch.py`, `engine.py` | the Python side: batches of any game, calls of compiled code, steps |
| `opponents.py`, `history.py`, `packing.py` | its opponents; the acts that some remember; positions put in and taken out |
| `sources.py` | a name for the state of these sources |

Records have the same short names everywhere:

| name | record |
| --- | --- |
| tab | a ruleset (`tables.py`) |
| game | a game (`game_record.py`) |
| scratch | what one thread works with (`tables.py`) |
| learner | whose seat a learner has in a game (`dialect/arguments.py`) |
| call | a call's arguments (`dialect/arguments.py`) |
"""
