"""Puzzles (殘局): endings with all hands open, in which the seat to move has a forced win that is not obvious.

| module | contents |
| --- | --- |
| `puzzle` | one puzzle as data, strictly read; its grade |
| `proving` | the facts of a puzzle, computed by the solver |
| `making` | search for puzzles in games of strong agents |
| `command` | `big2 puzzles` |
| `shipped`, `data/` | the puzzles of this package, one file of JSON lines per ruleset |

A session of a person with a puzzle is in `big2_env.tables.session.puzzling`.
"""

from __future__ import annotations

from big2_env.tables.puzzles.puzzle import Puzzle

__all__ = ["Puzzle"]
