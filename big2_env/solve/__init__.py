"""Solver for endgames with all hands open (解杀): what a team can force, and by which line of play.

`solve` returns the result. A `Solver` also answers every defense. A `Goal` is the team's objective. `ending` turns a
position of any climbing game into tables of numbers, `kernels` searches them, in plain Python or compiled, and `solver`
turns the numbers back into plays.
"""

from __future__ import annotations

from big2_env.solve.ending import Goal
from big2_env.solve.solver import Solution, Solver, Verdict, solve

__all__ = ["Goal", "Solution", "Solver", "Verdict", "solve"]
