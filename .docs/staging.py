"""Pages of the site, gathered and generated in one folder that Sphinx reads."""

from __future__ import annotations

import importlib
import re
import shutil
from pathlib import Path
from typing import Any

LINK = re.compile(r"(?<!\\)(!?)\[([^\]\n]*)\]\(([^)#\s]+)(#[^)]*)?\)")
TABLE = re.compile(r"(?m)^(?P<indent> *)\|.*\|\n *\|[ :|-]+\|\n(?: *\|.*\|\n)+")
CONTENTS = {
    "Guide": [
        "big2_env/cli/README",
        "big2_env/envs/README",
        "environments/index",
        "agents/big2_agents/train/README",
        "agents/README",
        "agents/examples/README",
        "agents/big2_agents/datasets/README",
        "big2_env/climbing/README",
        "big2_env/climbing/KATA",
        "big2_env/notation/README",
        "big2_env/games/README",
        "big2_env/web/README",
        "big2_env/runs/README",
    ],
    "Reference": ["api/index", "models/index", "benchmarks/README", "big2_env/GLOSSARY", "CHANGELOG"],
    "Notebooks": [],
    "Contribute": ["big2_env/README", "github/CONTRIBUTING", "big2_env/kernels/DEBUGGING"],
    "中文": ["big2_env/language/README.zh-Hant", "big2_env/language/README.zh-Hans"],
}
"""Tables of contents on the front page, by caption. Pages that are missing here get a place by `write`."""
REFERENCE = {
    "Rules, cards and games": ["big2_env"],
    "Rules in detail": [
        f"big2_env.climbing.{name}"
        for name in (
            "actions",
            "auction",
            "events",
            "legal",
            "patterns",
            "rulesets",
            "ruleset_data",
            "settlement",
            "encoding.observation",
        )
    ],
    "Environments": [
        f"big2_env.envs.{name}" for name in ("aec", "seat", "vector", "league", "opponents", "shaping", "aec_policy", "sb3")
    ],
    "Environments of UNO and Klondike": [
        "big2_env.games.uno.aec",
        "big2_env.games.uno.seat_env",
        "big2_env.games.uno.vector",
        "big2_env.games.klondike.env",
        "big2_env.games.klondike.vector",
    ],
    "Agents": [
        "big2_env.agents",
        "big2_env.advice",
        "big2_env.isolated",
        "big2_agents.simple",
        "big2_agents.heuristic",
        "big2_agents.search",
        "big2_agents.learned.agent",
        "big2_agents.learned.search",
        "big2_agents.learned.ppo",
        "big2_agents.advise",
    ],
    "Training": ["big2_agents.train.hyper_parameters", "big2_agents.train.export", "big2_agents.formula"],
    "Arena, benchmark and data sets": [
        "big2_agents.arena.schedule",
        "big2_agents.arena.stats",
        "big2_agents.arena.results",
        "big2_agents.arena.bench",
        "big2_agents.datasets",
    ],
    "Text format and records": [
        f"big2_env.notation.{name}"
        for name in (
            *("session", "spec_input", "log", "log_reader", "records", "side_records", "positions", "typed", "sources"),
        )
    ],
    "Games in words": [f"big2_env.text.{name}" for name in ("state", "events", "rules", "patterns", "names")],
    "Pictures and pages": [
        "big2_env.scene",
        "big2_env.show",
        "big2_env.show.table_svg",
        "big2_env.show.raster",
        "big2_env.show.replays",
    ],
    "Endgames": ["big2_env.solve"],
    "Games that are not climbing games": [
        "big2_env.side_game",
        "big2_env.games",
        *(f"big2_env.games.uno.{name}" for name in ("rules", "game", "view", "players", "simulate")),
        *(f"big2_env.games.fishing.{name}" for name in ("rules", "game", "simulate", "small_decks", "plot")),
        *(
            f"big2_env.games.klondike.{name}"
            for name in ("game", "view", "moves", "solver", "hint", "check", "players", "survey")
        ),
    ],
    "Long runs": [f"big2_env.runs.{name}" for name in ("resumable", "executors", "intervals", "progress", "atomic_files")],
    "Languages": ["big2_env.language"],
    "Checks for your own games and agents": ["big2_env.testing"],
}
"""Modules of the API reference, by page. Kernels are in the developer guide."""
CONSTANTS = {
    "BIG2": "The ruleset `big2`, the default of every environment and verb.",
    "HONG_KONG": "The ruleset `hong_kong`.",
    "DECK_52": "52 cards, no jokers.",
    "DECK_54": "52 cards and two jokers.",
    "DECK_108": "Two decks with two jokers each.",
    "PASS": "The play without cards.",
    "SCORINGS": "Settlements by name: `winner` and `cards`.",
    "VARIABLE": "Name of the environment variable that chooses the language.",
}
"""Constants of the reference; a module that re-exports a value has no docstring for it."""


