"""Links as QR codes in a terminal, so that a phone opens them without typing."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import zip_longest

from rich.console import Console
from rich.text import Text

_HALVES = {(1, 1): "█", (1, 0): "▀", (0, 1): "▄", (0, 0): " "}


def qr_lines(text: str) -> list[str]:
    """Return a text as a QR code, two rows of it per line, for dark characters on a light ground.

    Raises:
        ImportError: segno is not installed.
    """
    import segno

    rows = [list(row) for row in segno.make(text, error="l", micro=False).matrix_iter(border=2)]
    pairs = zip_longest(rows[::2], rows[1::2], fillvalue=[0] * len(rows[0]))
    return ["".join(_HALVES[high, low] for high, low in zip(*pair, strict=True)) for pair in pairs]


def print_qr(console: Console, text: str) -> None:
    """Print a text as a QR code; nothing if the output is not a terminal, the code too wide for it, or segno is missing."""
    if console.is_terminal and find_spec("segno") is not None:
        lines = qr_lines(text)
        if len(lines[0]) <= console.width and len(lines) < console.height:
            for line in lines:
                console.print(Text(line, "black on bright_white"))
