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
from collections.abc import Collection, Iterator, Mapping
from functools import cache
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


@cache
def modules() -> dict[str, ast.Module]:
    """Return the modules of the packages by path."""
    paths = (path for root in (ROOT / "big2_env", ROOT / "agents" / "big2_agents") for path in sorted(root.rglob("*.py")))
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8")) for path in paths}


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
    for path, tree in modules().items():
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


QUOTED = re.compile(r"`(?:[^`\s]+ )?((?:[\w.-]+/)*(?:[a-z_]\w*\.)+[A-Za-z_]\w*)(?:\([^`]*\))?`")
"""A file or a dotted name in a docstring or on a page."""
DATA = (".csv", ".json", ".jsonl", ".npz", ".toml", ".yml")
OF_OTHERS = ("data.pieces", "envs.unwrapped.", "mcp.Client", "my_", "replay.py", "uno.strength")
"""How names begin that look like ours: variables of examples, libraries, files of readers, entry points."""


def stale_names(trees: Mapping[str, ast.Module], texts: Mapping[str, str], files: Collection[str]) -> Iterator[str]:
    """Yield names of modules, of what is in them, and of files that texts quote and that are nowhere.

    A name counts as one of ours if it begins with a package, or with a word that no module knows.

    >>> trees = {"a/b/__init__.py": ast.parse(""), "a/b/c.py": ast.parse("def f(x): x.y")}
    >>> texts = {"page": "`b.c.f`, `c.f`, `x.y()`, `c.py`, `b.f`, `d.f(1)`, `e.py`"}
    >>> list(stale_names(trees, texts, ["a/b/c.py"]))
    ['page: b.f is nowhere', 'page: d.f is nowhere', 'page: e.py is nowhere']
    """
    places, words, packages = set[str](), set[str](), {Path(path).parent.name for path in trees if path.endswith("__init__.py")}
    for path, tree in trees.items():
        parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
        names = {name for node in ast.walk(tree) for name in _defined(node)}
        suffixes = [".".join(parts[first:]) for first in range(len(parts))]
        places |= {place for suffix in suffixes for place in (suffix, *(f"{suffix}.{name}" for name in names))}
        words |= {*parts, *names}
    endings = {"/".join(parts[first:]) for parts in (file.split("/") for file in files) for first in range(len(parts))}
    for path, text in texts.items():
        for name in QUOTED.findall(text):
            first = name.partition(".")[0]
            if "/" in name or name.endswith(".py"):
                known = name.removeprefix("../") in endings
            else:
                known = name in places or (first in words and first not in packages) or name.endswith(DATA)
            if not known and name not in words and not name.startswith(OF_OTHERS) and not re.search(r"\b[A-Z]+\b", name):
                yield f"{path}: {name} is nowhere"


def _defined(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node mentions, and its text."""
    if isinstance(node, ast.Constant):
        yield from (node.value,) if isinstance(node.value, str) else ()
        return
    for name in node._fields:
        if isinstance(found := getattr(node, name), str):
            yield from (found, *found.split(".")) if "." in found else (found,)


def _docstrings(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> Iterator[str]:
    """Yield the docstrings of a module and of its classes and functions, but not of functions in functions."""
    if text := ast.get_docstring(node):
        yield text
    for one in [] if isinstance(node, ast.FunctionDef) else node.body:
        if isinstance(one, ast.ClassDef | ast.FunctionDef):
            yield from _docstrings(one)


def quoted() -> Iterator[str]:
    """Yield names that docstrings and pages quote and that are nowhere."""
    trees = {path.removeprefix("agents/"): tree for path, tree in modules().items()}
    folders = (ROOT / name for name in ("big2_env", "agents", "tests", "benchmarks", "notebooks", ".ci", ".github"))
    files = [path.relative_to(ROOT).as_posix() for folder in folders for path in folder.rglob("*.*")]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in prose.files() if path.suffix == ".md"}
    texts |= {path: "\n".join(_docstrings(tree)) for path, tree in trees.items()}
    yield from stale_names(trees, texts, files)


def main() -> int:
    """Print all faults and return the exit status."""
    faults = [*commits(), *sources(), *pages(), *quoted()]
    if doctest.testmod().failed:
        faults.append(f"{Path(__file__).name}: an example fails")
    print("\n".join(faults or ["commits, errors, functions and prose: no fault"]))
    return min(len(faults), 1)


if __name__ == "__main__":
    sys.exit(main())
