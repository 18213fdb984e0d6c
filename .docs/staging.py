"""Pages of the site, gathered and generated in one folder that Sphinx reads."""

from __future__ import annotations

import importlib
import pkgutil
import re
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import environment_pages
from places import MARKDOWN, NOTEBOOKS, README, ROOT

import big2_agents
import big2_env

LINK = re.compile(r"(?<!\\)(!?)\[([^\]\n]*)\]\(([^)#\s]+)(#[^)]*)?\)")
TABLE = re.compile(r"(?m)^(?P<indent> *)\|.*\|\n *\|[ :|-]+\|\n(?: *\|.*\|\n)+")
CONTENTS = {
    "Guide": [
        "big2_env/FIRST_STEPS",
        "big2_env/cli/README",
        "big2_env/envs/README",
        "environments/index",
        "agents/big2_agents/train/README",
        "agents/README",
        "agents/big2_agents/language_model/README",
        "agents/examples/README",
        "agents/big2_agents/data/README",
        "big2_env/climbing/README",
        "big2_env/climbing/KATA",
        "big2_env/climbing/HOUSE_RULES",
        "big2_env/notation/README",
        "big2_env/games/README",
        "big2_env/tables/browser/README",
        "big2_env/tables/mcp/README",
        "big2_env/runs/README",
    ],
    "Reference": ["api/index", "models/index", "benchmarks/README", "big2_env/GLOSSARY", "big2_env/STABLE", "CHANGELOG"],
    "Contribute": ["big2_env/README", "github/CONTRIBUTING", "big2_env/kernels/DEBUGGING"],
    "中文": [
        "big2_env/base/language/README.zh-Hant",
        "big2_env/climbing/KATA.zh-Hant",
        "big2_env/climbing/HOUSE_RULES.zh-Hant",
        "big2_env/base/language/README.zh-Hans",
    ],
}
"""Tables of contents on the front page, by caption. `write` adds the notebooks, and pages that are missing to the last one."""
SUBJECTS = {
    "Rules, cards and games": ["big2_env"],
    "Rules in detail": ["big2_env.climbing"],
    "Environments": ["big2_env.envs"],
    "Games that are not climbing games": ["big2_env.base.side_game", "big2_env.games", "big2_agents.uno"],
    "Agents": ["big2_env.agents", "big2_env.base.salts", "big2_agents"],
    "Language models": ["big2_agents.language_model", "big2_env.tables.mcp"],
    "Training": ["big2_agents.evaluation", "big2_agents.train.fit", "big2_agents.train"],
    "Arena, benchmark and data sets": [
        "big2_agents.evaluation.arena",
        "big2_agents.evaluation.positions",
        "big2_agents.data",
    ],
    "Reviews of games": ["big2_agents.review"],
    "Text format and records": ["big2_env.notation"],
    "Games in words": ["big2_env.text"],
    "Pictures and pages": ["big2_env.base.scene", "big2_env.drawing"],
    "Endgames and puzzles": ["big2_env.solve", "big2_env.tables.puzzles"],
    "Long runs": ["big2_env.runs"],
    "Languages": ["big2_env.base.language"],
    "Checks for your own games and agents": ["big2_env.testing"],
}
"""Pages of the API reference, with the packages and modules on them; the longest name that begins a module's decides."""
LEFT_OUT = re.compile(
    # in the developer guide, or commands with pages of their own
    r"\.kernels\b|big2_env\.(cli|tables\.(terminal|browser|site|session))\b"
    r"|\.(compile_note|isolated_child)$|\b_|\.(\w+_)?command$|\.envs\.rllib$"  # needs ray
)
"""Modules without a place in the reference."""
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


def write(staged: Path) -> None:
    """Gather all pages in a folder.

    Args:
        staged: The folder; its earlier contents are removed.
    """
    shutil.rmtree(staged, ignore_errors=True)
    targets = {page: Path(page.relative_to(ROOT).as_posix().replace(".github/", "github/")) for page in MARKDOWN}
    targets[README] = Path("index.md")
    for page, target in targets.items():
        _put(staged / target, _relinked(page, target, targets, staged))
    notebooks = sorted(NOTEBOOKS.glob("*.ipynb"))
    for notebook in notebooks:
        _put(staged / "notebooks" / notebook.name, notebook.read_text("utf-8"))
    _environments(staged / "environments")
    _reference(staged / "api")
    cards = [f"../{target.with_suffix('')}" for target in targets.values() if "/models/" in target.as_posix()]
    _index(staged / "models", "Model cards", "Each shipped network has a card with its training, results and limits.", cards)
    listed = {**CONTENTS, "Notebooks": [f"notebooks/{path.stem}" for path in notebooks]}
    known = {"index", *(page for pages in listed.values() for page in pages), *(card.removeprefix("../") for card in cards)}
    missing = [page for target in targets.values() if (page := target.with_suffix("").as_posix()) not in known]
    listed["Contribute"] = [*listed["Contribute"], *missing]
    front = staged / "index.md"
    contents = "".join(_toctree(pages, "hidden", f"caption: {caption}") for caption, pages in listed.items())
    front.write_text(f"{front.read_text('utf-8')}\n{contents}", "utf-8")


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


