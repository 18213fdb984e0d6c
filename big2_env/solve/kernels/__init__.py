"""The search behind `big2_env.solve` as kernel text: compiled, or interpreted for small endings and browsers.

| file | what it says |
| --- | --- |
| `tree_moves.py` | how an act changes a position, when the search is over, and what the team is paid then |
| `tree_search.py` | the search, which can be left and resumed |
| `prover.py` | a search's arrays, and its calls piece by piece |
"""
