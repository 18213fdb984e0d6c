"""What a person reads, in three languages: English, traditional and simplified Chinese.

Texts stand in `catalogue/*.toml`, one table a key with one text a language. Logs, records and machine output do not come from
here: their bytes are the same in every language.
"""

from big2_env.language.choice import VARIABLE, Language, language
from big2_env.language.words import Words, words

__all__ = ["VARIABLE", "Language", "Words", "language", "words"]
