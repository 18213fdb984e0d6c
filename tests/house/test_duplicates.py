"""No computation is written twice: no two functions of five or more statements have the same body but for names."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import big2_agents
import big2_env

LEAST = 5
"""Statements of a function, nested ones included, from which on it is compared."""


class _Names(ast.NodeTransformer):
    """Parameters and local variables numbered in the order in which they appear; annotations left out."""

    def __init__(self, names: set[str]) -> None:
        self._number = dict.fromkeys(names, "")
        self._next = 0

    def _numbered(self, name: str) -> str:
        if name in self._number and not self._number[name]:
            self._number[name], self._next = f"name_{self._next}", self._next + 1
        return self._number.get(name, name)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Name(self._numbered(node.id), node.ctx), node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self._numbered(node.arg), None)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        node.annotation = ast.Constant(None)
        return node


def normalized(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """The body of a function without docstring and names of its own; `None` for a short one."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    if sum(isinstance(node, ast.stmt) for statement in body for node in ast.walk(statement)) < LEAST:
        return None
    own = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    own |= {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    tree = ast.Module(body=body, type_ignores=[])
    return ast.dump(_Names(own).visit(ast.parse(ast.unparse(tree))))


def functions() -> Iterator[tuple[str, str]]:
    """Where each function is, and its normalized body."""
    for package in (big2_env, big2_agents):
        root = Path(package.__file__).parent
        for path in sorted(root.rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (body := normalized(node)) is not None:
                    yield f"{path.relative_to(root.parent)}:{node.lineno} {node.name}", body


def test_functions__no_two_have_the_same_body() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for place, body in functions():
        found[body].append(place)
    assert len(found) > 1000
    assert not [places for places in found.values() if len(places) > 1]


def test_normalized__sees_through_names_and_docstrings() -> None:
    one, other, third = (
        ast.parse(text).body[0]
        for text in (
            'def f(a):\n    """It."""\n    b = a.x\n    c = b + 1\n    d = c * 2\n    e = d - b\n    return e\n',
            "def g(p: int):\n    q = p.x\n    r: int = q + 1\n    r = q + 1\n    s = r * 2\n    t = s - q\n    return t\n",
            "def h(p):\n    q = p.x\n    r = q + 1\n    s = r * 2\n    t = s - q\n    return t\n",
        )
    )
    assert isinstance(one, ast.FunctionDef)
    assert isinstance(other, ast.FunctionDef)
    assert isinstance(third, ast.FunctionDef)
    assert normalized(one) == normalized(third) != normalized(other)
    assert normalized(ast.parse("def f(a):\n    return a\n").body[0]) is None  # type: ignore[arg-type]
