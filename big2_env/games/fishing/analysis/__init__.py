"""The article's question answered: how long a game lasts on average, and why that is a number at all.

| file | what it has | what kind of statement |
| --- | --- | --- |
| `tail` | the geometric tail: fitted rate, hazard by play, mean residual life | measured and fitted |
| `chain` | Markov chains of the game with less and more memory, solved exactly | exact for the model, not for the game |
| `odds` | how likely a J or an equal card is, by what is known, against exchangeable cards | counted in games |
| `memory` | the game with parts of its memory shuffled away | measured |

Proven: the deals are finitely many and a deal is the whole game, so the mean over all deals is finite if and only if no deal
goes round in a cycle; and a J changes hands only by way of an empty board, so who keeps one out of there cannot lose.
Proven for the models: their means and their geometric tails. Exchangeable cards have the mean 747.4; where it is remembered
who holds each J, and that no J follows a J's capture, 1,376.8, with nothing fitted. Where it is remembered besides who laid the
board's lowest card, and the steps have odds counted in games, 1,292.0: 0.9 % under the game's.
Measured: the game's mean, 1,304 plays. Measured and fitted: from play 2,000 on each play ends the game with chance 1 in 1,322.
Open: whether a deal of 54 cards never ends; why the odds are what they are.
"""

from __future__ import annotations
