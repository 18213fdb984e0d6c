"""The card table in a terminal, for the climbing games: a Textual application over a `play.Sitting` (extra `tui`).

What is drawn comes from the sitting's scene, which holds what the person may know and no more.
"""

from __future__ import annotations

from importlib.util import find_spec

from big2_env.language import Language
from big2_env.play import Sitting


def is_installed() -> bool:
    """True if Textual is installed."""
    return find_spec("textual") is not None


def run(sitting: Sitting, lang: Language, *, letters: bool = False) -> None:
    """Play at the table until the person leaves.

    Args:
        sitting: the person's place.
        lang: the language to begin with.
        letters: True if suits are letters.

    Raises:
        ImportError: Textual is not installed; the message names the extra.
        ConfigError: an agent gave what is no legal act.
    """
    if not is_installed():
        raise ImportError("the table in the terminal needs textual: pip install 'big2_env[tui]'")
    from big2_env.tui.table_app import TableApp

    app = TableApp(sitting, lang)
    app.table.letters = letters
    app.run()
    if app.fault is not None:
        raise app.fault
