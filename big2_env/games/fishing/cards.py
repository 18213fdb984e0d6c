"""Cards of the fishing game: ranks without suits, and decks of them.

A card is its rank's number, 0 to 13, for `2 3 4 5 6 7 8 9 10 J Q K A W`; W is a joker.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from big2_env.errors import ConfigError, NotationError, quoted
from big2_env.rng import SplitMix64

RANKS: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "W")
"""The names of the ranks, by number."""
JACK: Final = RANKS.index("J")
MAX_CARDS: Final = 64
"""Most cards of a deck: what the compiled engine has room for."""
MAX_TEXT: Final = 1000
"""Most characters of a text of cards or of a deck."""

_NUMBER: Final = {name: number for number, name in enumerate(RANKS)}


def cards_text(cards: Iterable[int]) -> str:
    """Cards as people write them.

    >>> cards_text([0, 8, 9, 13])
    '2 10 J W'
    """
    return " ".join(RANKS[card] for card in cards)


def parse_cards(text: str) -> tuple[int, ...]:
    """The cards of a text, front card first.

    Raises:
        NotationError: a word that is no rank, or a text that is too long.
    """
    if len(text) > MAX_TEXT:
        raise NotationError(f"the text of cards is too long: {len(text):,} characters (limit {MAX_TEXT:,})")
    for word in text.split():
        if word not in _NUMBER:
            raise NotationError(f"expected a card of the fishing game, {' '.join(RANKS)}, got {quoted(word)}")
    return tuple(_NUMBER[word] for word in text.split())


@dataclass(frozen=True)
class FishingDeck:
    """A deck: how many cards of each rank, by the rank's number.

    >>> DECK_54.size, DECK_52.size, str(FishingDeck.parse("2x4 3x4 Jx2"))
    (54, 52, '2x4 3x4 Jx2')
    """

    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.counts) != len(RANKS) or not all(type(count) is int and 0 <= count <= MAX_CARDS for count in self.counts):
            raise ConfigError(f"expected {len(RANKS)} counts of 0 to {MAX_CARDS}, got {quoted(str(self.counts))}")
        if not 2 <= self.size <= MAX_CARDS or self.size % 2:
            raise ConfigError(f"expected an even number of cards from 2 to {MAX_CARDS}, got a deck of {self.size}")

    def __str__(self) -> str:
        for name, deck in DECKS.items():
            if deck == self:
                return name
        return " ".join(f"{RANKS[rank]}x{count}" for rank, count in enumerate(self.counts) if count)

    @classmethod
    def parse(cls, text: str) -> FishingDeck:
        """The deck of a text: `54`, `52`, or ranks with their counts, `2x4 3x4 Jx2`.

        Raises:
            ConfigError: a text that is none of these, or a deck that cannot be dealt to two players.
        """
        if text in DECKS:
            return DECKS[text]
        counts = [0] * len(RANKS)
        for word in text[:MAX_TEXT].replace(",", " ").split():
            match = re.fullmatch(r"(\w{1,2})x(\d{1,2})", word)
            if match is None or match[1] not in _NUMBER or counts[_NUMBER[match[1]]]:
                raise ConfigError(
                    f"deck {quoted(text)}, at {quoted(word)}: expected {', '.join(DECKS)}, "
                    "or each rank once with its count, as in 2x4 3x4 Jx2"
                )
            counts[_NUMBER[match[1]]] = int(match[2])
        return cls(tuple(counts))

    @classmethod
    def of(cls, cards: Sequence[int]) -> FishingDeck:
        """The deck of these cards.

        Raises:
            ConfigError: cards that cannot be dealt to two players.
        """
        return cls(tuple(map(cards.count, range(len(RANKS)))))

    @property
    def size(self) -> int:
        """How many cards."""
        return sum(self.counts)

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """Every card, ascending."""
        return tuple(rank for rank, count in enumerate(self.counts) for _ in range(count))

    def shuffled(self, seed: int) -> tuple[int, ...]:
        """The deck shuffled by the stream of `seed` (`big2_env.rng`)."""
        cards = list(self.cards)
        SplitMix64(seed).shuffle(cards)
        return tuple(cards)

    def deal(self, seed: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Two hands: the first half of the shuffled deck is seat 0's, front card first."""
        return self.halves(self.shuffled(seed))

    def halves(self, cards: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The hands of a whole deck in order.

        Raises:
            ConfigError: other cards than those of the deck.
        """
        if sorted(cards) != list(self.cards):
            raise ConfigError(f"expected the cards of the deck {self}, got {quoted(cards_text(cards))}")
        return tuple(cards[: self.size // 2]), tuple(cards[self.size // 2 :])


def deck_order(text: str) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return the two hands of a deck written card by card, the 54 ranks in their order; `None` for a text without an order.

    A text is an order if it has several words and none of them is a rank with its count.

    Raises:
        NotationError: a word that is no rank, or a text that is too long.
        ConfigError: other cards than the 54.

    >>> deck_order("54"), deck_order("2x4 3x4 Jx2")
    (None, None)
    """
    if len(text[:MAX_TEXT].split()) < 2 or "x" in text:
        return None
    cards = parse_cards(text)
    counts = tuple(map(cards.count, range(len(RANKS))))
    for rank, (count, expected) in enumerate(zip(counts, DECK_54.counts, strict=True)):
        if count != expected:
            raise ConfigError(
                f"deck in order: expected {DECK_54.size} cards, {expected} of rank {RANKS[rank]}, "
                f"got {len(cards)} cards, {count} of rank {RANKS[rank]}"
            )
    return DECK_54.halves(cards)


DECK_52: Final = FishingDeck((4,) * 13 + (0,))
DECK_54: Final = FishingDeck((4,) * 13 + (2,))
DECKS: Final = {"54": DECK_54, "52": DECK_52}
"""Decks by name. The program of the article has 54 cards; by its prose the jokers may be left out."""
