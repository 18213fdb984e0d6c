"""Endings with all cards open, solved (解杀): what a team can force, and by which line.

`solve` answers; a `Solver` also knows what to do against any defence. A `Goal` says what the team is to reach. `ending` turns
a position of any climbing game into tables of numbers, `kernels` proves what they say, in plain Python or compiled, and
`solver` turns its numbers into plays again.
"""

from __future__ import annotations

from big2_env.solve.ending import Goal
from big2_env.solve.solver import Solution, Solver, Verdict, solve

__all__ = ["Goal", "Solution", "Solver", "Verdict", "solve"]
