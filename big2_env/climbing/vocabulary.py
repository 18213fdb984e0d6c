"""Names that a game gives to its cards and patterns in texts, instead of the standard ones.

Only texts and answers use them. The engine, records and ruleset files keep the standard identifiers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from big2_env.base.cards import Card, Rank, Suit
from big2_env.base.errors import ConfigError, quoted
from big2_env.base.language import Language
from big2_env.base.validated import Checked

INVENTED: Final = "invented_"
"""Start of the names of invented rulesets."""
_ENGLISH: Final = re.compile("[a-z]{2,20}")
_CHINESE: Final = re.compile("[\u4e00-\u9fff]{1,6}")


@dataclass(frozen=True)
class Word(Checked):
    """A name in English and Chinese.

    Args:
        en: English name, in lower case.
        zh: Chinese name, of characters that both scripts share.

    Raises:
        ConfigError: A name has other characters.
    """

    en: str
    zh: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _ENGLISH.fullmatch(self.en) or not _CHINESE.fullmatch(self.zh):
            raise ConfigError(f"expected a name of 2 to 20 letters a-z and one of 1 to 6 Chinese characters, got {self}")

    def text(self, language: Language) -> str:
        """Return the name in a language."""
        return self.en if language is Language.EN else self.zh


@dataclass(frozen=True)
class Vocabulary(Checked):
    """Names of ranks, suits and patterns.

    A card is written as two letters, the initials of its English rank and suit: the `bodo` of `ando` is `Ba`.

    Args:
        ranks: Names of the ranks 3 to 2, in the order of `Rank`, with 13 different initials.
        suits: Names of the suits, in the order of `Suit`, with four different initials that no rank has.
        patterns: Pairs (identifier, name) of patterns.

    Raises:
        ConfigError: Names are missing, or are not distinct.

    >>> ranks = [Word(letter + "ovi", chr(0x5c71 + n)) for n, letter in enumerate("bfglmnprvwxyz")]
    >>> suits = [Word(letter + "ndo", chr(0x6728 + n)) for n, letter in enumerate("aeiu")]
    >>> Vocabulary(tuple(ranks), tuple(suits), ()).card(Card("H[3]"))
    'Bi'
    """

    ranks: tuple[Word, ...]
    suits: tuple[Word, ...]
    patterns: tuple[tuple[str, Word], ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if (len(self.ranks), len(self.suits)) != (13, 4):
            raise ConfigError(f"vocabulary: expected 13 ranks and 4 suits, got {len(self.ranks)} and {len(self.suits)}")
        words = [*self.ranks, *self.suits, *(word for _, word in self.patterns)]
        _check_distinct([word.en[0] for word in words[:17]], "initials of ranks and suits")
        _check_distinct([word.en for word in words], "names")
        _check_distinct([word.zh for word in words], "names")
        _check_distinct([name for name, _ in self.patterns], "patterns")

    @cached_property
    def by_pattern(self) -> dict[str, Word]:
        """Names of the patterns by identifier."""
        return dict(self.patterns)

    def rank(self, rank: Rank) -> str:
        """Return the letter of a rank."""
        return self.ranks[rank].en[0].upper()

    def suit(self, suit: Suit) -> str:
        """Return the letter of a suit."""
        return self.suits[suit].en[0]

    def card(self, card: Card) -> str:
        """Return the two letters of a card."""
        assert card.suit is not None
        return self.rank(card.rank) + self.suit(card.suit)

    def cards(self, cards: Iterable[Card]) -> str:
        """Return the letters of some cards, in the order given."""
        return " ".join(map(self.card, cards))


def _check_distinct(names: Sequence[str], what: str) -> None:
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError(f"vocabulary: expected different {what}, got {quoted(repeated[0])} twice")
