"""The modules that run in a browser as one archive, found by following the imports in their source.

A module runs in a browser if every module it imports at import time is in the standard library or runs there too. Imports
inside functions are included if they run there and left out otherwise, as compiled code is. Kernels that a module requests by
name, and what they import, are included as text, to be interpreted (`big2_env.kernels.dialect`).
"""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from pkgutil import iter_modules
from typing import Final, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from big2_env.base.errors import ConfigError
from big2_env.base.plugins import AGENTS, PATTERNS, REVIEWERS, RULESETS, SIDE_GAMES, Plugin, plugins
from big2_env.base.side_games import side_games
from big2_env.climbing.rulesets import available_rulesets
from big2_env.kernels.dialect.loader import is_text

ROOT: Final = "big2_env.tables.site.worker"
"""Module that the browser calls."""
SCANNED: Final = ("big2_env.climbing.patterns", "big2_env.climbing.rulesets")
"""Packages whose modules are discovered by scanning."""
TEXTS: Final = "catalogue"
"""Folder of texts. Files that no module of the archive names are left out, for example texts of other commands."""
DATA: Final = (
    ("big2_env.base.language", TEXTS),
    ("big2_env.notation", "sample.in"),
    ("big2_env.tables.session", "data"),
    ("big2_env.tables.puzzles", "data"),
    ("big2_env.drawing", "page"),
    ("big2_env.tables.browser", "data"),
)
"""Packages with the folders of data files, or the files, that modules read."""
_FIRST_NAME: Final = re.compile(r'"(\w+)[."{]')
"""First name of a string, which is a file of texts in `tr("prompt.over")` and `tr.name("pattern", name)`."""
GIVEN: Final = ("numpy", "big2_env.kernels.dialect")
"""Imports of kernels that the interpreter provides."""
GROUPS: Final = (AGENTS, PATTERNS, RULESETS, REVIEWERS, SIDE_GAMES)
"""Entry-point groups that a browser can use."""


class Imports(NamedTuple):
    """Imports of a module, as dotted names of modules or their members."""

    at_start: frozenset[str]
    """Imported at import time."""
    later: frozenset[str]
    """Imported inside functions."""
    text: frozenset[str]
    """Kernels requested by name, to be interpreted."""


class DataFile(NamedTuple):
    """A data file of an agent."""

    path: Path
    """Path on this machine."""
    place: str
    """Path relative to the modules, with slashes."""


