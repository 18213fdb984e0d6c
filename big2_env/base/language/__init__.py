"""Texts for people, in three languages: English, traditional and simplified Chinese.

The texts are in `catalogue/*.toml`, a table per key with a text per language. Logs, records and machine-readable output do not
come from here; they are the same in every language. `help/*.toml` has the Chinese texts of `big2 --help`, by the English ones.
"""

from big2_env.base.language.choice import VARIABLE, Language, as_language, language
from big2_env.base.language.words import Words, folded, words

__all__ = ["VARIABLE", "Language", "Words", "as_language", "folded", "language", "words"]
