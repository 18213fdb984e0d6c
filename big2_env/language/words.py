"""The texts of one language."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TypeAlias

from big2_env.errors import ConfigError, repr_text
from big2_env.language.choice import Language

Catalogue: TypeAlias = dict[str, dict[str, str]]
"""By key, the text in each language by its tag."""


@cache
def catalogue() -> Catalogue:
    """Every text by its key, `FILE.NAME`: the name of the file that it stands in, and its own."""
    found: Catalogue = {}
    for file in sorted((files(__package__) / "catalogue").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            texts = tomllib.loads(file.read_text(encoding="utf-8"))
            found |= {f"{file.name.removesuffix('.toml')}.{name}": text for name, text in texts.items()}
    return found


class Words:
    """The texts of one language, by key.

    Raises:
        ConfigError: no `Language`.

    >>> tr = words(Language.EN)
    >>> tr("cards.pass"), tr.name("pattern", "full_house")
    ('pass', 'full house')
    """

    def __init__(self, language: Language) -> None:
        if not isinstance(language, Language):
            raise ConfigError(f"expected {', '.join(map(repr, Language))}, got {repr_text(language)}")
        self.language = language

    def __call__(self, key: str, /, **values: object) -> str:
        """The text of a key, its `{fields}` filled with values.

        Raises:
            KeyError: no such key, or a field without a value: a fault of the caller, not of a reader.
        """
        text = catalogue()[key][self.language.value]
        return text.format(**values) if values else text

    def name(self, kind: str, *names: str, fallback: str | None = None) -> str:
        """What something is called, such as a `pattern` or a `game`: by the first of its names that the catalogue has.

        Something from outside is in no catalogue: in Chinese it is called by `fallback`, in English by its last name.
        """
        for name in names:
            if (entry := catalogue().get(f"{kind}.{name}")) is not None:
                return entry[self.language.value]
        return fallback if fallback is not None and self.language is not Language.EN else names[-1].replace("_", " ")

    def game(self, name: str, zh: str) -> str:
        """What a game is called, by its name and its Chinese name.

        One of one's own that was given none has that of the preset it changes: then it is called by its name in Chinese too.
        """
        return self.name("game", name, fallback=None if zh in _shipped_games() else zh)


@cache
def _shipped_games() -> frozenset[str]:
    """The Chinese names of the catalogue's games, as rulesets have them."""
    return frozenset(text["zh-Hans"] for key, text in catalogue().items() if key.startswith("game."))


@cache
def words(language: Language) -> Words:
    """The texts of a language. Raises as `Words`."""
    return Words(language)
