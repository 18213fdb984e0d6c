"""Loading of kernels as plain Python: their source is loaded again, for one kind of game, without numba or numpy.

The packages in `KERNELS` contain kernel source. `load` gives them, and all kernel source that they import, the names of
`interpreted.py` and `lists.py`. Other imports are the ordinary modules. Line numbers and file names are kept, so
breakpoints and coverage work.

The source is rewritten slightly for speed: `U(x)` and `np.int64(x)` become `x`, `a[i, j]` becomes `a[i][j]`, `get(a, i)`
becomes `a[i]`, and `popcount(x)` becomes `x.bit_count()`. The result is cached next to Python's own bytecode.
"""

from __future__ import annotations

import ast
import builtins
import marshal
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.util import MAGIC_NUMBER, cache_from_source, find_spec, source_hash
from pathlib import Path
from threading import RLock
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any, Final

from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.dialect import Feature, lists
from big2_env.kernels.dialect import interpreted as names

_DIALECT: Final = "big2_env.kernels.dialect"
_REWRITER: Final = MAGIC_NUMBER + source_hash(Path(__file__).read_bytes())
"""Prefix of cached bytecode, before the hash of its source. It changes with the rewriter."""
KERNELS: Final = (
    "big2_env.kernels",
    "big2_env.solve.kernels",
    "big2_env.games.klondike.kernels",
    "big2_env.games.uno.kernels",
    "big2_agents.kernels",
    "big2_agents.uno",
)
"""Packages with kernel source."""
_ORDINARY: Final = (_DIALECT, "big2_env.kernels.batch")
"""Modules in these packages that interpreted kernels share with compiled ones."""
_LOCK: Final = RLock()


class _Rewriter(ast.NodeTransformer):
    """AST transformer that turns function bodies written for numba into plain Python."""

    def __init__(self) -> None:
        self._is_inside = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        was_inside, self._is_inside = self._is_inside, True
        node.body = [self.visit(each) for each in node.body]
        self._is_inside = was_inside
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        index = node.slice
        if not self._is_inside or not isinstance(index, ast.Tuple) or any(isinstance(each, ast.Slice) for each in index.elts):
            return node
        value = node.value
        for each in index.elts[:-1]:
            value = ast.Subscript(value, each, ast.Load())
        return ast.copy_location(ast.Subscript(value, index.elts[-1], node.ctx), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name, given = ast.unparse(node.func), node.args
        if name in ("U", "np.int64", "np.uint64") and len(given) == 1:
            return given[0]
        if name == "popcount":
            return ast.copy_location(ast.Call(ast.Attribute(given[0], "bit_count", ast.Load()), [], []), node)
        if name == "get":
            return ast.copy_location(ast.Subscript(given[0], given[1], ast.Load()), node)
        return node


def _rewrite(source: bytes | str) -> Any:
    return ast.fix_missing_locations(_Rewriter().visit(ast.parse(source)))


def rewritten(source: str) -> str:
    """Return the source that interpreted kernels run, for inspection."""
    return ast.unparse(_rewrite(source))


def _code(path: Path) -> CodeType:
    """Return the rewritten code of a file."""
    source = path.read_bytes()
    head, kept = _REWRITER + source_hash(source), Path(cache_from_source(path, optimization="interpreted"))
    with suppress(OSError, EOFError, ValueError, TypeError):
        data = kept.read_bytes()
        if data.startswith(head) and isinstance(found := marshal.loads(data[len(head) :]), CodeType):
            return found
    code = compile(_rewrite(source), str(path), "exec")
    if not sys.dont_write_bytecode:
        with suppress(OSError):
            kept.parent.mkdir(exist_ok=True)
            kept.write_bytes(head + marshal.dumps(code))
    return code


def is_text(name: str) -> bool:
    """Return whether a module is kernel source."""
    return name.rpartition(".")[0] in KERNELS and name not in _ORDINARY


@lru_cache(maxsize=256)
def _text(name: str) -> CodeType:
    """Return the rewritten code of a kernel module."""
    package, _, file = name.rpartition(".")
    spec = find_spec(package)
    assert spec is not None
    (folder,) = spec.submodule_search_locations or [""]
    return _code(Path(folder) / f"{file}.py")


class Interpreted:
    """Kernels for one kind of game as plain Python."""

    def __init__(self, features: Collection[Feature]) -> None:
        self._names = ModuleType("names")
        vars(self._names).update(names.names_for(features))
        self._modules: dict[str, ModuleType] = {}

    def module(self, name: str) -> Any:
        """Return a kernel module by its dotted name. Each module is loaded once."""
        with _LOCK:
            if name not in self._modules:
                self._load(name, _text(name))
            return self._modules[name]

    def _load(self, name: str, code: CodeType) -> None:
        module = self._modules[name] = ModuleType(name)
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": self._import}
        vars(module)["__file__"] = code.co_filename
        exec(code, vars(module))

    def _import(
        self,
        name: str,
        given: Mapping[str, object] | None = None,
        local: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        if name in ("numpy", "numpy.typing"):
            return lists.NUMPY
        if name.startswith(f"{_DIALECT}."):
            return self._names
        if name in KERNELS:
            return SimpleNamespace(**{each: self.module(f"{name}.{each}") for each in fromlist or ()})
        if is_text(name):
            return self.module(name)
        return __import__(name, given, local, fromlist or (), level)


@lru_cache(maxsize=64)
def load(features: frozenset[Feature]) -> Interpreted:
    """Return the kernels for games with these features as plain Python. They are loaded once."""
    return Interpreted(features)


def interpreted(ruleset: RuleSet, *more: Feature) -> Interpreted:
    """Return the kernels for the games of a ruleset as plain Python.

    Args:
        ruleset: The ruleset.
        *more: Features that do not follow from the ruleset.
    """
    variants = load(frozenset()).module("big2_env.kernels.variants")
    return load(variants.features_of(ruleset).union(more))
