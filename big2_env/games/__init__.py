"""Games that are no climbing games, a room each. In all of them the same file name means the same thing.

| file | what it has |
| --- | --- |
| `cards`, `actions` | cards and actions as numbers, and their text |
| `rules` | the parameters of the rules as a frozen value |
| `game`, `outcome` | the reference engine, with its history; how a game ended |
| `position`, `moves` | positions as values; what is legal in one and what follows |
| `view` | what one seat may know |
| `observation` | what a network sees |
| `env`, `aec`, `vector` | environments: Gymnasium, PettingZoo, many games at once |
| `kernels/` | the same rules compiled |
| `simulate`, `tally`, `results` | many games on all cores, their totals, the file that keeps them |
| `records` | games as JSON lines |
| `plot` | pictures |
| `scene`, `texts`, `replays`, `rules_words` | what a viewer may know; acts in words; games looked through; rules in words |
| `rendering` | what environments render |
| `sitting` | a person's place at a table |
"""
