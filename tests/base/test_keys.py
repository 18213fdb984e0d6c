"""Every text that code asks for is in the catalogue, and every text of the catalogue is asked for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from one_language import strangers

import big2_agents
import big2_env
from big2_env.base.language import Language
from big2_env.base.language.words import catalogue

FILES = sorted({key.partition(".")[0] for key in catalogue()})
PREFIX = re.compile(rf"(?:{'|'.join(FILES)})\.")
KEY = re.compile(rf"(?:{'|'.join(FILES)})\.(?!npz|md|tcss)[a-z0-9_.]+")


PAGE_FILES = (".js", ".css", ".tcss", ".html", ".svg", ".toml", ".json")
OF_PAGES = {
    "web": ("big2_env/tables/browser/page",),
    "web_friends": ("big2_env/tables/browser/page",),
    "web_side": ("big2_env/tables/browser/page",),
    "site": ("big2_env/tables/site/page", "big2_env/tables/browser/page"),
    "replay": ("big2_env/drawing/page",),
}
"""The catalogue's files whose texts scripts of pages ask for, and where those scripts are."""
FOR_RENDERERS = {"table.cards_left", "table.one_card_left", "table.to_move", "table.you"}
"""Words of every table that only some renderers of scenes show."""


def asked(tree: ast.AST) -> Iterator[str]:
    """The keys that a module names, as regular expressions: whole ones, ones made of parts, kinds of names."""
    parts_of_others = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if id(node) in parts_of_others:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = [re.escape(part.value) if isinstance(part, ast.Constant) else ".+" for part in node.values]  # type: ignore[arg-type]
            if PREFIX.match("".join(parts).replace("\\", "")):
                yield "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and KEY.fullmatch(node.value):
            if not node.value.endswith(PAGE_FILES):
                yield re.escape(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "name":
            kind = node.args[0] if node.args else None
            if isinstance(kind, ast.Constant) and kind.value in FILES:
                yield re.escape(f"{kind.value}.") + ".+"


@cache
def all_asked() -> list[str]:
    found: set[str] = set()
    for package in (big2_env, big2_agents):
        for path in Path(package.__file__).parent.rglob("*.py"):
            found.update(asked(ast.parse(path.read_text("utf-8"))))
    return sorted(found)


def test_keys__that_code_asks_for_are_in_the_catalogue() -> None:
    assert len(all_asked()) > 100
    assert [one for one in all_asked() if not any(re.fullmatch(one, key) for key in catalogue())] == []


def test_keys__of_the_catalogue_are_asked_for() -> None:
    used = re.compile("|".join(f"(?:{one})" for one in all_asked()))
    unused = [key for key in catalogue() if not used.fullmatch(key) and key not in FOR_RENDERERS]
    assert [key for key in unused if not is_on_a_page(key)] == []


def is_on_a_page(key: str) -> bool:
    """True if the page that a key's file is for names the key, or makes its name of a beginning and a part."""
    file, _, name = key.partition(".")
    if file not in OF_PAGES:
        return False
    root = Path(big2_env.__file__).parents[1]
    page = "".join(path.read_text("utf-8") for folder in OF_PAGES[file] for path in sorted((root / folder).iterdir()))
    starts = [name[: i + 1] for i, char in enumerate(name) if char == "_"]
    return re.search(rf"\b{name}\b", page) is not None or any(f"{start}${{" in page for start in starts)


@pytest.mark.parametrize("lang", [Language.HANT, Language.HANS])
def test_catalogue__is_in_one_language(lang: Language) -> None:
    for key, texts in catalogue().items():
        assert strangers(re.sub(r"\{\w+\}", "", texts[lang.value]), lang) == [], key


@pytest.mark.parametrize(
    ("text", "lang", "found"),
    [
        ("player 大", Language.EN, ["大"]),
        ("出 C[3]，PASS", Language.HANT, []),
        ("出 card", Language.HANT, ["card"]),
        ("花色相同，点数", Language.HANT, ["数", "点"]),
        ("單張", Language.HANS, ["單", "張"]),
    ],
)
def test_strangers__are_found(text: str, lang: Language, found: list[str]) -> None:
    assert sorted(strangers(text, lang)) == sorted(found)
