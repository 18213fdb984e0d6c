"""Each Chinese text is in one script: OpenCC finds characters of the other one."""

from __future__ import annotations

import pytest
from one_language import PAGES, SCRIPTS, other_script, prose
from places import ROOT

from big2_env.base.language import Language
from big2_env.base.language.words import catalogue


@pytest.mark.parametrize("lang", SCRIPTS)
def test_catalogue__has_no_character_of_the_other_script(lang: Language) -> None:
    found = {key: other_script(texts[lang.value], lang) for key, texts in catalogue().items()}
    assert {key: characters for key, characters in found.items() if characters} == {}


@pytest.mark.parametrize("page", PAGES)
def test_pages__have_no_character_of_the_other_script(page: str) -> None:
    assert other_script(prose((ROOT / page).read_text("utf-8")), PAGES[page]) == []


def test_pages__exist_in_both_scripts() -> None:
    folder = "big2_env/base/language"
    assert {f"{folder}/README.{lang.value}.md" for lang in SCRIPTS} <= set(PAGES)


@pytest.mark.parametrize(
    ("lang", "text", "found"),
    [
        (Language.HANS, "强化学习环境", []),
        (Language.HANS, "強化学习環境", ["強", "環"]),
        (Language.HANS, "轮到你领出，后面的牌", []),
        (Language.HANS, "裡面的後手", ["後", "裡"]),
        (Language.HANT, "強化學習環境", []),
        (Language.HANT, "强化學習环境", ["强", "环"]),
        (Language.HANT, "得分的分布，只有一張牌", []),
        (Language.HANT, "里面有一只貓", ["只", "里"]),
        (Language.HANT, "看着裏面的羣組", ["着", "羣", "裏"]),
        (Language.HANT, "复盘、后面", ["复", "盘", "后"]),
    ],
)
def test_other_script__is_found(lang: Language, text: str, found: list[str]) -> None:
    assert other_script(text, lang) == sorted(found)


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("輸出 `回合 {}`：\n\n```console\n$ big2 play\n简体\n```\n\n[简体中文](b.md)", []),
        ("[简体](b.md) 牌桌", ["体", "简"]),
        ("简体中文", ["体", "简"]),
        ("```\n简\n```\n牌桌变了\n\n```\n简\n```\n", ["变"]),
    ],
)
def test_prose__leaves_out_code_and_the_link_to_the_other_page(page: str, found: list[str]) -> None:
    assert other_script(prose(page), Language.HANT) == found