def _toctree(pages: list[str], *options: str) -> str:
    lines = [*(f":{option if ':' in option else option + ':'}" for option in options), "", *pages]
    return "```{toctree}\n" + "\n".join(lines) + "\n```\n\n"


def _index(folder: Path, title: str, text: str, pages: list[str]) -> None:
    """Write a page that lists others."""
    _put(folder / "index.md", f"# {title}\n\n{text}\n\n{_toctree(pages, 'maxdepth: 1')}")


def _relinked(page: Path, target: Path, targets: dict[Path, Path], staged: Path) -> str:
    """Return the text of a page whose links lead to staged pages; other files that it links to are staged beside them.

    Links to folders become plain text, as a site has no view of a folder.
    """

    def changed(link: re.Match[str]) -> str:
        mark, words, place, anchor = link[1], link[2], link[3], link[4] or ""
        if re.match(r"[a-z]+:", place):
            return link[0]
        path = (page.parent / place).resolve()
        if path.is_dir() or not path.is_relative_to(ROOT):
            return words
        to = targets.get(path)
        if to is None:
            to, anchor = path.relative_to(ROOT), ""
            (staged / to).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, staged / to)
        up = Path(*[".."] * len(target.parent.parts))
        return f"{mark}[{words}]({(up / to).as_posix()}{anchor})"

    return LINK.sub(changed, page.read_text("utf-8"))


# Environments


def _environments(folder: Path) -> None:
    """Write a page for each environment id, with a picture, its spaces and its rewards."""
    names = []
    for name, text, picture in environment_pages.pages():
        _put(folder / f"{name}.md", text)
        _put(folder / f"{name}.svg", picture)
        names.append(name)
    _index(folder, "Catalog of environments", "One page per environment id: picture, spaces, rewards, versions.", names)


# API reference


def reference() -> dict[str, list[str]]:
    """Return the modules of the API reference by page: every public module that defines something not exported above it."""
    found: dict[str, list[str]] = {title: [] for title in SUBJECTS}
    places = {name: title for title, names in SUBJECTS.items() for name in names}
    for package in (big2_env, big2_agents):
        walked = (info.name for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."))
        for name in [package.__name__, *(name for name in walked if not LEFT_OUT.search(name))]:
            module = importlib.import_module(name)
            place = max((one for one in places if f"{name}.".startswith(f"{one}.")), key=len)
            if module.__doc__ and (hasattr(module, "__all__") or _own(module)):
                found[places[place]].append(name)
    return found


def _exported(name: str) -> set[str]:
    """Return the names of a module that a package around it, or `big2_env`, exports and documents."""
    above = [name.rsplit(".", number)[0] for number in range(1, name.count(".") + 1)]
    return {
        one for package in {"big2_env", *above} - {name} for one in getattr(importlib.import_module(package), "__all__", ())
    }


def _own(module: ModuleType) -> list[str]:
    """Return the public names that a module defines and no package exports."""
    made = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    elsewhere = _exported(module.__name__)
    is_hidden = module.__name__.rpartition(".")[2] in elsewhere  # behind a function of the same name
    return [] if is_hidden else [name for name in made if name[0] != "_" and name not in elsewhere]


def _reference(folder: Path) -> None:
    """Write a page for each part of the API reference."""
    names = []
    for title, modules in reference().items():
        names.append(re.sub(r"\W+", "-", title.lower()))
        sections = "".join(_module(module, is_alone=len(modules) == 1) for module in modules)
        _put(folder / f"{names[-1]}.md", f"# {title}\n\n{sections}")
    _index(folder, "API reference", "The public names of both packages, by subject.", names)


def _module(name: str, *, is_alone: bool) -> str:
    """Return a section that documents a module; a name that a package exports is in the package's section alone."""
    module = importlib.import_module(name)
    options = [":members:", ":show-inheritance:"]
    if hasattr(module, "__all__") and hasattr(module, "__path__"):
        options.append(":imported-members:")
    if again := sorted(_exported(name) & set(vars(module))):
        options.append(f":exclude-members: {', '.join(again)}")
    lines = "".join(f"   {line}\n" for line in options)
    heading = "" if is_alone else f"## `{name}`\n\n"
    constants = [one for one in getattr(module, "__all__", ()) if one in CONSTANTS]
    data = "".join(f"\n.. py:data:: {name}.{one}\n\n   {CONSTANTS[one]}\n" for one in constants)
    return f"{heading}```{{eval-rst}}\n.. automodule:: {name}\n{lines}{data}```\n\n"
