"""Checks that read sources, pages and commits and run nothing of them: subjects, errors, repeated functions, prose.

`PYTHONPATH=tests/support python -m source_checks` prints each fault in a line; the exit status is 1 if there is one.
"""

from __future__ import annotations

import ast
import doctest
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import prose
from places import ROOT

SINCE = "f7935c5"
"""Subjects are checked from the commit after this one; a checkout without it checks its last commit alone."""
SUBJECT = re.compile(r"[a-z0-9][a-z0-9_ ,./-]*: (?P<verb>[A-Z][a-z]+(?:-[a-z]+)?)(?: \S.*)?")
NOT_IMPERATIVE = re.compile(r"(?!Need|Feed|Seed|Speed|Embed|Shed|Bring|String|Ring)[\w-]+(?:ed|ing|[^su]s)")
OLD_ERRORS = re.compile(r"\ballowed (?:is|are|here is)\b|\ballows \{|that there is none of")
"""What error texts said before they said "expected X, got Y"."""
LEAST = 5
"""Statements of a function, nested ones included, from which on it is compared with the others."""


def subject_fault(subject: str) -> str:
    """Return what is wrong with a commit's subject, `area: Verb object` in at most 65 characters; "" if nothing is.

    >>> subject_fault("cli, tui: Pass seeds"), subject_fault("games: Focus"), subject_fault("web: Double-click cards")
    ('', '', '')
    >>> subject_fault("envs: added masks"), subject_fault("envs: Added masks"), subject_fault("envs: Adds masks")
    ('not `area: Verb object`', 'not imperative', 'not imperative')
    >>> subject_fault("envs: " + "Add " * 20), subject_fault("Add masks")
    ('86 characters', 'not `area: Verb object`')
    """
    if len(subject) > 65:
        return f"{len(subject)} characters"
    found = SUBJECT.fullmatch(subject)
    if found is None:
        return "not `area: Verb object`"
    return "not imperative" if NOT_IMPERATIVE.fullmatch(found["verb"]) else ""


def commits() -> Iterator[str]:
    """Yield the faults of subjects; none outside a checkout."""
    for revisions in ([f"{SINCE}..HEAD", "--no-merges"], ["HEAD", "-1"]):
        done = subprocess.run(["git", "log", "--format=%s", *revisions], cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            yield from (f"commit {one!r}: {fault}" for one in done.stdout.splitlines() if (fault := subject_fault(one)))
            return


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Yield the modules of the packages."""
    for root in (ROOT / "big2_env", ROOT / "agents" / "big2_agents"):
        for path in sorted(root.rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text("utf-8"))


def raised(tree: ast.AST) -> Iterator[str]:
    """Yield the texts of all errors that a module raises or lists as faults, values as `{}`.

    >>> list(raised(ast.parse("raise ValueError(f'players {n}: allowed are 2'); yield 'a fault'; say('allowed')")))
    ['players {}: allowed are 2', 'players ', ': allowed are 2', 'a fault']
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise | ast.Yield):
            for part in ast.walk(node):
                if isinstance(part, ast.JoinedStr):
                    yield "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in part.values)
                elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


def error_texts(path: str, tree: ast.Module) -> Iterator[str]:
    """Yield the errors of a module in an old form."""
    yield from (f"{path}: error {text!r}: say what is expected" for text in raised(tree) if OLD_ERRORS.search(text))


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
    """Return the body of a function without docstring and names of its own; `None` for a short one.

    >>> [one, other, third, short] = ast.parse('''
    ... def f(a): b = a.x; c = b + 1; d = c * 2; e = d - b; return e
    ... def g(p: int): "It."; q = p.x; r = q + 1; s = r * 2; t = s - q; return t
    ... def h(p): q = p.x; r = q + 1; s = r * 2; t = s + q; return t
    ... def i(p): return p
    ... ''').body
    >>> normalized(one) == normalized(other) != normalized(third), normalized(short) is None
    (True, True)
    """
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    if sum(isinstance(node, ast.stmt) for statement in body for node in ast.walk(statement)) < LEAST:
        return None
    own = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    own |= {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    tree = ast.Module(body=body, type_ignores=[])
    return ast.dump(_Names(own).visit(ast.parse(ast.unparse(tree))))


def sources() -> Iterator[str]:
    """Yield the faults of modules: errors in an old form, and functions whose computation is written twice."""
    found: dict[str, list[str]] = defaultdict(list)
    for path, tree in modules():
        yield from error_texts(path, tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (body := normalized(node)) is not None:
                found[body].append(f"{path}:{node.lineno} {node.name}")
    assert len(found) > 1000
    yield from (f"the same body: {', '.join(places)}" for places in found.values() if len(places) > 1)


def pages() -> Iterator[str]:
    """Yield the files with more clumsy phrases or long sentences than are stored; `prose` shows them, and stores counts."""
    allowed: dict[str, dict[str, int]] = json.loads(prose.COUNTS.read_text("utf-8"))
    for path in prose.files():
        name = path.relative_to(ROOT).as_posix()
        found = [f"clumsy phrase {kind} in {words!r}" for _, kind, words in prose.hits(path)]
        if len(found) > allowed["clumsy phrases"].get(name, 0):
            yield from (f"{name}: {one}" for one in found)
        if path.suffix == ".md":
            long = prose.long_sentences(path.read_text("utf-8"))
            if len(long) > allowed["long sentences"].get(name, 0):
                yield from (f"{name}: long sentence {one!r}" for one in long)


def main() -> int:
    """Print all faults and return the exit status."""
    faults = [*commits(), *sources(), *pages()]
    if doctest.testmod().failed:
        faults.append(f"{Path(__file__).name}: an example fails")
    print("\n".join(faults or ["commits, errors, functions and prose: no fault"]))
    return min(len(faults), 1)


if __name__ == "__main__":
    sys.exit(main())
