"""A game in words, in three languages.

| module | contents |
| --- | --- |
| `names` | names of cards, patterns and seats; payoffs as people read them |
| `events` | events of a climbing game |
| `patterns` | what a pattern is and what beats it |
| `rules` | the rules of a game: a page as a value, as text and as Markdown |
| `state` | the state of a climbing game with everything that was played |
| `climbing_scene` | the scene of a climbing game for one viewer |
"""
