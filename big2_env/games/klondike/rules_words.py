"""The rules of Klondike in words."""

from __future__ import annotations

from typing import Final

from big2_env.language import Language, language, words
from big2_env.text.rules import RulesPage, RulesSection

SUBJECTS: Final = {
    "aim": ("aim",),
    "cards": ("deal",),
    "turns": ("pile", "king", "foundation", "back", "dealer", "turn"),
    "score": ("score", "bonus"),
}
"""By subject, what is said of it."""


def rules_page(lang: Language | None = None) -> RulesPage:
    """The rules of Klondike in words, by default in the user's language."""
    tr = words(language() if lang is None else lang)
    sections = tuple(
        RulesSection(tr.name("rules_title", subject), tuple(tr(f"rules_klondike.{name}") for name in names))
        for subject, names in SUBJECTS.items()
    )
    return RulesPage("klondike", tr.name("game", "klondike"), tr.language, sections)
