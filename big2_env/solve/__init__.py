"""Endings with all hands open, solved (解杀): whether a team can force that one of its seats is out first, and by which line.

`solve` answers; a `Solver` also knows what to do against any defence. `ending` turns a position of any climbing game into
tables of numbers, `search` is the compiled proof, `solver` turns its numbers into plays again.
"""

from __future__ import annotations

from big2_env.solve.solver import Solution, Solver, Verdict, solve

__all__ = ["Solution", "Solver", "Verdict", "solve"]
