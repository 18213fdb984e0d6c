"""The texts of one language."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final, TypeAlias

from big2_env.base.errors import ConfigError, repr_text
from big2_env.base.language.choice import Language

Catalogue: TypeAlias = dict[str, dict[str, str]]
"""Texts by key, then by language tag."""


@cache
def catalogue() -> Catalogue:
    """Return all texts by key, `FILE.NAME`: the file's name without suffix, and the text's own."""
    found: Catalogue = {}
    for file in sorted((files(__package__) / "catalogue").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            texts = tomllib.loads(file.read_text(encoding="utf-8"))
            found |= {f"{file.name.removesuffix('.toml')}.{name}": text for name, text in texts.items()}
    return found


class Words:
    """The texts of one language, by key.

    Raises:
        ConfigError: `language` is not a `Language`.

    >>> tr = words(Language.EN)
    >>> tr("cards.pass"), tr.name("pattern", "full_house")
    ('pass', 'full house')
    """

    def __init__(self, language: Language) -> None:
        if not isinstance(language, Language):
            raise ConfigError(f"expected {', '.join(map(repr, Language))}, got {repr_text(language)}")
        self.language = language

    def __call__(self, key: str, /, **values: object) -> str:
        """Return the text of a key, with its `{fields}` filled in.

        Raises:
            KeyError: The key does not exist, or a field has no value; both are bugs of the caller.
        """
        text = catalogue()[key][self.language.value]
        if not values:
            return text
        return (text if self.language is Language.EN else _closed_up(text, values)).format(**values)

    def name(self, kind: str, *names: str, fallback: str | None = None) -> str:
        """Return the name of something such as a `pattern` or a `game`: the first of its names that the catalogue has.

        Args:
            kind: File of the catalogue.
            names: Names to look up in order.
            fallback: Chinese name of something that the catalogue does not have; without one, and in English, its last name is
                used.
        """
        for name in names:
            if (entry := catalogue().get(f"{kind}.{name}")) is not None:
                return entry[self.language.value]
        return fallback if fallback and self.language is not Language.EN else names[-1].replace("_", " ")

    def game(self, name: str, zh: str) -> str:
        """Return the name of a game.

        A ruleset of the user's without a Chinese name has inherited the one of its preset. It is then called by `name` in
        Chinese too.
        """
        return self.name("game", name, fallback=None if zh in _shipped_games() else zh)


NAME_FIELDS: Final = ("name", "names", "other", "owner")
"""Fields of texts that are filled with names of players."""
_HAN: Final = "[\u3400-\u9fff]"


def _closed_up(text: str, values: Mapping[str, object]) -> str:
    """Return a Chinese text without spaces between its characters and Chinese values of its fields.

    A Chinese name may end with a number.
    """
    for field, value in values.items():
        if re.match(_HAN, shown := str(value)):
            text = re.sub(f"(?<={_HAN}) (?={{{field}}})", "", text)
        if re.match(_HAN, shown[:1] if field in NAME_FIELDS else shown[-1:]):
            text = re.sub(f"(?<={{{field}}}) (?={_HAN})", "", text)
    return text


@cache
def _shipped_games() -> frozenset[str]:
    """Return the Chinese names of the catalogue's games, as rulesets have them."""
    return frozenset(text["zh-Hans"] for key, text in catalogue().items() if key.startswith("game."))


@cache
def words(language: Language) -> Words:
    """Return the texts of a language, cached; raises as `Words`."""
    return Words(language)


_IGNORED: Final = re.compile(r"[\s_\-(),]+")


def folded(name: str) -> str:
    """Return a name without case, blanks and punctuation.

    >>> folded("Dou_Dizhu"), folded("竞技二打一（扑克）")
    ('doudizhu', '竞技二打一扑克')
    """
    return _IGNORED.sub("", unicodedata.normalize("NFKC", name).casefold())
