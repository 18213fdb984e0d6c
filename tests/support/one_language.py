"""Whether a text is in one language: no Chinese in English, no words in Latin letters and no characters of the other script in
Chinese."""

from __future__ import annotations

import re
from functools import cache

from opencc import OpenCC
from places import ROOT

from big2_env.base.language import Language

CHINESE = re.compile(r"[\u3400-\u9fff\uff00-\uffef\u3000-\u303f]")
LATIN = re.compile(r"[A-Za-z_]+")
MARKS = re.compile(r"big2(?: [a-z]+)+|--[a-z-]+|\b[A2-9TJQK][CDHS]\b")
"""Commands, options, and the cards of Klondike."""
NOTATION = frozenset(("LJ", "BJ", "PASS", "UNO", "PPO", "JavaScript", "Minari", "UTC", "QR"))
"""Cards, acts and proper names, which every language writes alike; so are single letters."""
KEYS = frozenset(("Enter", "Esc", "Tab", "Ctrl", "Shift"))
TYPED = frozenset(("check", "deal", "points", "indices", "pass", "hint", "values", "undo", "review", "state", "quit"))
"""Words that a person types."""
SCRIPTS = [Language.HANT, Language.HANS]
PAGES = {
    str(path.relative_to(ROOT)): lang for lang in SCRIPTS for path in sorted((ROOT / "big2_env").rglob(f"*.{lang.value}.md"))
}
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
"""Blocks and spans of code: they may quote the log of the specification, which is in traditional Chinese."""
OTHER_PAGE = re.compile(r"\[(?:繁體中文|简体中文)\](?=\()")
"""A link to the page in the other script, by the name that its readers know."""


def prose(text: str) -> str:
    """Return the text of a Chinese page without code and without the name of the other page."""
    return OTHER_PAGE.sub("", CODE.sub("", text))


CONVERTERS = {Language.HANS: "t2s", Language.HANT: "s2tw"}
"""The conversion of OpenCC into each script; a text in that script should come out of it unchanged."""
SHARED = ("分布", "只有", "台灣")
"""Words that are right in traditional texts and that OpenCC would change: 分佈, 臺灣 are variants, and 一只 is not 一隻."""


@cache
def converter(lang: Language) -> OpenCC:
    return OpenCC(CONVERTERS[lang])


def other_script(text: str, lang: Language) -> list[str]:
    """Return the characters of a Chinese text that belong to the other script, sorted."""
    for word in SHARED:
        text = text.replace(word, " " * len(word))
    converted = converter(lang).convert(text)
    assert len(converted) == len(text), text
    return sorted({one for one, other in zip(text, converted, strict=True) if one != other})


def strangers(text: str, lang: Language, names: frozenset[str] = frozenset()) -> list[str]:
    """What in a text is in another language; `names` are words that every language takes as they are."""
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, " ")
    if lang is Language.EN:
        return CHINESE.findall(text)
    text = MARKS.sub(" ", text)
    latin = [word for word in LATIN.findall(text) if len(word) > 1 and word not in NOTATION | KEYS | TYPED]
    return latin + other_script(text, lang)
