"""Errors say "expected X, got Y": the old forms do not come back, wherever in the packages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import big2_agents
import big2_env

OLD = re.compile(r"\ballowed (?:is|are|here is)\b|\ballows \{|that there is none of")
"""What error texts said before: "X: allowed is Y"."""


def raised(tree: ast.AST) -> Iterator[str]:
    """The texts of all errors that a module raises or lists as faults, values as `{}`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise | ast.Yield):
            for part in ast.walk(node):
                if isinstance(part, ast.JoinedStr):
                    yield "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in part.values)
                elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


@pytest.mark.parametrize("package", [big2_env, big2_agents], ids=lambda package: package.__name__)
def test_errors__have_no_old_form(package: ModuleType) -> None:
    root = Path(str(package.__file__)).parent
    files = sorted(root.rglob("*.py"))
    assert len(files) > 50
    found = {str(path): [text for text in raised(ast.parse(path.read_text("utf-8"))) if OLD.search(text)] for path in files}
    assert {name: texts for name, texts in found.items() if texts} == {}


@pytest.mark.parametrize(
    ("code", "is_old"),
    [
        ("raise ValueError(f'players {n}: allowed are 2 to 4')", True),
        ("raise ValueError('x: allowed is y')", True),
        ("yield f'{n} hands, {name} allows {low}'", True),
        ("raise ValueError(f'expected 2 to 4 players, got {n}')", False),
        ("say('a pass is not allowed')", False),
    ],
)
def test_old_forms__are_found(code: str, is_old: bool) -> None:
    assert any(OLD.search(text) for text in raised(ast.parse(code))) is is_old
