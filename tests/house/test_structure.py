"""Imports point down, there are no cycles, and no file is too long."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from without_guests import is_guest

import big2_agents
import big2_env

KNOWN: frozenset[str] = frozenset()
"""Breaks that are still there, as `breaks` names them. It may only shrink: an entry that is no break any more fails too."""

BELOW: Mapping[str, str] = {
    "base": "",
    "climbing": "base",
    "kernels": "climbing base",
    "agents": "climbing base",
    "notation": "kernels climbing base",
    "runs": "notation climbing base",
    "text": "notation agents climbing base",
    "drawing": "text runs notation agents climbing base",
    "envs": "drawing text runs notation kernels agents climbing base",
    "solve": "runs kernels climbing base",
    "testing": "solve envs runs notation kernels agents climbing base",
    "registration": "envs kernels climbing base",
    "public": "registration envs text notation climbing base",
    "cli": "public registration testing solve envs drawing text runs notation kernels agents climbing base",
    "start": "cli",
    "games": "envs drawing text runs notation kernels climbing base",
    "tables/puzzles": "solve runs notation agents climbing base",
    "tables/session": "tables/puzzles games solve drawing text runs notation agents climbing base",
    "tables/terminal": "tables/session tables/puzzles games drawing text runs notation agents climbing base",
    "tables/browser": "tables/session tables/puzzles games drawing text runs notation agents climbing base",
    "tables/mcp": "tables/browser tables/session games drawing text runs notation agents climbing base",
    "tables/site": "tables/browser tables/session tables/puzzles games drawing text runs notation kernels agents climbing base",
    "tables/prompt": "cli tables/terminal tables/session tables/puzzles games drawing text runs notation agents climbing base",
    "verbs": "tables/prompt tables/site tables/mcp tables/browser tables/terminal tables/session tables/puzzles games cli "
    "public registration testing solve envs drawing text runs notation kernels agents climbing base",
}
"""By package of big2_env, part of `tables`, or single file: the others that it may import."""
SINGLE_FILES = {"big2_env": "public", "big2_env.registration": "registration", "big2_env.__main__": "start"}
LEVELS_OF_AGENTS = (
    "command advise",
    "review data language_model",
    "train",
    "evaluation",
    "uno learned",
    "rule_based",
    "kernels",
    "models",
)
"""Packages of the agents, the highest level first: a file imports its own level and lower ones.

Files named `command` or `..._command` are on the highest level, wherever they are.
"""
MAX_LINES = 600
"""Most lines of a file."""


class Module(NamedTuple):
    """A module and what it imports, both as dotted names of modules."""

    name: str
    imports: frozenset[str]
    """Everywhere in the file: at the top, in functions, under `if TYPE_CHECKING`."""


def files() -> dict[str, Path]:
    """Every file of the two packages by its dotted name."""
    found = {}
    for package in (big2_env, big2_agents):
        root = Path(package.__file__).parent
        for path in root.rglob("*.py"):
            parts = path.relative_to(root.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(tree: ast.AST, names: Iterable[str]) -> Iterator[str]:
    """The modules among `names` that a syntax tree imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module in names:
            assert not node.level, "imports are absolute"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in inner if name in names)
            if any(name not in names for name in inner):
                yield str(node.module)


def modules() -> list[Module]:
    """All modules with their imports."""
    paths = files()
    return [
        Module(name, frozenset(imports(ast.parse(path.read_text(encoding="utf-8")), paths)) - {name})
        for name, path in sorted(paths.items())
    ]


