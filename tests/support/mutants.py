"""Seeded mutants of rules, kernels, text format and environments, and the short tests that notice them.

    PYTHONPATH=tests/support python -m mutants [--seed N] [--count N] [--resume FILE]

A mutant is a copy of the sources with one change. The short tests of its package run against the copy until one fails: first
those of the same name, then playthroughs, then the others, the cheapest first. With `--resume` each result is a line of a JSON
file, and mutants that have one are left out. Times of tests come from pytest's cache, so run the short suite once before.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Annotated, Final, NamedTuple

import typer
from check_changed import UNKNOWN, known_times, tests_of
from places import ROOT
from without_guests import share_kernels

SECONDS: Final = 45.0
"""Seconds of processor time that the tests of one mutant may take."""
WAIT: Final = 10 * SECONDS
"""Seconds after which a run of tests is ended that waits for something."""
HANG: Final = 180
"""Seconds after which a test counts as failed."""
PLAYTHROUGHS: Final = "tests/house/test_playthroughs.py"


class Group(NamedTuple):
    """Sources, and folders or files of their tests."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]
    only: str = ""
    """Words of pytest's `-k`."""


NOT_COMPILED: Final = "not engines and not samples"
"""Tests of rules that compile kernels, which a mutant would do again."""
KERNELS: Final = ("compile", "legal", "observe", "optional_extras", "packing", "tables", "turn", "variants")
"""Modules of kernels whose sources run interpreted."""
CREDIT: Final = ("outcome", "settlement", "view", "view_data", "encoding/layout", "encoding/observation")
GROUPS: Final = {
    "rules": Group(("climbing/**/*.py",), ("climbing",), NOT_COMPILED),
    "credit and views": Group(
        tuple(f"climbing/{name}.py" for name in CREDIT), ("climbing", "envs/test_observation.py"), NOT_COMPILED
    ),
    "kernels": Group(
        (*(f"kernels/{name}.py" for name in KERNELS), "kernels/dialect/interpreted.py", "kernels/dialect/lists.py"),
        ("kernels/test_dialect.py", "testing/test_interpreted.py"),
        "not compile",
    ),
    "text format": Group(("notation/*.py",), ("notation", "games/test_side_game.py")),
    "environments": Group(("envs/*.py",), ("envs", "games/test_side_game.py")),
}
SWAPS: Final[dict[type[ast.AST], type[ast.AST]]] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitXor},
    **{ast.BitXor: ast.BitOr, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv},
}
DELETED: Final = (ast.Assign, ast.AugAssign, ast.Return, ast.Raise, ast.Continue, ast.Break, ast.Expr)
NOT_READ: Final = ("annotation", "returns", "decorator_list", "type_params", "bases", "exc")
"""Fields of syntax trees without changes: types, and words of errors."""


class Change(NamedTuple):
    """Another node for a field of a syntax tree, or for an item of that field."""

    tree: ast.AST
    field: str
    at: int | None
    node: ast.AST

    def make(self) -> tuple[str, str]:
        """Change the tree, and return the code before and after."""
        shown = self.tree if self.at is None or not isinstance(self.node, ast.Pass) else getattr(self.tree, self.field)[self.at]
        before = ast.unparse(shown)
        if self.at is None:
            setattr(self.tree, self.field, self.node)
        else:
            getattr(self.tree, self.field)[self.at] = self.node
        after = "" if isinstance(self.node, ast.Pass) else ast.unparse(shown)
        return tuple(text.partition("\n")[0][:150] for text in (before, after))


def changes(tree: ast.AST) -> Iterator[Change]:
    """Changes of a module, each of which makes a mutant."""
    for field, value in ast.iter_fields(tree):
        for at, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            is_type = field in NOT_READ or ast.unparse(getattr(node, "test", ast.Pass())) == "TYPE_CHECKING"
            if is_type or not isinstance(node, ast.AST):
                continue
            if type(node) in SWAPS:
                yield Change(tree, field, at, SWAPS[type(node)]())
            elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
                yield Change(tree, field, at, ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1))
            elif field in ("test", "ifs", "guard"):
                yield Change(tree, field, at, ast.UnaryOp(ast.Not(), node))
            elif isinstance(node, DELETED) and not isinstance(tree, (ast.Module, ast.ClassDef)) and not is_docstring(node):
                yield Change(tree, field, at, ast.Pass())
            yield from changes(node)