class Bundle:
    """The modules that a browser needs."""

    def __init__(self) -> None:
        self.plugins = [entry for group in GROUPS for entry in plugins(group).values()]
        """Entry points of installed packages that run in a browser."""
        self._packages = {"big2_env", *(_module_of(entry).partition(".")[0] for entry in self.plugins)}
        self._runs: dict[str, bool] = {}
        self.plugins = [entry for entry in self.plugins if self._can_run(_module_of(entry))]
        roots = [
            ROOT,
            *(entry.module for entry in side_games()),
            *(f"{name}.{info.name}" for name in SCANNED for info in iter_modules(_spec(name).submodule_search_locations)),
        ]
        self.modules = sorted(self._closure([*roots, *(_module_of(entry) for entry in self.plugins)]))
        """Modules, as dotted names."""

    def _closure(self, roots: Iterable[str]) -> set[str]:
        found: set[tuple[str, bool]] = set()
        waiting = [(name, False) for name in roots]
        while waiting:
            name, interpreted = one = waiting.pop()
            if one in found:
                continue
            found.add(one)
            imports = _imports(name)
            if interpreted:
                given = (each for each in imports.at_start if not each.startswith(GIVEN))
                waiting += ((each, is_text(each)) for each in self._own(given, name))
            else:
                waiting += ((each, False) for each in self._own(imports.at_start, name))
                waiting += ((each, False) for each in self._own(imports.later, name) if self._can_run(each))
                waiting += ((each, True) for each in imports.text)
        return {name for name, _ in found}

    def _own(self, imported: Iterable[str], by: str) -> Iterator[str]:
        """Yield the modules of our packages among some imports, with their parent packages and the importer's own."""
        for name in {*imported, by}:
            parts = name.split(".")
            if parts[0] in self._packages:
                dotted = (".".join(parts[: i + 1]) for i in range(len(parts)))
                yield from (one for one in dotted if one != by and _find(one) is not None)

    def _can_run(self, name: str) -> bool:
        """Return whether everything that a module imports at import time exists in a browser."""
        if name not in self._runs:
            self._runs[name] = True  # of a circle, what is outside it decides
            imports = _imports(name).at_start
            outside = (one.partition(".")[0] for one in imports)
            self._runs[name] = all(one in sys.stdlib_module_names or one in self._packages for one in outside) and all(
                self._can_run(one) for one in self._own(imports, name)
            )
        return self._runs[name]

    def data_files(self) -> dict[str, dict[str, list[DataFile]]]:
        """Return the data files of agents, by agent and game. A page fetches them when the agent is chosen.

        An agent lists them by `data_files(ruleset, num_players)`, which raises `ConfigError` for games that it does not play.
        """
        found: dict[str, dict[str, list[DataFile]]] = {}
        for entry in self.plugins:
            if entry.group != AGENTS or (needed := getattr(entry.load(), "data_files", None)) is None:
                continue
            for name, rules in available_rulesets().items():
                with suppress(ConfigError):
                    paths = needed(rules, rules.default_players)
                    found.setdefault(entry.name, {})[name] = [_data_file(_module_of(entry), path) for path in paths]
        return found

    def sources(self, prefixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
        """Yield modules whose names begin with one of some texts, each with its source."""
        for name in self.modules:
            if name.startswith(prefixes):
                yield name, _source(name)

    def archive(self, version: str) -> bytes:
        """Return the modules, their data and entry points as a ZIP file. The same files always give the same bytes."""
        files = {}
        named: set[str] = set()
        for name in self.modules:
            spec = _spec(name)
            inner = "/__init__.py" if spec.submodule_search_locations is not None else ".py"
            source = _source(name)
            files[name.replace(".", "/") + inner] = _without_docstrings(source)
            named.update(_FIRST_NAME.findall(source.decode("utf-8")))
        for package, folder in DATA:
            for place in _spec(package).submodule_search_locations or ():
                given = Path(place) / folder
                for file in given.iterdir() if given.is_dir() else [given]:
                    if file.is_file() and (folder != TEXTS or file.stem in named):
                        files[f"{package.replace('.', '/')}/{file.relative_to(place).as_posix()}"] = file.read_bytes()
        info = f"big2_env-{version}.dist-info"
        files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: big2_env\nVersion: {version}\n".encode()
        files[f"{info}/entry_points.txt"] = _entry_points(self.plugins).encode()
        return _zipped(files)


def _data_file(module: str, path: Path) -> DataFile:
    """Return the description of a file in the package of a module."""
    locations = _spec(module.partition(".")[0]).submodule_search_locations
    assert locations
    return DataFile(path, path.relative_to(Path(next(iter(locations))).parent).as_posix())


def _zipped(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(files.items()):
            archive.writestr(ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, ZIP_DEFLATED)
    return stream.getvalue()


def _without_docstrings(source: bytes) -> bytes:
    """Return a module's source with empty docstrings, a third shorter. The other lines keep their numbers."""
    lines = source.split(b"\n")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            assert node.end_lineno is not None
            first, last = node.lineno - 1, node.end_lineno - 1
            lines[first] = lines[first][: node.col_offset] + b'""' + lines[last][node.end_col_offset :]
            lines[first + 1 : last + 1] = [b""] * (last - first)
    return b"\n".join(lines)


def _entry_points(entries: Iterable[Plugin]) -> str:
    lines, group = [], ""
    for one in entries:
        if one.group != group:
            group = one.group
            lines.append(f"[{group}]")
        lines.append(f"{one.name} = {one.entry.value}")
    return "\n".join([*lines, ""])


def _module_of(entry: Plugin) -> str:
    return str(entry.entry.module)


@cache
def _find(name: str) -> ModuleSpec | None:
    """Return the spec of a module without importing anything; `None` if it does not exist."""
    package, _, _ = name.rpartition(".")
    if not package:
        return PathFinder.find_spec(name)
    parent = _find(package)
    if parent is None or parent.submodule_search_locations is None:
        return None
    return PathFinder.find_spec(name, parent.submodule_search_locations)


def _spec(name: str) -> ModuleSpec:
    found = _find(name)
    assert found is not None, name
    return found


def _source(name: str) -> bytes:
    """Return the source of a module."""
    origin = _spec(name).origin
    assert origin is not None
    return Path(origin).read_bytes()


@cache
def _imports(name: str) -> Imports:
    """Return the imports in a module's source, except those under `if TYPE_CHECKING`."""
    spec = _spec(name)
    if spec.origin is None or not spec.origin.endswith(".py"):
        return Imports(frozenset(), frozenset(), frozenset())
    at_start: set[str] = set()
    later: set[str] = set()
    package = name if spec.submodule_search_locations is not None else name.rpartition(".")[0]
    tree = ast.parse(Path(spec.origin).read_bytes())
    _collect(tree, package, at_start, later)
    return Imports(frozenset(at_start), frozenset(later - at_start), frozenset(_asked(tree)))


def _asked(tree: ast.AST) -> Iterator[str]:
    """Yield the names of kernels in calls of `module`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "module":
            yield from (one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str))


def _collect(tree: ast.AST, package: str, found: set[str], in_functions: set[str]) -> None:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            _collect(node, package, in_functions, in_functions)
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
        _collect(node, package, found, in_functions)
