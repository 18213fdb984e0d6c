"""Comprehension of rules: 200 questions in each language whether a move is legal, and why not.

| module | contents |
| --- | --- |
| `reasons` | reasons why a move is not legal, and the engine's verdict |
| `items` | the questions: positions and moves drawn from a fixed seed |
| `asking` | a question as a prompt; answers of language models and of baselines |
| `scores` | scores with intervals |
| `command` | `big2 bench --comprehension` |
"""