def is_docstring(node: ast.AST) -> bool:
    """Whether a statement is only a text."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def places_of(group: Group) -> Iterator[tuple[str, int]]:
    """Files of a group with the numbers of their changes."""
    for pattern in group.sources:
        for path in sorted((ROOT / "big2_env").glob(pattern)):
            tree = ast.parse(path.read_text("utf-8"))
            yield from ((path.relative_to(ROOT).as_posix(), number) for number, _ in enumerate(changes(tree)))


def tests_for(group: Group, changed: str) -> list[list[str]]:
    """Test files in the order of their runs. A file that mentions the module may take three times as long as others."""
    texts: dict[str, str] = {}
    for name in group.tests:
        place = ROOT / "tests" / name
        for path in place.glob("test_*.py") if place.is_dir() else [place]:
            texts[path.relative_to(ROOT).as_posix()] = path.read_text("utf-8")
    times, near = known_times(), set(tests_of([changed], texts))
    order = sorted(texts, key=lambda path: times.get(path, UNKNOWN) / (3 if path in near else 1))
    own = [path for path in order if Path(changed).stem in Path(path).stem]
    return [own, [PLAYTHROUGHS], [path for path in order if path not in own]]


def outcome(folder: Path, runs: list[list[str]], only: str) -> tuple[str, str]:
    """How the tests of a mutant end, `killed`, `survived` or `out of time`, with the first test that failed."""
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    environment["NUMBA_CACHE_DIR"] = f"{folder}/numba"
    start = processor_time()
    for files in filter(None, runs):
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-n", "0", "-k", only, *files]
        command += ["-o", f"faulthandler_timeout={HANG}", "-o", "faulthandler_exit_on_timeout=true"]
        left = max(1, round(start + SECONDS - processor_time()))
        command = ["bash", "-c", f'ulimit -S -t {left} && exec "$@"', "bash", *command]
        try:
            done = subprocess.run(command, cwd=ROOT, env=environment, text=True, capture_output=True, timeout=WAIT)
        except subprocess.TimeoutExpired:
            return "out of time", ""
        if done.returncode == -signal.SIGXCPU:
            return "out of time", ""
        if done.returncode not in (0, 5):
            failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
            return "killed", (failed or ["a test hangs" if "Timeout (" in done.stderr else done.stderr])[0][:200]
    return "survived", ""


def processor_time() -> float:
    """Seconds of processor time of processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def command(
    seed: Annotated[int, typer.Option(help="Seed of the choice.")] = 1,
    count: Annotated[int, typer.Option(help="Mutants, the same number from each group.")] = 80,
    resume: Annotated[Path | None, typer.Option(help="Results, read first.", show_default="none")] = None,
) -> None:
    """Show how many mutants the short tests notice."""
    rows = [json.loads(line) for line in resume.read_text("utf-8").splitlines()] if resume and resume.exists() else []
    chosen = [
        (name, place)
        for name, group in GROUPS.items()
        for place in Random(f"{seed} {name}").sample(list(places_of(group)), count // len(GROUPS))
    ]
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        for package in (ROOT / "big2_env", ROOT / "agents" / "big2_agents"):
            shutil.copytree(package, folder / package.name)
        share_kernels(folder)
        for done, (name, (file, number)) in enumerate(chosen, 1):
            if any((row["file"], row["change"]) == (file, number) for row in rows):
                continue
            tree, start, group = ast.parse((ROOT / file).read_text("utf-8")), time.monotonic(), GROUPS[name]
            change = list(changes(tree))[number]
            line = getattr(change.node, "lineno", 0) or getattr(change.tree, "lineno", 0)
            before, after = change.make()
            (folder / file).write_text(ast.unparse(tree), "utf-8")
            end, by = outcome(folder, tests_for(group, file), group.only)
            shutil.copy2(ROOT / file, folder / file)
            took = round(time.monotonic() - start, 1)
            rows.append({"group": name, "file": file, "change": number, "line": line, "before": before, "after": after})
            rows[-1] |= {"end": end, "by": by, "seconds": took}
            print(f"{done}/{len(chosen)} {end}, {took} s: {file}:{line} {before!r} -> {after!r} {by[:90]}", flush=True)
            if resume:
                with resume.open("a", encoding="utf-8") as results:
                    results.write(json.dumps(rows[-1], ensure_ascii=False) + "\n")
    for name in GROUPS:
        ends = [row["end"] for row in rows if row["group"] == name]
        print(f"{name}: {ends.count('killed')} of {len(ends)} killed")


if __name__ == "__main__":
    typer.run(command)
