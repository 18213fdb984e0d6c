"""Cards and decks of the fishing game.

Cards have a rank but no suit. A card is the index of its rank, 0 to 13, in `2 3 4 5 6 7 8 9 10 J Q K A W`; W is a joker.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from big2_env.base.errors import ConfigError, NotationError, quoted
from big2_env.base.rng import SplitMix64

RANKS: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "W")
"""Rank names by index."""
JACK: Final = RANKS.index("J")
MAX_CARDS: Final = 64
"""Maximum deck size, set by the compiled implementation."""
MAX_TEXT: Final = 1000
"""Maximum length in characters of a text with cards or a deck."""

_NUMBER: Final = {name: number for number, name in enumerate(RANKS)}


def cards_text(cards: Iterable[int]) -> str:
    """Return cards as text.

    >>> cards_text([0, 8, 9, 13])
    '2 10 J W'
    """
    return " ".join(RANKS[card] for card in cards)


def parse_cards(text: str) -> tuple[int, ...]:
    """Return the cards in a text, front card first.

    Raises:
        NotationError: A word is not a rank, or the text is too long.
    """
    if len(text) > MAX_TEXT:
        raise NotationError(f"the text of cards is too long: {len(text):,} characters (limit {MAX_TEXT:,})")
    for word in text.split():
        if word not in _NUMBER:
            raise NotationError(f"expected a card of the fishing game, {' '.join(RANKS)}, got {quoted(word)}")
    return tuple(_NUMBER[word] for word in text.split())


@dataclass(frozen=True)
class FishingDeck:
    """Deck of the fishing game.

    Args:
        counts: Number of cards of each rank, in the order of `RANKS`.

    Raises:
        ConfigError: A count is out of range, or the total is not an even number from 2 to `MAX_CARDS`.

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
        """Return the deck for a text: `54`, `52`, or ranks with counts as in `2x4 3x4 Jx2`.

        Raises:
            ConfigError: The text has another form, or the deck cannot be dealt to two players.
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
        """Return the deck made up of the given cards.

        Raises:
            ConfigError: The cards cannot be dealt to two players.
        """
        return cls(tuple(map(cards.count, range(len(RANKS)))))

    @property
    def size(self) -> int:
        """Number of cards."""
        return sum(self.counts)

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """All cards in ascending order."""
        return tuple(rank for rank, count in enumerate(self.counts) for _ in range(count))

    def shuffled(self, seed: int) -> tuple[int, ...]:
        """Return the deck shuffled with the generator of `seed` (`big2_env.base.rng`)."""
        cards = list(self.cards)
        SplitMix64(seed).shuffle(cards)
        return tuple(cards)

    def deal(self, seed: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the two hands of a seed, front card first. Seat 0 gets the first half of the shuffled deck."""
        return self.halves(self.shuffled(seed))

    def halves(self, cards: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Split an ordered deck into two hands.

        Raises:
            ConfigError: The cards do not make up this deck.
        """
        if sorted(cards) != list(self.cards):
            raise ConfigError(f"expected the cards of the deck {self}, got {quoted(cards_text(cards))}")
        return tuple(cards[: self.size // 2]), tuple(cards[self.size // 2 :])


def deck_order(text: str) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return the two hands of an ordered 54-card deck given as text, or `None` if the text does not list single cards.

    A text counts as a list of cards if it has several words and no "x" as in `2x4`.

    Raises:
        NotationError: A word is not a rank, or the text is too long.
        ConfigError: The cards do not make up the 54-card deck.

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
"""Decks by name. The article's program uses 54 cards; its prose makes the jokers optional."""