def write(root: Path, staged: Path) -> None:
    """Gather all pages in a folder.

    Args:
        root: Root of the repository.
        staged: The folder; its earlier contents are removed.
    """
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir(parents=True)
    pages = {path.relative_to(root).as_posix(): path.relative_to(root) for path in _markdown(root)}
    targets = {name: Path(name.replace(".github/", "github/")) for name in pages}
    targets["README.md"] = Path("index.md")
    for name, target in targets.items():
        text = (root / name).read_text("utf-8")
        _put(staged / target, _relinked(text, root, root / name, target, targets, staged))
    for notebook in sorted((root / "notebooks").glob("*.ipynb")):
        _put(staged / "notebooks" / notebook.name, notebook.read_text("utf-8"))
    notebooks = [f"notebooks/{path.stem}" for path in sorted((root / "notebooks").glob("*.ipynb"))]
    _environments(staged / "environments")
    _reference(staged / "api")
    _models(root, staged)
    listed = {**CONTENTS, "Notebooks": notebooks}
    listed["Contribute"] = [*listed["Contribute"], *_unlisted(listed, targets)]
    front = staged / "index.md"
    front.write_text(front.read_text("utf-8") + "\n" + "".join(_contents(*row) for row in listed.items()), "utf-8")


def mark_up(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Turn the Markdown of a docstring into reStructuredText: tables, code spans, links, lists after a line of text."""
    text = re.sub(r"(?<![`:])`([^`]+)`(?!`)(\w?)", _code_span, TABLE.sub(_list_table, "\n".join(lines) + "\n"))
    text = re.sub(r"(?<!\])\[([^\]\n]+)\]\((http[^)\n]+)\)", r"`\1 <\2>`__", text)
    # Code: an indented block after a colon and a blank line.
    text = re.sub(
        r"(?m)^(?P<indent> *)(?P<words>\S.*[^:\n]):\n\n(?=(?P=indent) {4,}(?!>>>)\S)", r"\g<indent>\g<words>::\n\n", text
    )
    found, before = list[str](), ""
    for line in text.split("\n"):
        if re.match(r"\s*[*-] ", line) and before.strip() and not re.match(r"\s*[*-] |\s+", before):
            found.append("")
        found.append(line)
        before = line
    lines[:] = found


def _list_table(table: re.Match[str]) -> str:
    """Return a Markdown table as a `list-table`."""
    indent = table["indent"]
    rows = [line.strip().strip("|").split("|") for line in table[0].strip().splitlines()]
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in [rows[0], *rows[2:]]:
        lines += [f"   {'* -' if number == 0 else '  -'} {cell.strip()}" for number, cell in enumerate(row)]
    return "\n" + "".join(f"{indent}{line}".rstrip() + "\n" for line in lines) + "\n"


def _code_span(span: re.Match[str]) -> str:
    escape = "\\ " if span[2] else ""
    return f"``{' '.join(span[1].split())}``{escape}{span[2]}"


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def _markdown(root: Path) -> list[Path]:
    """Return the Markdown pages of the repository."""
    folders = ("big2_env", "agents", "benchmarks", "notebooks")
    found = [path for folder in folders for path in (root / folder).rglob("*.md")]
    return sorted([*found, *(root / name for name in ("README.md", "CHANGELOG.md", ".github/CONTRIBUTING.md"))])


def _relinked(text: str, root: Path, page: Path, target: Path, targets: dict[str, Path], staged: Path) -> str:
    """Return a page whose links lead to staged pages; other files that it links to are staged beside them.

    Links to folders become plain text, as a site has no view of a folder.
    """

    def changed(link: re.Match[str]) -> str:
        mark, words, place, anchor = link[1], link[2], link[3], link[4] or ""
        if re.match(r"[a-z]+:", place):
            return link[0]
        path = (page.parent / place).resolve()
        if path.is_dir() or not path.is_relative_to(root):
            return words
        name = path.relative_to(root).as_posix()
        to = targets.get(name)
        if to is None:
            to, anchor = Path(name), ""
            (staged / to).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, staged / to)
        up = Path(*[".."] * len(target.parent.parts))
        return f"{mark}[{words}]({(up / to).as_posix()}{anchor})"

    return LINK.sub(changed, text)


def _contents(caption: str, pages: list[str]) -> str:
    listed = "\n".join(pages)
    return f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```\n\n"


def _unlisted(listed: dict[str, list[str]], targets: dict[str, Path]) -> list[str]:
    """Return the pages that no table of contents has; cards of models are listed on their own page."""
    known = {page for pages in listed.values() for page in pages} | {"index"}
    found = (path.with_suffix("").as_posix() if path.suffix == ".md" else path.as_posix() for path in targets.values())
    return [page for page in found if page not in known and "/models/" not in page]


def _models(root: Path, staged: Path) -> None:
    cards = sorted((root / "agents/big2_agents/models").rglob("*.md"))
    pages = "\n".join(f"../{path.relative_to(root).with_suffix('').as_posix()}" for path in cards)
    text = "# Model cards\n\nEach shipped network has a card with its training, results and limits.\n\n"
    _put(staged / "models/index.md", f"{text}```{{toctree}}\n:maxdepth: 1\n\n{pages}\n```\n")


# Environments


def _environments(folder: Path) -> None:
    """Write a page for each environment id, with a picture, its spaces and its rewards."""
    environments = importlib.import_module("environment_pages")
    names = []
    for name, text, picture in environments.pages():
        _put(folder / f"{name}.md", text)
        _put(folder / f"{name}.svg", picture)
        names.append(name)
    listed = "\n".join(names)
    text = "# Catalog of environments\n\nOne page per environment id: picture, spaces, rewards, versions.\n\n"
    _put(folder / "index.md", f"{text}```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n")


# API reference


def _reference(folder: Path) -> None:
    """Write a page for each part of the API reference."""
    names = []
    for title, modules in REFERENCE.items():
        names.append(re.sub(r"\W+", "-", title.lower()))
        _put(
            folder / f"{names[-1]}.md",
            f"# {title}\n\n" + "".join(_module(module, is_alone=len(modules) == 1) for module in modules),
        )
    listed = "\n".join(names)
    _put(folder / "index.md", f"# API reference\n\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n")


def _module(name: str, *, is_alone: bool) -> str:
    """Return a section that documents a module; names that `big2_env` exports are on that page alone."""
    module, exported = importlib.import_module(name), set(importlib.import_module("big2_env").__all__)
    options = [":members:", ":show-inheritance:"]
    if hasattr(module, "__all__") and hasattr(module, "__path__"):
        options.append(":imported-members:")
    if name != "big2_env" and (again := sorted(exported & set(vars(module)))):
        options.append(f":exclude-members: {', '.join(again)}")
    lines = "".join(f"   {line}\n" for line in options)
    heading = "" if is_alone else f"## `{name}`\n\n"
    constants = [one for one in getattr(module, "__all__", ()) if one in CONSTANTS]
    data = "".join(f"\n.. py:data:: {name}.{one}\n\n   {CONSTANTS[one]}\n" for one in constants)
    return f"{heading}```{{eval-rst}}\n.. automodule:: {name}\n{lines}{data}```\n\n"
