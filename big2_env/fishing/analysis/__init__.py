"""The article's question answered: how long a game lasts on average, and why that is a number at all.

| file | what it has | what kind of statement |
| --- | --- | --- |
| `tail` | the geometric tail: fitted rate, hazard by play, mean residual life | measured and fitted |
| `chain` | Markov chains of the game with less and more memory, solved exactly | exact for the model, not for the game |
| `memory` | the game with parts of its memory shuffled away | measured |
"""

from __future__ import annotations
