"""Games in words, in three languages.

| module | contents |
| --- | --- |
| `names` | names of cards, patterns and seats; payoffs as people read them |
| `events` | events of a climbing game |
| `patterns` | patterns, and the plays that they beat |
| `rules` | rules of a climbing game as a page |
| `state` | state of a climbing game with all its rounds |
| `climbing_scene` | scene of a climbing game for one viewer |
"""
