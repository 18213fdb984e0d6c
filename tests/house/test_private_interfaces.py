"""What other packages do not document is listed in the developer guide, and their versions have an upper bound."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from places import ROOT

OWN = ("big2_env", "big2_agents")
PRIVATE = (
    "llvmlite",
    "numba.core",
    "numba.np",
    "rich.cells",
    "rich.file_proxy",
    "sb3_contrib.common.maskable.buffers",
    "sb3_contrib.common.maskable.distributions",
    "typer.rich_utils",
    "uvicorn.protocols",
    "uvicorn.server",
)
"""Modules that their packages do not document, with all that is in them, though their names have no underscore.

`llvmlite` is documented, but comes with numba, which fixes its version.
"""
DOCUMENTED = ("numba.core.event",)
STANDARD = {"_asdict", "_exit", "_fields", "_make", "_replace"}
"""Names of the standard library that are public: methods of named tuples, and `os._exit`."""


class Row(NamedTuple):
    """A row of the table."""

    package: str
    bound: str
    names: list[str]
    files: list[str]


def rows() -> list[Row]:
    """Return the table of the developer guide."""
    _, _, section = (ROOT / "big2_env" / "README.md").read_text("utf-8").partition("\n## Private interfaces\n")
    cells = [line.strip("| ").split(" | ") for line in section.partition("\n## ")[0].splitlines() if line.startswith("| `")]
    return [
        Row(package.strip("`"), bound.strip("`"), *(re.findall("`([^`]+)`", cell) for cell in rest))
        for package, bound, *rest, _ in cells
    ]


def is_in(name: str, modules: Iterable[str]) -> bool:
    """Return whether a name is one of these modules, or inside one."""
    return any(f"{name}.".startswith(f"{module}.") for module in modules)


def is_private(name: str) -> bool:
    """Return whether an imported module, or a name in it, belongs to another package that does not document it."""
    if is_in(name, (*OWN, *sys.stdlib_module_names, *DOCUMENTED)):
        return False
    return is_in(name, PRIVATE) or any(part.startswith("_") for part in name.split("."))


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the private modules, or names in these, that a file imports or has as a text, such as a key of `sys.modules`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if is_private(alias.name))
        elif isinstance(node, ast.ImportFrom):
            yield from filter(is_private, (f"{node.module}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Constant) and is_in(str(node.value), PRIVATE):
            yield str(node.value)


def members(tree: ast.AST) -> Iterator[str]:
    """Yield the names that classes of a file define: methods, fields, and attributes of `self`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield each.name
                elif isinstance(each, ast.Assign | ast.AnnAssign):
                    yield from (name.id for name in ast.walk(each) if isinstance(name, ast.Name))
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self":
            yield node.attr


def attributes(tree: ast.AST) -> Iterator[str]:
    """Yield the attributes of a file with an underscore in front."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and re.match("_[^_]", node.attr):
            yield node.attr


def trees() -> dict[str, ast.AST]:
    """Return the files of both packages by their paths."""
    paths = [*(ROOT / "big2_env").rglob("*.py"), *(ROOT / "agents" / "big2_agents").rglob("*.py")]
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8")) for path in sorted(paths)}


def used(files: dict[str, ast.AST]) -> set[tuple[str, str]]:
    """Return each file with each private name that it uses.

    An attribute that a class of ours defines counts as ours, wherever it is used.
    """
    ours = {name for tree in files.values() for name in members(tree)} | STANDARD
    return {
        (path, name)
        for path, tree in files.items()
        for name in (*imported(tree), *(name for name in attributes(tree) if name not in ours))
    }


def requirements() -> Iterator[Requirement]:
    """Yield the requirements of the project and of its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for listed in (project["dependencies"], *project["optional-dependencies"].values()):
        yield from map(Requirement, listed)


def bounds(package: str, known: Iterable[Requirement]) -> set[str]:
    """Return the upper bounds of a package, "" for a requirement without one."""
    return {
        ",".join(str(one) for one in each.specifier if one.operator in ("<", "<=", "==", "~="))
        for each in known
        if each.name == package
    }


def covers(row: Row, path: str, name: str) -> bool:
    """Return whether a row lists a name, or a package that has it, for a file."""
    return path in row.files and is_in(name, row.names)


def mentions(text: str, name: str) -> bool:
    """Return whether the text of a file has a private name."""
    module, _, last = name.rpartition(".")
    return re.search(rf"(?<!\w)({re.escape(name)}|from {re.escape(module)} import .*{last})(?!\w)", text) is not None


def test_private_names__are_in_the_table() -> None:
    table = rows()
    assert sorted(f"{path}: {name}" for path, name in used(trees()) if not any(covers(row, path, name) for row in table)) == []


def test_private_modules__are_in_a_row_of_their_package() -> None:
    for row in rows():
        tops = {name.partition(".")[0].replace("_", "-") for name in row.names if "." in name or name == "llvmlite"}
        assert tops <= {row.package, *(["llvmlite"] if row.package == "numba" else [])}, row


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.package} {row.names[0]}")
def test_table__is_up_to_date(row: Row) -> None:
    texts = [(ROOT / path).read_text("utf-8") for path in row.files]
    assert [name for name in row.names if not any(mentions(text, name) for text in texts)] == []
    assert [
        path for path, text in zip(row.files, texts, strict=True) if not any(mentions(text, name) for name in row.names)
    ] == []


def test_packages__of_the_table_have_its_bounds() -> None:
    known = list(requirements())
    assert {row.package: bounds(row.package, known) for row in rows()} == {row.package: {row.bound} for row in rows()}
    assert {row.package for row in rows()} >= {"numba", "typer", "rich", "uvicorn"}


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("import numba.core.caching", {"numba.core.caching"}),
        ("from numba.core import cgutils, event", {"numba.core.cgutils"}),
        ("from rich import _wrap", {"rich._wrap"}),
        ("from rich._wrap import divide_line", {"rich._wrap.divide_line"}),
        ("def f():\n    from typer import rich_utils", {"typer.rich_utils"}),
        ("sys.modules.get('numba.core.compiler_lock')", {"numba.core.compiler_lock"}),
        ("current_process()._identity", {"_identity"}),
        ("def _cache(): ...\nfunction._cache", {"_cache"}),
        ("class A:\n    def f(self):\n        self._cache = 1\nother._cache", set()),
        ("class A:\n    _own: int\nother._own", set()),
        ("import big2_env.cli._help, _thread, numba\nfrom rich.text import Text\nos._exit(1)", set()),
    ],
)
def test_private_names__are_found(code: str, names: set[str]) -> None:
    assert used({"a.py": ast.parse(code)}) == {("a.py", name) for name in names}


def test_bounds__are_found() -> None:
    known = [Requirement("rich>=14,<16"), Requirement("rich>=14"), Requirement("typer~=0.29.0"), Requirement("numba==1.0")]
    assert [bounds(package, known) for package in ("rich", "typer", "numba", "uvicorn")] == [
        {"<16", ""},
        {"~=0.29.0"},
        {"==1.0"},
        set(),
    ]
