"""Mutants change what a module does, and no type, docstring or error."""

from __future__ import annotations

import ast

from mutants import changes

MODULE = '''
"""A module."""
LIMIT: Final[Literal[4]] = 3

@cache(1)
def capped(x: Literal[2]) -> int:
    """Cap it."""
    if x > LIMIT and ready:
        raise ValueError(f"{x + 1}")
    total[x] = -x if not ready else True
    return x
'''


def test_changes__are_of_what_a_module_does() -> None:
    numbers = range(len(list(changes(ast.parse(MODULE)))))
    assert [list(changes(ast.parse(MODULE)))[number].make() for number in numbers] == [
        ("LIMIT: Final[Literal[4]] = 3", "LIMIT: Final[Literal[4]] = 4"),
        ("if x > LIMIT and ready:", "if not (x > LIMIT and ready):"),
        ("x > LIMIT and ready", "x > LIMIT or ready"),
        ("x > LIMIT", "x >= LIMIT"),
        ("raise ValueError(f'{x + 1}')", ""),
        ("total[x] = -x if not ready else True", ""),
        ("-x if not ready else True", "-x if not not ready else True"),
        ("-x if not ready else True", "-x if not ready else False"),
        ("return x", ""),
    ]
