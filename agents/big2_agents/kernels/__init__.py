"""Compiled code of the agents: candidate moves, scores, features, playouts. `big2_env.kernels.dialect` describes kernels.

Code differs by the ruleset's actions: sets of hand slots, or ranks. "With slot actions" and "with rank actions" refer to that.

In addition to the records of `big2_env.kernels`, these names have the same meaning everywhere:

| name | record |
| --- | --- |
| `heur` | a heuristic player: weights, tables of a ruleset, scratch (`heuristic_tables.py`) |
| `cand` | the candidates of a decision (`plays.py`) |
| `track` | the public memory of a game (`track.py`) |
| `feats` | the layout of a game's features (`features.py`) |
| `order` | the order of the legal moves (`moves.py`) |
| `search` | working memory of a search (`playouts.py`) |
| `ends` | working memory for endings (`endgame.py`) |
| `seats` | the rule players of a table (`rule_players.py`) |
| `board` | working memory of a network's decision (`learned.policy`) |

| module | content |
| --- | --- |
| `codes` | codes of the players of compiled games |
| `moves` | random, lowest and greedy players |
| `plays` | candidates of a decision: legal moves with equivalent ones merged |
| `heuristic`, `heuristic_tables` | the heuristic's score, and its record with weights, tables and scratch |
| `beat_odds` | counts of unseen plays that beat a given one |
| `slot_decompositions`, `rank_decompositions` | decomposition of a hand into plays, for each kind of actions |
| `track` | public memory of a game |
| `from_view` | conversion of a view into records |
| `features`, `feature_layout`, `card_features`, `rank_features` | features of the learned agents |
| `endgame` | forced wins, and exact solving of endings |
| `estimates`, `playouts` | allocation of playouts to candidates; sampled deals, and the playouts |
| `rule_players` | rule players in many games and in whole games |
| `selfplay` | batches of games for training |
| `warm_command` | `big2 warm` |
"""
