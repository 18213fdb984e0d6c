"""The house keeps its order: who may import whom, no cycles, one meaning for each file name."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

import big2_agents
import big2_env

KNOWN: frozenset[str] = frozenset()
"""Breaks that are still there, as `breaks` names them. It may only shrink: an entry that is no break any more fails too."""

BELOW: Mapping[str, str] = {
    "ground": "",
    "language": "ground",
    "climbing": "language ground",
    "kernels": "climbing ground",
    "notation": "climbing ground",
    "runs": "notation climbing ground",
    "agents": "climbing ground",
    "envs": "show language runs notation kernels agents climbing ground",
    "solve": "runs kernels climbing ground",
    "show": "language runs notation agents climbing ground",
    "play": "show language runs notation agents climbing ground",
    "tui": "games play show language runs notation agents climbing ground",
    "web": "play show language runs notation agents climbing ground",
    "games": "show language envs runs notation kernels climbing ground",
    "testing": "solve envs runs notation kernels agents climbing ground",
    "site": "web play show language runs notation kernels agents climbing ground",
    "cli": "tui site web play public registration testing games solve show language envs runs notation kernels agents "
    "climbing ground",
    "registration": "games envs kernels climbing ground",
    "public": "registration games envs notation climbing ground",
    "start": "cli",
}
"""By room of big2_env: the rooms that it may import."""
ROOM_OF_FILE = {
    **dict.fromkeys(
        ("cards", "errors", "rng", "named", "announced", "json_values", "modules", "pictures", "checked"), "ground"
    ),
    **dict.fromkeys(("agents", "agent_seeds", "advice", "isolated", "isolated_child", "time_limit"), "agents"),
    **{"registration": "registration", "__init__": "public", "__main__": "start"},
}
"""The rooms of the files that stand beside the folders."""
SAME_EVERYWHERE = {
    "__init__": "what a folder offers",
    "actions": "actions as numbers",
    "aec": "a PettingZoo environment",
    "automatic": "the automatic player",
    "base": "what everything in a room is made from",
    "bidding": "what the decisions of an auction are worth",
    "card_features": "what the learned players see, card by card",
    "cards": "cards as numbers",
    "combos": "how few plays put down a hand",
    "command": "a verb",
    "critic": "the network that values positions",
    "dtypes": "games and rules as records, for compiled code",
    "endgame": "endings with all hands open",
    "engine": "many games stepped together",
    "features": "what a player's network or formula sees",
    "finish": "wins that nothing can stop",
    "game": "the reference engine",
    "heuristic": "the player by a formula",
    "legal": "legal acts",
    "loops": "many games in one compiled call",
    "network": "the network of the learned player",
    "observe": "compiled observations",
    "observation": "what a network sees",
    "playouts": "games played to their ends",
    "opinion": "what the heuristic thinks, as features",
    "opponents": "who plays against a learner in many games",
    "outcome": "how a game ended",
    "outlook": "what may become of a play",
    "players": "simple players of a game",
    "plot": "pictures",
    "position": "a position as a value",
    "ppo": "the player by MaskablePPO",
    "rank_decompositions": "a hand parted into plays, by ranks",
    "rank_features": "what the learned players see, by ranks",
    "rank_plays": "a hand's plays, by ranks",
    "records": "games as JSON lines",
    "replays": "games to be looked through",
    "results": "the file that keeps results",
    "rules": "the parameters of the rules",
    "rules_words": "the rules in words",
    "scene": "what a viewer may know, as a value",
    "simulate": "many games on all cores",
    "sitting": "a person's place at a table",
    "slot_decompositions": "a hand parted into plays, by places",
    "slot_plays": "a hand's plays, by places",
    "solver": "the truth about a position",
    "texts": "what happened, in words",
    "track": "what a player remembers of a game",
    "tree_search": "the search of a solver as kernels",
    "turn": "how an act changes a compiled game",
    "typed": "acts as people type them",
    "vector": "many games as one environment",
    "view": "what one seat may know",
    "weights": "weights as files",
}
"""File names that may stand in several rooms, because they mean the same in each."""


class Module(NamedTuple):
    """A module and what it imports, both as dotted names of modules."""

    name: str
    at_start: frozenset[str]
    """Imported when the module is."""
    anywhere: frozenset[str]
    """Those, and what its functions import."""


def files() -> dict[str, Path]:
    """Every file of the two packages by its dotted name."""
    found = {}
    for package in (big2_env, big2_agents):
        root = Path(package.__file__).parent
        for path in root.rglob("*.py"):
            parts = path.relative_to(root.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(tree: ast.AST, names: Iterable[str], *, inside_functions: bool) -> Iterator[str]:
    """The modules among `names` that a syntax tree imports, those under `if TYPE_CHECKING` aside."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and not inside_functions:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module in names:
            assert not node.level, "imports are absolute"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in inner if name in names)
            if any(name not in names for name in inner):
                yield str(node.module)
        yield from imports(node, names, inside_functions=inside_functions)


