"""Frozen decisions with values of all their moves, and the regret of an agent's choices in them (`big2 bench --positions`).

`choosing` made the decisions of a version of the protocol, `decisions` reads them, `regrets` lets agents answer.
"""
