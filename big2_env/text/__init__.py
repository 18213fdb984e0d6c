"""Games in words, in three languages.

| module | contents |
| --- | --- |
| `names` | names of cards, patterns and seats; moves in notation; payoffs as people read them |
| `values` | expected payoffs, in points or as a chance to win |
| `events` | events of a climbing game |
| `patterns` | patterns, and the plays that they beat |
| `rules` | rules of a climbing game as a page |
| `observation` | one seat's knowledge of a game, for language models and `big2 state --seat` |
| `answers` | moves from typed lines and from answers of language models: played, illegal, unreadable or ambiguous |
| `marked` | the answer that a text marks, by a tag, JSON, a fenced block or a heading |
| `selection` | meaning and legality of selected cards |
| `state` | state of a climbing game with all hands open and all its rounds |
| `seating` | agents by seat, and notes on their weights |
| `session` | a table at which one game after another is played |
| `climbing_scene` | scene of a climbing game for one viewer |
"""
