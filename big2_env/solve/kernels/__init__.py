"""The search behind `big2_env.solve` as kernel text: compiled, or interpreted for small endings and browsers.

| file | what it says |
| --- | --- |
| `tree_search.py` | the search, which can be left and resumed; how an action changes a position, what the team is paid |
| `prover.py` | a search's arrays, and its calls piece by piece |
"""
