"""Whether a text is in one language: no Chinese in English, no words in Latin letters and no characters of the other script in
Chinese."""

from __future__ import annotations

import re
from functools import cache

from big2_env.language import Language
from big2_env.language.words import catalogue

CHINESE = re.compile(r"[\u3400-\u9fff\uff00-\uffef\u3000-\u303f]")
LATIN = re.compile(r"[A-Za-z_]+")
MARKS = re.compile(r"big2(?: [a-z]+)+|--[a-z-]+|\b[A2-9TJQK][CDHS]\b")
"""Commands, options, and the cards of Klondike."""
NOTATION = frozenset(("LJ", "BJ", "PASS", "UNO", "PPO", "JavaScript", "Minari", "UTC"))
"""Cards, acts and proper names, which every language writes alike; so are single letters."""
KEYS = frozenset(("Enter", "Esc", "Tab", "Ctrl", "Shift"))
TYPED = frozenset(("check", "deal", "points", "indices", "pass", "hint", "values", "undo", "review", "quit"))
"""Words that a person types."""


@cache
def only_in(lang: Language) -> frozenset[str]:
    """The characters that the catalogue has in one Chinese script and never in the other."""
    other = Language.HANS if lang is Language.HANT else Language.HANT
    own, theirs = ({char for texts in catalogue().values() for char in texts[one.value]} for one in (lang, other))
    return frozenset(char for char in own - theirs if CHINESE.match(char))


def strangers(text: str, lang: Language, names: frozenset[str] = frozenset()) -> list[str]:
    """What in a text is in another language; `names` are words that every language takes as they are."""
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, " ")
    if lang is Language.EN:
        return CHINESE.findall(text)
    other = Language.HANS if lang is Language.HANT else Language.HANT
    text = MARKS.sub(" ", text)
    latin = [word for word in LATIN.findall(text) if len(word) > 1 and word not in NOTATION | KEYS | TYPED]
    return latin + sorted(set(text) & only_in(other))
