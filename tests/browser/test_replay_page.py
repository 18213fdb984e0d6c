"""The page of a judged game in a real browser: keys, buttons, clicks, both widths, dark and light."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from golden_pictures import played, uno_played
from small_games import MOVES, StubJudge, small_game

from big2_agents.review import analysis
from big2_agents.review.analysis import review
from big2_agents.review.decision import Prospect
from big2_agents.review.judged import judged_replay
from big2_env import Game
from big2_env.base.language import Language, words
from big2_env.drawing.replay_page import replay_page
from big2_env.drawing.replays import game_replay
from big2_env.drawing.replays import side_replay as uno_replay
from big2_env.notation.transcript import Transcript


class Appraiser:
    def prospect(self, game: Game) -> Prospect:
        one = len(game.history) / 10
        means = (one, -one, 0.1, -0.1)
        return Prospect(means, tuple((mean - 0.05, mean + 0.05) for mean in means))


@pytest.fixture
def page_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(analysis, "proof_of", lambda game, *_: None)
    transcript = small_game()
    judge = StubJudge({"C[3]": 0.6, "C[7]": 0.1, "S[2]": 0.0, "C[9]": 0.5, "pass": 0.55})
    found = review(transcript.game, judge, "stub", unit=1.0, appraiser=Appraiser())
    assert [ply for ply in range(len(MOVES)) if found.mark(ply).value][:2] == [0, 2]
    first = judged_replay(game_replay(transcript, lang=Language.EN), transcript, found, Language.EN)
    path = tmp_path / "game.html"
    path.write_text(replay_page([first, game_replay(transcript, 1, open_hands=False, lang=Language.EN)]), encoding="utf-8")
    return path


def shown(page: Any) -> str:
    return str(page.locator("#count").inner_text())


def test_page__is_looked_through_with_keys(new_page: Callable[..., Any], page_file: Path) -> None:
    page = new_page()
    page.goto(page_file.as_uri())
    assert shown(page) == "0 / 9"
    assert page.locator("#remarks .mark").inner_text() == "??"
    assert page.locator("#values tr.played").inner_text().startswith("7♣")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert shown(page) == "2 / 9"
    page.keyboard.press("End")
    assert shown(page) == "9 / 9"
    assert "won by Ada" in page.locator("#felt .status").inner_text()
    page.keyboard.press("p")
    assert shown(page) == "4 / 9"
    page.keyboard.press("Home")
    page.keyboard.press("n")
    assert shown(page) == "2 / 9"
    assert page.locator("#moves [aria-current]").get_attribute("data-ply") == "2"
    page.keyboard.press(" ")
    page.locator("#count", has_text="3 / 9").wait_for()
    page.keyboard.press(" ")


def test_page__is_looked_through_by_mouse(new_page: Callable[..., Any], page_file: Path) -> None:
    page = new_page()
    page.goto(page_file.as_uri())
    for name, at in (("next", 1), ("last", 9), ("back", 8), ("first", 0), ("after", 2), ("before", 0)):
        page.locator(f"#{name}").click()
        assert shown(page) == f"{at} / 9"
    page.locator("#moves button").nth(5).click()
    assert shown(page) == "5 / 9"
    page.locator("#plot svg").click(position={"x": 47, "y": 100})
    assert shown(page) == "0 / 9"
    page.locator("#slider").fill("7")
    assert shown(page) == "7 / 9"
    assert page.locator("#plot .curve").count() == 4
    dashes = {page.locator("#plot .curve").nth(i).get_attribute("stroke-dasharray") for i in range(4)}
    assert len(dashes) == 4  # told apart without colours
    page.locator("#colours").click()
    assert page.locator("#colours").get_attribute("aria-pressed") == "true"


def test_page__of_several_games_has_a_chooser(new_page: Callable[..., Any], page_file: Path) -> None:
    page = new_page()
    page.goto(page_file.as_uri())
    page.locator("#game").select_option("1")
    assert page.locator("#judged").is_hidden()
    assert page.locator("#graph").is_hidden()
    assert page.locator(".seat ul.backs").count() == 3
    assert page.locator(".at-s .name").inner_text() == "Ben"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page__fits_a_phone(new_page: Callable[..., Any], page_file: Path, scheme: str) -> None:
    page = new_page(phone=True, color_scheme=scheme)
    page.goto(page_file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("#after").tap()
    assert shown(page) == "2 / 9"
    size = page.locator("#after").bounding_box()
    assert min(size["width"], size["height"]) >= 40


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page__has_contrast_aa(new_page: Callable[..., Any], page_file: Path, scheme: str) -> None:
    page = new_page(color_scheme=scheme)
    page.goto(page_file.as_uri())
    page.keyboard.press("n")
    worst = page.evaluate(CONTRAST)
    assert worst == []


@pytest.mark.parametrize("lang", list(Language))
def test_moves__are_in_words_and_signs(lang: Language, new_page: Callable[..., Any], tmp_path: Path) -> None:
    """No notation: the colour that is named is said, and so is which joker."""
    path, page, tr = tmp_path / "game.html", new_page(), words(lang)
    replays = [
        uno_replay(uno_played(60), lang=lang),
        game_replay(Transcript(played("dou_dizhu", 200), ("A", "B", "C")), lang=lang),
    ]
    path.write_text(replay_page(replays), encoding="utf-8")
    page.goto(path.as_uri())
    for number, replay in enumerate(replays):
        page.locator("#game").select_option(str(number))
        lines = page.locator("#moves button").all_inner_texts()[: len(replay.moves)]
        assert not [line for line in lines if re.search(r"\[|\b[LB]J\b", line)]
        said = [(move.words, line) for move, line in zip(replay.moves, lines, strict=True)]
        if number:
            jokers = {tr("cards.little_joker"), tr("cards.big_joker")}
            assert jokers <= set(" | ".join(lines).replace("\n", " | ").split(" | "))
        else:
            assert all(text in line for text, line in said)
            assert tr("side_tables.naming", card=tr("side_tables.wild"), colour=tr("side_tables.green")) in dict(said)


CONTRAST = """() => {
  const numbers = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = (rgb) => rgb.slice(0, 3).map((v) => linear(v / 255))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const over = (top, under) => { const a = top[3] ?? 1; return [0, 1, 2].map((i) => top[i] * a + under[i] * (1 - a)); };
  const ground = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) {
      const style = getComputedStyle(one);
      if (one.id === "felt") layers.push([29, 90, 73]); else layers.push(numbers(style.backgroundColor));
    }
    return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255]);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement, box = element.getBoundingClientRect();
    if (!node.data.trim() || !box.width || element.closest("script, style, noscript, select, #symbols")) continue;
    const style = getComputedStyle(element), ink = element.closest("svg") ? style.fill : style.color;
    const back = ground(element), a = light(over(numbers(ink), back)), b = light(back);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.push([element.tagName, node.data.trim().slice(0, 20), ratio.toFixed(2)].join(" "));
  }
  return found;
}"""


def test_page__begins_with_the_verdict_and_its_buttons_lead_to_the_moves(new_page: Callable[..., Any], page_file: Path) -> None:
    page = new_page()
    page.goto(page_file.as_uri())
    sentence = page.get_by_role("status").filter(has_text="The costliest decision")
    assert sentence.inner_text().endswith("move 3 by Cai: 10\u2665\ufe0e instead of passing; chance to win 66 % → 25 %.")
    page.get_by_role("button", name="Show move 3", exact=True).click()
    assert shown(page) == "2 / 9"
    page.locator("#costs button").last.click()
    assert shown(page) == "0 / 9"
    page.locator("#game").select_option("1")
    assert page.locator("#verdict").is_hidden()  # this one is not judged


def test_page__takes_better_values_and_stays_at_its_move(new_page: Callable[..., Any], page_file: Path) -> None:
    page = new_page()
    page.goto(page_file.as_uri())
    page.locator("#slider").fill("5")
    page.evaluate(
        """() => {
            const data = JSON.parse(document.getElementById("data").textContent);
            data.games[0].verdict = { text: "A better sentence.", ply: null, source: "Judged again.", costs: [] };
            data.games[0].remarks[5] = [{ text: "A new remark.", kind: "estimate" }];
            dispatchEvent(new CustomEvent("judged", { detail: JSON.stringify(data) }));
        }"""
    )
    assert page.locator("#sentence").inner_text() == "A better sentence."
    assert page.locator("#source").inner_text() == "Judged again."
    assert page.locator("#named").is_hidden()
    assert page.locator("#costly").is_hidden()
    assert "A new remark." in page.locator("#remarks").inner_text()
    assert shown(page) == "5 / 9"
