"""Options that several verbs share."""

from __future__ import annotations

from typing import Annotated

import typer

from big2_env.language import Words, language, words

Lang = Annotated[
    str | None,
    typer.Option("--lang", metavar="en|zh-Hant|zh-Hans", help="Language; by default BIG2_LANG, else the locale."),
]
"""The language of what a person reads. Logs, records and JSON are the same in every language."""


def words_of(lang: str | None) -> Words:
    """The texts in the language that an option names, else in the user's.

    Raises:
        ConfigError: an option or a `BIG2_LANG` that names no language.
    """
    return words(language(lang))
