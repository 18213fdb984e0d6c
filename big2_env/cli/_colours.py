"""Text with its cards in the colours of their suits, which is plain text where there are no colours."""

from __future__ import annotations

from typing import Final

from rich.text import Text

CARDS: Final = {
    r"C\[\w+\]\*?": "green",
    r"D\[\w+\]\*?": "yellow",
    r"H\[\w+\]\*?": "red",
    r"S\[\w+\]\*?": "cyan",
    r"\b[LB]J\b\*?": "magenta",
}
"""By what a card looks like in notation: its style."""


QUIET: Final = "dim"
"""The style of what matters less."""


def coloured(line: str, style: str = "") -> Text:
    """A line whose cards have colours, all else a style."""
    text = Text(line, style)
    for pattern, colour in CARDS.items():
        text.highlight_regex(pattern, colour)
    return text