def cycles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The sets of two or more nodes that can all reach each other, each sorted (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in graph:
        if node not in index:
            visit(node)
    return sorted(found)


def level(name: str) -> str:
    """The level of a module of big2_env. Guests' verbs may import everything, wherever they are."""
    parts = name.split(".")
    if parts[-1].endswith("command"):
        return "verbs"
    return SINGLE_FILES.get(name) or "/".join(parts[1:3] if parts[1] == "tables" and len(parts) > 2 else parts[1:2])


def agent_level(name: str) -> int:
    """The level of a module of big2_agents, the highest one being 0."""
    parts = name.split(".")
    if len(parts) == 1 or parts[-1].endswith("command"):
        return 0
    return next(number for number, names in enumerate(LEVELS_OF_AGENTS) if parts[1] in names.split())


def cycle_breaks(found: Iterable[Module]) -> Iterator[str]:
    """Cycles between files; imports in functions and under `if TYPE_CHECKING` count, for they hide cycles."""
    for cycle in cycles({module.name: sorted(module.imports) for module in found}):
        yield f"cycle: {' '.join(cycle)}"


def direction_breaks(found: Iterable[Module]) -> Iterator[str]:
    """Imports against the direction."""
    for module in found:
        for other in sorted(module.imports):
            if not module.name.startswith("big2_env"):
                if other.startswith("big2_agents.") and agent_level(other) < agent_level(module.name):
                    yield f"up: {module.name} -> {other}"
                continue
            if other.startswith("big2_agents"):
                yield f"up: {module.name} -> {other}"
                continue
            here, there = level(module.name), level(other)
            if here != there and there not in BELOW[here].split():
                yield f"up: {module.name} -> {other}"
            if here == there == "climbing" and ".encoding" in other and ".encoding" not in module.name:
                yield f"up: {module.name} -> {other}"


def guest_breaks(found: Iterable[Module]) -> Iterator[str]:
    """Imports of guests in the core."""
    for module in found:
        if not is_guest(module.name):
            yield from (f"guest: {module.name} -> {other}" for other in sorted(module.imports) if is_guest(other))


def long_files() -> Iterator[str]:
    """Files of more than `MAX_LINES` lines."""
    for name, path in files().items():
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > MAX_LINES:
            yield f"long: {name} has {lines} lines"


def test_structure__is_kept() -> None:
    found = modules()
    breaks = {*cycle_breaks(found), *direction_breaks(found), *guest_breaks(found), *long_files()}
    assert not (new := sorted(breaks - KNOWN)), "\n".join(["new breaks:", *new])
    assert not (gone := sorted(KNOWN - breaks)), "\n".join(["breaks that are gone; take them out of KNOWN:", *gone])


def test_structure__the_dialect_alone_imports_numba() -> None:
    found = []
    for name, path in files().items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported = [alias.name for alias in node.names]
            else:
                imported = [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            found += [name for one in imported if one.partition(".")[0] in ("numba", "llvmlite")]
    assert set(found) <= {name for name in files() if name.startswith("big2_env.kernels.dialect.")}
    assert {"big2_env.kernels.dialect.kernel", "big2_env.kernels.dialect.bits"} <= set(found)


def test_structure__every_package_has_its_level() -> None:
    levels = {level(module.name) for module in modules() if module.name.startswith("big2_env")} - {"tables"}
    assert levels == set(BELOW)
    assert not cycles({name: below.split() for name, below in BELOW.items()})


def test_structure__the_listing_is_the_architecture() -> None:
    packages, roots = ({}, {})
    for package in (big2_env, big2_agents):
        root = Path(package.__file__).parent
        packages[package.__name__] = sorted(path.name for path in root.iterdir() if any(path.glob("*.py")))
        roots[package.__name__] = sorted(path.name for path in root.glob("*.py"))
    core_and_guests = {name.partition("/")[0] for name in BELOW} - {*SINGLE_FILES.values(), "verbs"}
    assert packages["big2_env"] == sorted(core_and_guests)
    assert len(core_and_guests) == 14
    assert roots["big2_env"] == ["__init__.py", "__main__.py", "registration.py"]
    assert packages["big2_agents"] == sorted({*" ".join(LEVELS_OF_AGENTS).split()} - {"command", "advise"})
    assert len(packages["big2_agents"]) == 10
    assert roots["big2_agents"] == ["__init__.py", "advise.py"]


def test_guide__lists_what_each_package_may_import() -> None:
    guide = (Path(big2_env.__file__).parent / "README.md").read_text("utf-8")
    listed = {}
    for name, allowed in re.findall(r"(?m)^\| `([\w/]+)(?:/|\.py)` \| .+? \| (.*?) ?\|$", guide.partition("## Checks")[0]):
        below = {other for other in allowed.replace("`", "").split(", ") if other}
        listed[{"__init__": "public"}.get(name, name)] = below
    assert listed == {here: {*below.split()} for here, below in BELOW.items() if here not in ("verbs", "start")}


def named_files(page: Path) -> set[str]:
    """The files and folders that the table of a package's page names; none where it has no table of files."""
    _, _, table = re.sub(r"\| (?:file|module) \|", "\0", page.read_text("utf-8")).partition("\0")
    rows = re.findall(r"(?m)^\| (`[^|]*) \|", table)
    return {name.removesuffix(".py").rstrip("/") for row in rows for name in re.findall(r"`([\w./]+)`", row)}


PAGES = [
    page
    for package in (big2_env, big2_agents)
    for page in sorted(Path(package.__file__).parent.rglob("__init__.py"))
    if named_files(page)
]


@pytest.mark.parametrize("page", PAGES, ids=[page.parent.name for page in PAGES])
def test_packages__tables_name_every_file(page: Path) -> None:
    own_files = {path.stem for path in page.parent.glob("*.py") if path != page}
    folders = {path.parent.name for path in page.parent.glob("*/__init__.py")}
    above = page.parent.parent / "__init__.py"
    shared = named_files(above) if above.exists() else set()
    named = named_files(page)
    if page.parent.name == "games":  # its table says what the files of each of its packages mean
        assert named <= {path.stem for path in page.parent.glob("*/*.py")} | {"kernels"}
        return
    assert named <= own_files | {path.name for path in page.parent.iterdir() if path.is_dir()}
    assert own_files | folders <= named | shared


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import a.b", {"a.b"}),
        ("from a import b, x", {"a", "a.b"}),
        ("from a.b import x", {"a.b"}),
        ("def f():\n    from a import b", {"a.b"}),
        ("class C:\n    import a", {"a"}),
        ("if TYPE_CHECKING:\n    import a", {"a"}),
        ("try:\n    import a\nexcept ImportError:\n    import os", {"a"}),
    ],
)
def test_imports__are_found(code: str, found: set[str]) -> None:
    assert set(imports(ast.parse(code), {"a", "a.b"})) == found


def test_cycles__are_found() -> None:
    assert cycles({"a": "b", "b": "c", "c": "b", "d": "a", "e": "f", "f": "e"}) == [["b", "c"], ["e", "f"]]
    assert cycles({"a": "bc", "b": "c"}) == []
