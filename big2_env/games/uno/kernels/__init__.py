"""Kernels of UNO, compiled or interpreted. They reproduce `big2_env.games.uno.game` move by move.

Kernels use the same short names for records everywhere:

| name | record of `dtypes.py` |
| --- | --- |
| rules | rules of the game |
| game | a game; a card is known by its age, its place in the order of drawing |
| hand | a seat's hand, as sets of ages and counts |
| learner | the learner's seat in a game (`learners.py`) |
"""
