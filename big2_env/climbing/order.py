"""The order of cards in a game: values of the ranks and order of the suits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from big2_env.base.cards import CARDS, DECK_52, NUM_FACES, Card, Deck, Rank, Suit, iter_cards
from big2_env.base.errors import ConfigError
from big2_env.base.validated import Checked

THREE_TO_TWO: Final = tuple(Rank(r) for r in range(13))
"""3 < 4 < ... < K < A < 2."""


@dataclass(frozen=True)
class CardOrder(Checked):
    """Strict order of a deck's cards, by value of the rank and then by suit.

    Args:
        deck: Cards of the game.
        ranks: Every rank of the deck, from lowest to highest value.
        suits: The four suits, from lowest to highest.

    Raises:
        ConfigError: A rank or a suit is missing or repeated.

    >>> order = CardOrder()
    >>> [str(card) for card in order.sort(DECK_52.mask)][-2:]
    ['H[2]', 'S[2]']
    """

    deck: Deck = DECK_52
    ranks: tuple[Rank, ...] = THREE_TO_TWO
    suits: tuple[Suit, ...] = (Suit.CLUB, Suit.DIAMOND, Suit.HEART, Suit.SPADE)

    def __post_init__(self) -> None:
        super().__post_init__()
        ranks = {card.rank for card in self.deck.cards}
        if sorted(self.ranks) != sorted(ranks):
            raise ConfigError(f"value order: expected each rank of the deck once, got {[r.name for r in self.ranks]}")
        if sorted(self.suits) != sorted(Suit):
            raise ConfigError(f"suit order: expected each of the four suits once, got {[s.name for s in self.suits]}")

    @cached_property
    def values(self) -> tuple[int, ...]:
        """Value of each rank, indexed by rank; -1 for ranks that the deck lacks."""
        return tuple(self.ranks.index(rank) if rank in self.ranks else -1 for rank in Rank)

    @cached_property
    def suited_ranks(self) -> tuple[Rank, ...]:
        """Ranks with four suits (all but the jokers), from lowest to highest value."""
        return tuple(rank for rank in self.ranks if rank <= Rank.TWO)

    @cached_property
    def suit_values(self) -> tuple[int, ...]:
        """Place of each suit in the order, indexed by suit."""
        return tuple(self.suits.index(suit) for suit in Suit)

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """All cards of the deck, ascending. Copies of the same card are ordered by id."""

        def key(card: Card) -> tuple[int, int, int]:
            suit = 0 if card.suit is None else self.suit_values[card.suit]
            return self.values[card.rank], suit, int(card)

        return tuple(sorted(self.deck.cards, key=key))

    @cached_property
    def highest_faces(self) -> int:
        """The highest card with its copies, as a mask."""
        face = self.cards[-1] % NUM_FACES
        return sum(1 << card for card in self.cards if card % NUM_FACES == face)

    @cached_property
    def positions(self) -> tuple[int, ...]:
        """Place of each card in `cards`, indexed by card id; -1 for cards that the deck lacks."""
        places = [-1] * len(CARDS)
        for position, card in enumerate(self.cards):
            places[card] = position
        return tuple(places)

    @cached_property
    def rank_masks(self) -> tuple[int, ...]:
        """Cards of each rank as a mask, indexed by rank; 0 for ranks that the deck lacks."""
        masks = [0] * len(Rank)
        for card in self.deck.cards:
            masks[card.rank] |= 1 << card
        return tuple(masks)

    @cached_property
    def suit_masks(self) -> tuple[int, ...]:
        """Cards of each suit as a mask, from lowest to highest suit, without jokers."""
        return tuple(sum(1 << card for card in self.deck.cards if card.suit is suit) for suit in self.suits)

    @cached_property
    def is_by_id(self) -> bool:
        """True if ascending cards have ascending ids."""
        return list(self.cards) == sorted(self.cards)

    def sort(self, cards: int | Iterable[Card]) -> list[Card]:
        """Return cards in ascending order.

        Args:
            cards: A bit mask, or an iterable of cards.
        """
        found = iter_cards(cards) if isinstance(cards, int) else cards
        if self.is_by_id and isinstance(cards, int):
            return list(found)
        return sorted(found, key=self.positions.__getitem__)

    def lowest(self, mask: int) -> Card:
        """Return the lowest card of a mask that is not empty."""
        if self.is_by_id:
            return next(iter_cards(mask))
        return min(iter_cards(mask), key=self.positions.__getitem__)
