"""Fast implementation of the climbing games: kernels that numba compiles, or that run interpreted as plain Python.

Kernels implement the same rules as `big2_env.climbing`, for many games at once. The rules import nothing from here.
`compile.py` turns a `RuleSet` into a record (`tables.py`). All other files work on such records and name no pattern or
game.

There is one engine, compiled per *variant* (`variants.py`). A variant fixes how actions are numbered (by position in the
hand, or by rank) and whether a set of cards takes one word or two (`dialect/cardsets.py`). It also fixes the maximum
number of seats, whether a game has optional parts (`optional_extras.py`), and the bounds of the tables.

| file | contents |
| --- | --- |
| `tables.py`, `variants.py` | records of a ruleset, a game and a call; variants |
| `compile.py` | compilation of a ruleset into a record |
| `dialect` | how kernels are written: words, sets of cards, records, compiled or interpreted |
| `optional_extras.py` | rules that only some games have |
| `legal.py` | which play beats which, the two generators of legal plays, reading of actions |
| `turn.py` | effects of deals and actions, payoffs |
| `observe.py` | observations, masks, random streams |
| `loops.py` | calls from Python that process many games |
| `batch.py`, `side_batch.py`, `game_batch.py`, `engine.py` | Python side: batches of any game, calls of compiled code, steps |
| `switch.py`, `plain_loops.py` | interpreted kernels until compiled ones are ready; interpreted calls of `loops.py` |
| `quick_turns.py` | prepared calls with which opponents move in a batch of few games |
| `readable.py` | calls by the readable rules, for rulesets that do not compile |
| `reuse.py` | output arrays that are used again once they are free |
| `opponents.py`, `packing.py` | opponents of a learner; conversion of positions |

Kernels use the same short names for records everywhere:

| name | record |
| --- | --- |
| tab | a ruleset (`tables.py`) |
| game | a game (`tables.py`) |
| scratch | working memory of a thread (`tables.py`) |
| learner | the learner's seat in a game (`tables.py`) |
| call | arguments of a call (`tables.py`) |
"""
