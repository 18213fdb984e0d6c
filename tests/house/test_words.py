"""One word for one thing: words that were given up do not come back as names, and the glossary has those that are used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RETIRED = {
    "circle": "trick",
    "sides": "kickers",
    "guest": "opponent pool",
    "guests": "opponent pool",
    "luck": "rng",
    "lucky": "rng",
    "layouts": "sampled deal",
    "parting": "hand decomposition",
    "partings": "hand decomposition",
    "strong": "candidate PPO",
    "mover": "actor",
    "worth": "utility",
}
"""Words that are no names any more, and those of the glossary that stand for the same."""
UNCLEAR = ("news", "torn", "told", "untold", "way", "ways")
"""Words that say too little to be names."""


def glossary_words() -> set[str]:
    """The terms of the glossary."""
    lines = (ROOT / "big2_env" / "GLOSSARY.md").read_text("utf-8").splitlines()
    cells = [line.split("|")[1] for line in lines if line.startswith("| ")][2:]
    return {word.strip() for cell in cells for word in cell.split(",")}


def names(tree: ast.AST) -> Iterator[str]:
    """The names that a module defines: of classes, functions, parameters, variables, attributes, fields of records."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.Tuple) and len(node.elts) > 1 and isinstance(node.elts[0], ast.Constant):
            kind, name = node.elts[1], node.elts[0].value
            if isinstance(name, str) and "np." in ast.unparse(kind):  # a field of a numpy record
                yield name


def words(name: str) -> set[str]:
    """The words of a name in any style."""
    return {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def found(source: str) -> set[str]:
    """The names of a module that have a word that was given up."""
    return {name for name in names(ast.parse(source)) if words(name) & {*RETIRED, *UNCLEAR}}


@pytest.mark.parametrize("folder", ["big2_env", "agents/big2_agents", "benchmarks"])
def test_names__have_no_word_that_was_given_up(folder: str) -> None:
    paths = sorted((ROOT / folder).rglob("*.py"))
    assert len(paths) > 5
    assert {str(path): wrong for path in paths if (wrong := found(path.read_text("utf-8")) | found(f"{path.stem} = 0"))} == {}


def test_glossary__has_the_words_that_stand_for_those() -> None:
    assert {*RETIRED.values(), "lead", "round", "team", "features"} <= glossary_words()
    assert not {*RETIRED, *UNCLEAR} & glossary_words()


@pytest.mark.parametrize(
    "source",
    [
        "def next_circle(): ...",
        "class StrongPlayer: ...",
        "def play(*, luck): ...",
        "side_ways = 1",
        "game.told = 1",
        "for way in range(3): ...",
        'FIELDS = [("num_guests", np.int64)]',
        'FIELDS = [("layouts", np.int64, (3, 4))]',
    ],
)
def test_names__of_each_kind_are_found(source: str) -> None:
    assert found(source)
    assert not found("trick = always = stronger = layout = away = game.value")
