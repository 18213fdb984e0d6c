"""The Chinese columns of the glossary have the words that the product prints, and no text uses words of other players."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from one_language import PAGES, SCRIPTS, prose
from places import ROOT

from big2_env.base.language import Language
from big2_env.base.language.words import catalogue

GLOSSARY = ROOT / "big2_env" / "GLOSSARY.md"
NOT_PRINTED = frozenset(
    (
        *("kickers", "actor", "candidate PPO", "checkpoint", "critic", "features", "league", "legal action mask"),
        *("opponent pool", "reward", "rollout", "self-play", "snapshot", "determinization", "sampled deal", "endgame solver"),
        *("hand decomposition", "scene", "utility", "candidate play", "chop", "digest"),
        *("exploitability", "information set", "mini game"),
        *(
            "shape",
            "group",
            "tier",
            "kernel",
            "climbing game",
            "duplicate deals",
            "best response",
            "encoder",
            "variant",
        ),
    )
)
"""Terms of code and training that no Chinese text of the program has; their Chinese words are the customary ones."""
NOT_PRINTED_WORDS = frozenset(("亂數", "随机数"))
"""Words of a row whose other words are printed."""
OF_PLAYERS = {
    "pass": ("PASS", "不出"),
    "joker": ("鬼牌 (小鬼, 大鬼)", "大小王 (小王, 大王)"),
    "lead": ("領出", "领出"),
    "trick": ("一圈 (大老二: 回合)", "一圈 (大老二: 回合)"),
    "landlord": ("地主", "地主"),
    "bomb": ("炸彈", "炸弹"),
    "judge": ("評析引擎", "评析引擎"),
    "review": ("復盤", "复盘"),
}
"""The words of players for each script, which the glossary has to have."""
LABELS = {
    "tui.undo": ("悔牌", "悔牌"),
    "web.undo": ("悔牌", "悔牌"),
    "tui.review": ("復盤", "复盘"),
    "web.review": ("復盤", "复盘"),
    "tui.hint": ("提示", "提示"),
    "web.hint": ("提示", "提示"),
    "cards.pass": ("PASS", "不出"),
    "web.pass": ("PASS", "不出"),
    "auction.call": ("叫地主", "叫地主"),
    "auction.rob": ("搶地主", "抢地主"),
    "cards.little_joker": ("小鬼", "小王"),
    "cards.big_joker": ("大鬼", "大王"),
}
"""Buttons and names of cards for each script."""
WRONG = {
    Language.HANT: {
        "jokers": ("小王", "大王"),
        "undo": ("悔棋", "悔步", "復原"),
        "review": ("複盤", "回顧", "覆盤"),
        "words of the mainland": (
            *("程序", "網絡", "信息", "鼠標", "服務器", "默認", "文件夾", "概率", "軟件", "字節", "加載", "緩存", "數據"),
            *("屏幕", "運行", "菜單", "設置", "鏈接", "打印", "智能體", "置信", "搜索", "函數", "接口", "支持"),
        ),
    },
    Language.HANS: {
        "jokers": ("鬼牌", "小鬼", "大鬼", "对鬼"),
        "pass": ("PASS",),
        "undo": ("悔棋", "悔步", "复原"),
        "review": ("回顾", "覆盘"),
        "words of Taiwan": (
            *("程式", "网路", "资讯", "滑鼠", "伺服器", "资料", "机率", "软体", "位元组", "档案", "载入", "储存", "透过"),
            *("介面", "萤幕", "指令", "列印", "乱数", "视窗", "游标", "预设", "信赖区间", "搜寻", "函式"),
        ),
    },
}
"""Words that players and engineers of a script do not use, by what they mean."""


class Row(NamedTuple):
    term: str
    words: dict[Language, str]


def rows(text: str) -> list[Row]:
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return [
        Row(term, {Language.HANT: hant, Language.HANS: hans}) for term, hant, hans, _ in cells if term not in ("term", "---")
    ]


def single_words(cell: str) -> list[str]:
    """Return the words of a cell like `鬼牌 (小鬼, 大鬼)`."""
    return [word for word in re.split(r"[,:()\s]+", cell) if word]


def printed(lang: Language) -> str:
    return "\n".join(texts[lang.value] for texts in catalogue().values())


def wrong_words(text: str, lang: Language) -> list[str]:
    return [word for words in WRONG[lang].values() for word in words if word in text]


ROWS = rows(GLOSSARY.read_text("utf-8"))


def test_glossary__has_a_word_of_each_script_for_each_term() -> None:
    assert len(ROWS) > 40
    assert [row.term for row in ROWS if not all(row.words.values())] == []
    assert {row.term for row in ROWS} >= NOT_PRINTED


def test_glossary__is_in_alphabetical_order() -> None:
    for section in GLOSSARY.read_text("utf-8").split("\n## ")[1:]:
        terms = [row.term.lower() for row in rows(section)]
        assert terms == sorted(set(terms))


@pytest.mark.parametrize("lang", SCRIPTS)
def test_glossary__has_the_words_that_are_printed(lang: Language) -> None:
    text = printed(lang)
    terms = {row.term: [word for word in single_words(row.words[lang]) if word not in NOT_PRINTED_WORDS] for row in ROWS}
    missing = {term: words for term, words in terms.items() if any(word not in text for word in words)}
    assert missing.keys() == NOT_PRINTED, "a word of the glossary that no text has, or a needless exception"


@pytest.mark.parametrize("term", OF_PLAYERS)
def test_glossary__has_the_words_of_players(term: str) -> None:
    found = next(row for row in ROWS if row.term == term)
    assert (found.words[Language.HANT], found.words[Language.HANS]) == OF_PLAYERS[term]


@pytest.mark.parametrize("key", LABELS)
def test_catalogue__has_the_words_of_players(key: str) -> None:
    assert tuple(catalogue()[key][lang.value] for lang in (Language.HANT, Language.HANS)) == LABELS[key]


NAMES = ("game.", "game_synonyms.")
"""Names of games, which players may write in several ways."""


@pytest.mark.parametrize("lang", SCRIPTS)
def test_catalogue__has_no_word_of_others(lang: Language) -> None:
    found = {key: wrong_words(texts[lang.value], lang) for key, texts in catalogue().items() if not key.startswith(NAMES)}
    assert {key: words for key, words in found.items() if words} == {}


@pytest.mark.parametrize("page", PAGES)
def test_pages__have_no_word_of_others(page: str) -> None:
    assert wrong_words(prose((ROOT / page).read_text("utf-8")), PAGES[page]) == []


@pytest.mark.parametrize("lang", SCRIPTS)
def test_glossary__has_no_word_of_others(lang: Language) -> None:
    assert wrong_words("\n".join(row.words[lang] for row in ROWS if row.term != "pass"), lang) == []


@pytest.mark.parametrize(
    ("text", "lang", "found"),
    [
        ("共 54 张牌，含小鬼和大鬼", Language.HANS, ["小鬼", "大鬼"]),
        ("按 U 悔棋，按 R 回顾", Language.HANS, ["悔棋", "回顾"]),
        ("玩家 PASS", Language.HANS, ["PASS"]),
        ("玩家不出，按 U 悔牌，按 R 复盘", Language.HANS, []),
        ("複盤，含小王", Language.HANT, ["小王", "複盤"]),
        ("程序的概率", Language.HANT, ["程序", "概率"]),
        ("玩家 PASS，悔牌，復盤，含小鬼", Language.HANT, []),
    ],
)
def test_wrong_words__are_found(text: str, lang: Language, found: list[str]) -> None:
    assert wrong_words(text, lang) == found
