"""Frozen decisions with values of all their moves, and the regret of an agent's choices in them (`big2 bench --positions`).

`decisions` reads the decisions of a version of the protocol, `regrets` lets agents answer.
"""
