"""Errors say "expected X, got Y": the old forms do not come back to the places that were rid of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import big2_agents
import big2_env

OLD = re.compile(r"\ballowed (?:is|are|here is)\b|\ballows \{|that there is none of")
"""What error texts said before: "X: allowed is Y"."""
PLAIN = frozenset(
    [
        "big2_env.envs",
        "big2_env.language",
        "big2_env.show",
        "big2_env.play",
        "big2_env.web",
        "big2_env.tui",
        "big2_env.cli",
        "big2_agents.review",
        "big2_agents.train",
        "big2_agents.plain",
        "big2_env.climbing",
        "big2_env.games",
        "big2_env.notation",
        "big2_agents.arena",
        "big2_agents.learned",
        "big2_env.runs",
        "big2_env.solve",
        "big2_env.testing",
        "big2_env.kernels",
    ]
)
"""The rooms whose errors are all plain. The list may only grow."""


def raised(tree: ast.AST) -> Iterator[str]:
    """The texts of all errors that a module raises or lists as faults, values as `{}`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise | ast.Yield):
            for part in ast.walk(node):
                if isinstance(part, ast.JoinedStr):
                    yield "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in part.values)
                elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


def room_files(room: str) -> list[Path]:
    package, _, folder = room.partition(".")
    root = Path({"big2_env": big2_env, "big2_agents": big2_agents}[package].__file__).parent
    return sorted((root / folder).rglob("*.py"))


@pytest.mark.parametrize("room", sorted(PLAIN))
def test_errors__of_a_room_have_no_old_form(room: str) -> None:
    files = room_files(room)
    assert files
    found = {path.name: [text for text in raised(ast.parse(path.read_text("utf-8"))) if OLD.search(text)] for path in files}
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
