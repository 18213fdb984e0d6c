"""Search behind `big2_env.solve` as kernels: compiled, or interpreted for small endings and browsers.

| file | contents |
| --- | --- |
| `tree_search.py` | the search, which can be paused and resumed; effects of actions, payoffs |
| `prover.py` | arrays of a search, and its calls in pieces |
"""
