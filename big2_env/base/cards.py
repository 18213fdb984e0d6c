"""Cards, card sets and decks, with their notation `<suit>[<rank>]`.

A card is an int. In the 52-card deck it is `rank * 4 + suit`, with ranks 0..12 for 3..2 and suits 0..3 for C D H S. The little
joker is 52, the big joker 53. A second deck adds 54 to each id. Ids do not determine the value of a card; rulesets do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, reduce
from operator import index, or_
from typing import Final, TypeAlias

from big2_env.base.enums import Named
from big2_env.base.errors import NotationError, quoted
from big2_env.base.rng import SplitMix64
from big2_env.base.validated import Checked


class Rank(Named, IntEnum):
    """Rank of a card (數字, 点数), in the order of the ids. Each joker is a rank of its own."""

    THREE = 0
    FOUR = 1
    FIVE = 2
    SIX = 3
    SEVEN = 4
    EIGHT = 5
    NINE = 6
    TEN = 7
    JACK = 8
    QUEEN = 9
    KING = 10
    ACE = 11
    TWO = 12
    LITTLE_JOKER = 13
    BIG_JOKER = 14


class Suit(Named, IntEnum):
    """Suit of a card (花色), in the order of the ids."""

    CLUB = 0
    DIAMOND = 1
    HEART = 2
    SPADE = 3


RANK_NAMES: Final = ("3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "2", "LJ", "BJ")
SUIT_NAMES: Final = ("C", "D", "H", "S")
NUM_FACES: Final = 54
"""Number of different cards in a deck with both jokers."""
NUM_CARDS: Final = 2 * NUM_FACES
"""Number of card ids: two decks with jokers."""


def _face_name(face: int) -> str:
    if face >= 52:
        return RANK_NAMES[Rank.LITTLE_JOKER + face - 52]
    return f"{SUIT_NAMES[face % 4]}[{RANK_NAMES[face // 4]}]"


_NAMES: Final = tuple(_face_name(card % NUM_FACES) for card in range(NUM_CARDS))
_FACES: Final = {name: face for face, name in enumerate(_NAMES[:NUM_FACES])}


class Card(int):
    """One card, as an int. `str` gives its notation.

    Args:
        card: Notation, such as `"S[3]"`, or an id.

    Raises:
        NotationError: The text is not a card, or the id is outside 0..107.

    >>> Card("S[3]"), int(Card("S[3]")), str(Card(3))
    (Card('S[3]'), 3, 'S[3]')
    """

    __slots__ = ()

    def __new__(cls, card: int | str) -> Card:
        """Create a card from its notation or id.

        Args:
            card: Notation, such as `"S[3]"`, or an id.
        """
        if isinstance(card, str):
            face = _FACES.get(card)
            if face is None:
                raise NotationError(
                    f"expected a card <suit>[<rank>] with suit {' '.join(SUIT_NAMES)} and rank {' '.join(RANK_NAMES[:13])}, "
                    f"or {' or '.join(RANK_NAMES[13:])}, got {quoted(card)}"
                )
            return int.__new__(cls, face)
        if not 0 <= index(card) < NUM_CARDS:
            raise NotationError(f"expected a card id of 0 to {NUM_CARDS - 1}, got {card}")
        return int.__new__(cls, card)

    @property
    def face(self) -> int:
        """Id of the card within one deck, 0..53."""
        return int(self) % NUM_FACES

    @property
    def rank(self) -> Rank:
        """Rank of the card."""
        face = self.face
        return Rank(face // 4) if face < 52 else Rank(Rank.LITTLE_JOKER + face - 52)

    @property
    def suit(self) -> Suit | None:
        """Suit of the card, or None for a joker."""
        face = self.face
        return Suit(face % 4) if face < 52 else None

    def __str__(self) -> str:
        return _NAMES[self]

    def __repr__(self) -> str:
        return f"Card({_NAMES[self]!r})" if self < NUM_FACES else f"Card({int(self)})"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


CARDS: Final = tuple(Card(i) for i in range(NUM_CARDS))
"""Every card by its id."""


def parse_cards(text: str) -> list[Card]:
    """Return the cards of a text, in the order given.

    Raises:
        NotationError: A token is not a card.
    """
    return [Card(token) for token in text.split()]


class CardSet(Set[Card]):
    """Immutable set of cards, stored as a bit mask: bit i is card i.

    Args:
        cards: A mask, a text, or cards.

    Raises:
        NotationError: A card is unknown or repeated.

    >>> hand = CardSet("S[3] C[3] D[4]")
    >>> hand, str(hand - CardSet("C[3]")), len(hand), Card("D[4]") in hand
    (CardSet('C[3] S[3] D[4]'), 'S[3] D[4]', 3, True)
    """

    __slots__ = ("mask",)
    mask: int
    """Cards as a bit mask."""

    def __init__(self, cards: CardsLike = 0) -> None:
        self.mask = as_mask(cards)

    @classmethod
    def _from_iterable(cls, it: Iterable[Card]) -> CardSet:  # type: ignore[override]
        found = cls()
        for card in it:
            found.mask |= 1 << card
        return found

    def __contains__(self, card: object) -> bool:
        return isinstance(card, int) and 0 <= card < NUM_CARDS and bool(self.mask >> card & 1)

    def __iter__(self) -> Iterator[Card]:
        return iter_cards(self.mask)

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CardSet) and self.mask == other.mask

    def __hash__(self) -> int:
        return hash((CardSet, self.mask))

    def __str__(self) -> str:
        return " ".join(_NAMES[card] for card in iter_cards(self.mask))

    def __repr__(self) -> str:
        return f"CardSet({str(self)!r})" if self.mask < 1 << NUM_FACES else f"CardSet({self.mask:#x})"


CardsLike: TypeAlias = "int | str | CardSet | Iterable[int]"
"""Any representation of a set of cards: a bit mask, a text, a `CardSet`, or card ids."""


def as_mask(cards: CardsLike, hand: int = 0) -> int:
    """Return the bit mask of a set of cards in any representation.

    Args:
        cards: A mask, a text, a `CardSet`, or card ids.
        hand: Cards that decide the copy of a card in a text: the second one if only that is left.

    Raises:
        NotationError: A card is unknown or repeated, or the mask has bits past the last card.
    """
    if isinstance(cards, CardSet):
        return cards.mask
    if isinstance(cards, Card):
        return 1 << cards
    if isinstance(cards, int):
        if not 0 <= cards < 1 << NUM_CARDS:
            raise NotationError(f"expected a card mask with bits 0 to {NUM_CARDS - 1}, got {cards:#x}")
        return cards
    mask = 0
    for given in parse_cards(cards) if isinstance(cards, str) else cards:
        card = given if isinstance(given, Card) else Card(given)
        bit = 1 << card
        if isinstance(cards, str) and not hand & bit & ~mask and hand & bit << NUM_FACES:
            bit <<= NUM_FACES
        if mask & bit:
            raise NotationError(f"{card} is given twice")
        mask |= bit
    return mask


def iter_cards(mask: int) -> Iterator[Card]:
    """Yield the cards of a mask, ascending by id. The mask is not checked."""
    while mask:
        low = mask & -mask
        yield CARDS[low.bit_length() - 1]
        mask ^= low


def union(masks: Iterable[int]) -> int:
    """Return the cards of several masks."""
    return reduce(or_, masks, 0)


@dataclass(frozen=True)
class Deck(Checked):
    """Set of cards of a game: one or two copies of the 52 cards, with or without jokers.

    Args:
        copies: Number of copies, 1 or 2.
        jokers: True to include two jokers per copy.
        without: Cards to remove, ascending by id; only from a single copy.

    Raises:
        NotationError: The number of copies is not 1 or 2, or the removed cards are not in the deck or not ascending.

    >>> DECK_52.size, Deck(copies=2, jokers=True).size, Deck(without=(Card("S[A]"),)).size
    (52, 108, 51)
    """

    copies: int = 1
    jokers: bool = False
    without: tuple[Card, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.copies not in (1, 2):
            raise NotationError(f"expected a deck of 1 or 2 copies, got {self.copies}")
        if self.without and self.copies > 1:
            raise NotationError("cards can be taken out of a deck of one copy only")
        last = NUM_FACES if self.jokers else 52
        if list(self.without) != sorted({card for card in self.without if 0 <= card < last}):
            given = " ".join(map(str, self.without))
            raise NotationError(f"expected cards of the deck to take out, ascending and each once, got {given}")
        if len(self.without) == last:
            raise NotationError("no card is left in the deck")

    @classmethod
    def of(cls, cards: CardsLike) -> Deck:
        """Return the deck with exactly these cards.

        Raises:
            NotationError: The cards are unknown, repeated or of a second deck, or no card is left.

        >>> Deck.of("C[3] S[A]").size
        2
        """
        mask = as_mask(cards)
        if mask >> NUM_FACES:
            raise NotationError(
                f"expected cards of one deck, with ids 0 to {NUM_FACES - 1}, got {CARDS[mask.bit_length() - 1]!r}"
            )
        jokers = mask >> 52 > 0
        return cls(jokers=jokers, without=tuple(card for card in CARDS[: NUM_FACES if jokers else 52] if not mask >> card & 1))

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """Every card of the deck, ascending by id."""
        faces = range(NUM_FACES if self.jokers else 52)
        return tuple(
            CARDS[copy * NUM_FACES + face] for copy in range(self.copies) for face in faces if face not in self.without
        )

    @cached_property
    def mask(self) -> int:
        """Every card of the deck, as a bit mask."""
        return as_mask(self.cards)

    @property
    def size(self) -> int:
        """Number of cards."""
        return len(self.cards)

    def shuffled(self, seed: int) -> list[Card]:
        """Return the shuffled deck, from bottom to top.

        Args:
            seed: Seed of the random stream (`big2_env.base.rng`).
        """
        cards = list(self.cards)
        SplitMix64(seed).shuffle(cards)
        return cards

    def parse(self, text: str) -> list[Card]:
        """Return the whole deck of a text, from bottom to top. Repeated cards of two decks get their copies in turn.

        Raises:
            NotationError: A card is unknown, repeated or missing.
        """
        cards: list[Card] = []
        copies = dict.fromkeys(self.cards[: self.size // self.copies], 0)
        for card in parse_cards(text):
            if card not in copies:
                raise NotationError(f"{card} is not a card of this {self.size}-card deck")
            if copies[card] == self.copies:
                raise NotationError(f"{card} is given {'twice' if self.copies == 1 else 'three times'}")
            cards.append(CARDS[card + NUM_FACES * copies[card]])
            copies[card] += 1
        for card, count in copies.items():
            if count < self.copies:
                raise NotationError(f"{card} is missing: {len(cards)} of {self.size} cards are given")
        return cards


DECK_52: Final = Deck()
DECK_54: Final = Deck(jokers=True)
DECK_108: Final = Deck(copies=2, jokers=True)