def modules() -> list[Module]:
    """All modules with their imports."""
    paths = files()
    found = []
    for name, path in sorted(paths.items()):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        at_start, anywhere = (frozenset(imports(tree, paths, inside_functions=deep)) - {name} for deep in (False, True))
        found.append(Module(name, at_start, anywhere))
    return found


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


def room(name: str) -> str:
    """The room of a module of big2_env."""
    parts = name.split(".")
    if len(parts) == 1:
        return "public"
    return ROOM_OF_FILE.get(parts[1], parts[1])


def cycle_breaks(found: Iterable[Module]) -> Iterator[str]:
    """Cycles between files; imports inside functions count, for they hide cycles and do not open them."""
    for cycle in cycles({module.name: sorted(module.anywhere) for module in found}):
        yield f"cycle: {' '.join(cycle)}"


def direction_breaks(found: Iterable[Module]) -> Iterator[str]:
    """Imports against the direction."""
    for module in found:
        for other in sorted(module.anywhere):
            if not module.name.startswith("big2_env"):
                continue
            if other.startswith("big2_agents"):
                yield f"up: {module.name} -> {other}"
                continue
            here, there = room(module.name), room(other)
            if here != there and there not in BELOW[here].split():
                yield f"up: {module.name} -> {other}"
            if here == there == "climbing" and ".encoding" in other and ".encoding" not in module.name:
                yield f"up: {module.name} -> {other}"


def name_breaks(found: Iterable[Module]) -> Iterator[str]:
    """File names in several folders that are not known to mean the same in each. Files of `cli` are named by verbs."""
    paths = files()
    by_name: dict[str, list[str]] = defaultdict(list)
    for module in found:
        if not module.name.startswith("big2_env.cli."):
            by_name[paths[module.name].stem].append(module.name)
    for name, all_names in sorted(by_name.items()):
        if len(all_names) > 1 and name not in SAME_EVERYWHERE:
            yield f"name: {name} in {' '.join(all_names)}"


def test_structure__is_kept() -> None:
    found = modules()
    breaks = {*cycle_breaks(found), *direction_breaks(found), *name_breaks(found)}
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
    assert {"big2_env.kernels.dialect.kernel", "big2_env.kernels.dialect.vectors"} <= set(found)


def test_structure__every_room_has_its_place() -> None:
    rooms = {room(module.name) for module in modules() if module.name.startswith("big2_env")}
    assert rooms <= set(BELOW)
    assert not cycles({name: below.split() for name, below in BELOW.items()})


def named_files(page: Path) -> set[str]:
    """The files and folders that the table of a room's page names; none where it has no table of files."""
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
def test_rooms__tables_name_every_file(page: Path) -> None:
    room_files = {path.stem for path in page.parent.glob("*.py") if path != page}
    folders = {path.parent.name for path in page.parent.glob("*/__init__.py")}
    above = page.parent.parent / "__init__.py"
    shared = named_files(above) if above.exists() else set()
    named = named_files(page)
    if page.parent.name == "games":  # its table says what the files of each of its rooms mean
        assert named <= {path.stem for path in page.parent.glob("*/*.py")} | {"kernels"}
        return
    assert named <= room_files | {path.name for path in page.parent.iterdir() if path.is_dir()}
    assert room_files | folders <= named | shared


@pytest.mark.parametrize(
    ("code", "at_start", "anywhere"),
    [
        ("import a.b", {"a.b"}, {"a.b"}),
        ("from a import b, x", {"a", "a.b"}, {"a", "a.b"}),
        ("from a.b import x", {"a.b"}, {"a.b"}),
        ("def f():\n    from a import b", set(), {"a.b"}),
        ("class C:\n    import a", {"a"}, {"a"}),
        ("if TYPE_CHECKING:\n    import a", set(), set()),
        ("try:\n    import a\nexcept ImportError:\n    import os", {"a"}, {"a"}),
    ],
)
def test_imports__are_found(code: str, at_start: set[str], anywhere: set[str]) -> None:
    names = {"a", "a.b"}
    assert set(imports(ast.parse(code), names, inside_functions=False)) == at_start
    assert set(imports(ast.parse(code), names, inside_functions=True)) == anywhere


def test_cycles__are_found() -> None:
    assert cycles({"a": "b", "b": "c", "c": "b", "d": "a", "e": "f", "f": "e"}) == [["b", "c"], ["e", "f"]]
    assert cycles({"a": "bc", "b": "c"}) == []
