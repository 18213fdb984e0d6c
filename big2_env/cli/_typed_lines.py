"""Lines that a person types at a prompt, and the words that are no act in any game."""

from __future__ import annotations

import sys
from typing import Final, TextIO

from big2_env import tui

MAX_LINE: Final = 1000
"""Most characters of a line that are looked at."""
COMMANDS: Final = {
    **dict.fromkeys(("q", "quit", "exit", "離開", "离开"), "quit"),
    **dict.fromkeys(("h", "hint", "提示"), "hint"),
    **dict.fromkeys(("v", "values", "評估", "评估"), "values"),
    **dict.fromkeys(("u", "undo", "悔牌", "復原", "复原"), "undo"),
    **dict.fromkeys(("r", "review", "回顧", "回顾"), "review"),
    **dict.fromkeys(("?", "help", "說明", "说明"), "help"),
    **dict.fromkeys(("points", "點數", "点数"), "points"),
    **dict.fromkeys(("indices", "序號", "序号"), "indices"),
}
"""What a line asks for that is no act, by its words."""


class TypedLines:
    """Lines from a terminal, with arrow keys and history, or from a pipe.

    Args:
        lines: where they come from.
    """

    def __init__(self, lines: TextIO) -> None:
        self._lines = lines
        self.is_terminal = lines.isatty()
        """True if a person types."""
        if self.is_terminal:
            import readline  # noqa: F401  # arrow keys and history for `input`

    def read(self) -> str | None:
        """A line of at most `MAX_LINE` characters, `None` at the end of the input."""
        if self.is_terminal:
            try:
                return input("> ")
            except EOFError:
                print()
                return None
        print("> ", end="", flush=True)
        line = self._lines.readline(MAX_LINE)
        if not line:
            print()
            return None
        return line


def shows_signs() -> bool:
    """True if standard output is a terminal that can show ♣♦♥♠."""
    encoding = getattr(sys.stdout, "encoding", "") or ""
    return sys.stdout.isatty() and encoding.lower().startswith("utf")


def is_at_terminal() -> bool:
    """True if a person types and reads here. A table is drawn on standard error, so that counts too."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def has_table(plain: bool) -> bool:
    """True if a table can be shown and is wanted.

    Args:
        plain: True for the prompt, also where a table could be shown.
    """
    return not plain and is_at_terminal() and tui.is_installed()
