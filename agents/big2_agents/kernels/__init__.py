"""What agents compute: candidate plays, move values, features, playouts. Kernels, as `big2_env.kernels.dialect` describes them.

Besides the records of `big2_env.kernels`, these have the same short names everywhere:

| name | record |
| --- | --- |
| `heur` | a heuristic player: its weights, what it knows of a ruleset, scratch (`heuristic_tables.py`) |
| `cand` | the candidates of a decision (`plays.py`) |
| `track` | the public memory of a game (`track.py`) |
| `feats` | the layout of a game's features (`features.py`) |
| `order` | the order of the legal acts (`acts.py`) |
| `search` | what the search of one decision works on (`playouts.py`) |
| `ends` | what endings are solved with (`endgame.py`) |
| `seats` | the rule players of a table (`rule_players.py`) |
| `board` | what one decision of a network works on (`learned.policy`) |
"""
