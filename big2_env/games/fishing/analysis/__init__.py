"""Analysis of the article's question: the mean length of a game, and whether it is finite.

| file | contents | kind of result |
| --- | --- | --- |
| `tail` | geometric tail: fitted rate, hazard by play, mean residual life | measured and fitted |
| `chain` | Markov chains with different amounts of memory, solved exactly | exact for the model, not for the game |
| `odds` | chances of a J or an equal card, relative to exchangeable cards | counted in simulated games |
| `memory` | simulation of the game with parts of its memory shuffled away | measured |

* Proven: the mean is finite if and only if no deal leads to a cycle, because there are finitely many deals and each one
  determines its game. A J changes hands only after it was played onto an empty board, so a player who keeps one J away from
  empty boards cannot lose.
* Proven for the models: their means and their geometric tails. The mean is 747.4 plays with exchangeable cards. It is 1,376.8
  in a model that tracks the owner of each J and excludes a J right after a capture by a J; nothing in it is fitted. It is
  1,292.0, less than 1% below the game's, in a model that also tracks who played the lowest card of the board and takes its
  odds from simulated games.
* Measured: the mean of the game, about 1,304 plays. From play 2,000 on, each play ends the game with a constant probability
  of about 1 in 1,322.
* Open: does any deal of 54 cards never end, and why do the odds have these values?
"""

from __future__ import annotations
