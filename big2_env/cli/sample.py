"""`big2 sample`: a complete game in the text format, to try other verbs on."""

from __future__ import annotations

from importlib.resources import files

from big2_env.cli._options import Lang, words_of


def command(lang: Lang = None) -> None:
    """Print a sample game in the text format: a deck, four names, an action per line.

    It is the sample of the format's specification plus one action. The specification's sample lacks its last action, and its
    log stops there too. The added action is the last line, 0.

    Examples:
        big2 sample > game.in
        big2 run game.in
    """
    words_of(lang)  # a language that is none is refused; the format is the same in all of them
    print((files("big2_env.notation") / "sample.in").read_text(encoding="utf-8"), end="")
