"""The page of `big2 arena --html`: what it says, in which languages, that it needs no network, that its colours can be read."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest
from one_language import strangers
from run_cli import run_cli

from big2_agents.evaluation.arena.report import Report
from big2_agents.evaluation.arena.report_page import report_page
from big2_env.base.language import Language, words
from big2_env.drawing.felt import colour_style


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a small cross table."""
    path = tmp_path_factory.mktemp("page") / "arena.jsonl"
    args = (
        "greedy",
        "random",
        "lowest",
        "--deals",
        "6",
        "--seed",
        "0",
        "--seed",
        "0",
        "--schedule",
        "cross",
        "--jobs",
        "1",
        "--out",
        str(path),
    )
    assert run_cli("arena", *args, "--html", str(path.with_suffix(".html"))).status == 0
    return path


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL))


def test_page__has_the_report_and_how_it_was_measured(results: Path) -> None:
    page, report = results.with_suffix(".html").read_text("utf-8"), Report.of(results)
    assert page == report_page(report, words(Language.EN))
    text = text_of(page)
    for part in ("6 deals, 180 games", "3 x random", "2 x lowest", "Plackett-Luce", "greedy − random", "of seeds 0 to 5"):
        assert part in text
    assert "big2 arena greedy random lowest --deals 6 --seed 0 --schedule cross --game big2 --scoring own" in text
    for row in report.rows:
        assert f"{row.standing.score.mean:+.2f}".replace("-", "−") in text
    assert sum(won for seats in report.seats_won for won, _ in seats) == 180
    assert not re.search(r"https?:|<script|<link|@import|url\(", page)


def test_page__of_one_table_and_in_each_language(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    assert (
        run_cli("arena", "greedy", "lowest", "lowest", "random", "--deals", "2", "--jobs", "1", "--out", str(path)).status == 0
    )
    report, names = Report.of(path), frozenset(("greedy", "lowest", "random"))
    for lang in Language:
        page = report_page(report, words(lang))
        assert f'<html lang="{lang.value}">' in page
        head = text_of(page).partition(words(lang)("arena_page.how"))[0]
        assert strangers(head, lang, names | {"Plackett-Luce", "interval"}) == []


def test_page__agents_names_are_text(results: Path) -> None:
    report = Report.of(results)
    evil = report._replace(
        config=report.config.__class__.of(("<b>x", "{{style}}", "lowest"), report.config.rules(), "cards", 0, "cross")
    )
    page = report_page(evil, words(Language.EN))
    assert "<b>x" not in page
    assert page.count("&lt;b&gt;x") > 3
    assert page.count("color-scheme: light dark;") == 1


def test_page__without_ratings_says_what_is_missing(results: Path) -> None:
    page = report_page(Report.of(results)._replace(ratings=None), words(Language.EN))
    assert "pip install" in page


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def colours_in(css: str) -> list[tuple[str, str]]:
    return re.findall(r"--([\w-]+): (#[0-9a-f]{6})", css)


def test_page__colours_have_the_contrast_of_aa() -> None:
    own = (files("big2_agents.evaluation.arena") / "page" / "report.css").read_text("utf-8")
    sheets = [css.split("@media (prefers-color-scheme: dark)") for css in (colour_style(), own)]
    light, dark = ({name: colour for sheet in sheets for name, colour in colours_in(sheet[part])} for part in (0, 1))
    for colours in (light, dark):
        under = [name for name in colours if name.startswith(("more", "less", "ground", "sheet"))]
        assert len(under) == 8
        pairs = [("ink", name) for name in under] + [("soft", "ground"), ("soft", "sheet"), ("accent", "sheet")]
        for one, other in pairs:
            high, low = sorted((luminance(colours[one]), luminance(colours[other])), reverse=True)
            assert (high + 0.05) / (low + 0.05) >= 4.5, (one, other)
