"""Every example in a docstring or on a page of the manual is run, and what the pages take from code is up to date."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re

import measurements
import pytest
from places import PAGES, README, ROOT
from readme_tables import PART, updated

import big2_agents
import big2_env

TEXTS = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES}
NOT_INSTALLED = ("big2_env.envs.rllib",)
"""Modules whose library no extra of the checks brings; `tests/examples` runs them where it is there."""
MODULES = [
    info.name
    for package in (big2_env, big2_agents)
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not info.name.endswith("__main__") and info.name not in NOT_INSTALLED
]
LINK = re.compile(r"\]\(([^)#]+)(#[^)]*)?\)")


@pytest.mark.parametrize("name", ["big2_env", "big2_agents", *MODULES])
def test_docstrings__every_example_gives_what_it_shows(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_docstrings__there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    assert sum(bool(test.examples) for name in MODULES for test in finder.find(importlib.import_module(name))) >= 10


@pytest.mark.parametrize("page", TEXTS)
def test_pages__every_python_example_gives_what_it_shows(page: str) -> None:
    assert "```python" not in TEXTS[page]  # would not be run
    for block in re.findall(r"^```pycon\n(.*?)^```", TEXTS[page], re.MULTILINE | re.DOTALL):
        test = doctest.DocTestParser().get_doctest(block, {"__name__": "__main__"}, page, page, 0)
        assert doctest.DocTestRunner().run(test).failed == 0, block


@pytest.mark.parametrize("page", TEXTS)
def test_pages__every_link_leads_somewhere(page: str) -> None:
    for link, place in LINK.findall(TEXTS[page]):
        if not link.startswith("http"):
            target = (ROOT / page).parent / link
            assert target.exists(), link
            if place:
                places = measurements.rows(target) if target.suffix == ".json" else headings(target.read_text("utf-8"))
                assert place[1:] in places, f"{link}{place}"


def test_pages__all_are_reached_from_the_first_one() -> None:
    found, to_read = set(), [README]
    while to_read:
        page = to_read.pop()
        if page in PAGES and page not in found:
            found.add(page)
            to_read += [(page.parent / link).resolve() for link, _ in LINK.findall(page.read_text("utf-8"))]
    assert found == set(PAGES)


def headings(text: str) -> set[str]:
    """The names of a page's headings, as links give them."""
    found = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return set(map(measurements.slug, found))


def without_advice(text: str) -> str:
    """The text with the figures of the learned player's advice masked: their last digits depend on how a processor rounds."""

    def masked(part: re.Match[str]) -> str:
        figures = re.sub(r"(?<=\s)[+-]?\d[\d.]*%?(?=\s)", "#", part[0])
        return re.sub(r"([ ─])\1+", r"\1", figures) if part[2] == "advise" else part[0]

    return PART.sub(masked, text)


@pytest.mark.parametrize("page", [page for page, text in TEXTS.items() if PART.search(text)])
def test_pages__generated_parts_are_up_to_date(page: str) -> None:
    shown = without_advice(TEXTS[page])
    assert without_advice(updated(TEXTS[page])) == shown, "run: python tests/support/readme_tables.py"


def test_pages__there_are_examples_and_generated_parts() -> None:
    every = "".join(TEXTS.values())
    assert len(re.findall(r"^```pycon", every, re.MULTILINE)) >= 8
    assert len(PART.findall(every)) >= 11


def test_readme__shows_the_commands_that_ci_runs() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    text = README.read_text(encoding="utf-8")
    tests = re.findall(r"^\$ (pytest.*)$", text, re.MULTILINE)
    assert len(tests) == 1
    assert f"\ncheck {tests[0]}\n" in script
    assert '\n$ pip install -e ".[dev]"\n' in text
    assert '-e ".[dev]"\n' in script


def test_classes__of_the_page_about_rules_are_in_the_package() -> None:
    text = (ROOT / "big2_env" / "climbing" / "README.md").read_text("utf-8")
    table = text[text.index("| class | purpose |") : text.index("All are in `big2_env`")]
    named = set(re.findall(r"`([A-Z]\w+)`", table))
    assert {"Game", "PenaltySettlement"} <= named <= set(big2_env.__all__)


def test_reference__has_every_public_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """The site itself is a long test."""
    monkeypatch.syspath_prepend(str(ROOT / ".docs"))
    staging = importlib.import_module("staging")
    listed = [name for names in staging.reference().values() for name in names]
    assert len(listed) == len(set(listed))
    assert {"big2_env", "big2_env.text.answers", "big2_env.envs.openspiel", "big2_env.envs.textarena"} <= set(listed)
    assert {"big2_agents.language_model.agent", "big2_env.tables.mcp.server", "big2_agents.evaluation.callback"} <= set(listed)
    for name in set(MODULES) - set(listed):
        assert staging.LEFT_OUT.search(name) or not staging._own(importlib.import_module(name)), name
