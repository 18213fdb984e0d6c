"""The climbing games compiled with numba: the same rules, fed from the same values, over many games at once.

Nothing here is imported by the rules. `tables.py` turns a `RuleSet` into arrays; every other file works from those arrays alone
and knows no pattern and no game by name.
"""
