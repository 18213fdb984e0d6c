"""Lines of text in pictures: their font, and about how much room they take."""

from __future__ import annotations

from typing import Final
from unicodedata import east_asian_width

FONT: Final = (
    "system-ui, -apple-system, 'Segoe UI', 'PingFang TC', 'Microsoft JhengHei', 'Noto Sans', 'Noto Sans CJK TC', sans-serif"
)


BOLD: Final = 1.13
"""How much wider bold text is."""


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """About how wide a line of text is, in units: as in DejaVu Sans, the widest of common sans-serif fonts."""
    return size * sum(map(_em, text)) * (BOLD if bold else 1)


def _em(char: str) -> float:
    """The width of a character, as a part of the font's size."""
    if east_asian_width(char) in "WF":
        return 1
    if char in "iljtfr.,:;' |!()[]":
        return 0.34
    if char in "+×=−":
        return 0.84
    return 0.95 if char in "mwMW@" else 0.72 if char.isupper() else 0.64 if char.isdigit() else 0.61


def cut(text: str, size: float, width: float, *, bold: bool = False) -> str:
    """As much of a text as a width has room for, with an ellipsis where something is left out."""
    if text_width(text, size, bold=bold) <= width:
        return text
    while text and text_width(text + "…", size, bold=bold) > width:
        text = text[:-1]
    return text.rstrip() + "…"
