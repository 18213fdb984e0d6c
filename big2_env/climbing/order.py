"""What cards are worth in a game: the value order of the ranks and the order of the suits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from big2_env.cards import CARDS, DECK_52, Card, Deck, Rank, Suit, iter_cards
from big2_env.checked import Checked
from big2_env.errors import ConfigError

THREE_TO_TWO: Final = tuple(Rank(r) for r in range(13))
"""3 < 4 < ... < K < A < 2."""


@dataclass(frozen=True)
class CardOrder(Checked):
    """The strict order of a deck's cards: by the value of the rank, then by the suit.

    >>> order = CardOrder()
    >>> [str(card) for card in order.sort(DECK_52.mask)][-2:]
    ['H[2]', 'S[2]']
    """

    deck: Deck = DECK_52
    ranks: tuple[Rank, ...] = THREE_TO_TWO
    """From the lowest value to the highest; every rank of the deck once."""
    suits: tuple[Suit, ...] = (Suit.CLUB, Suit.DIAMOND, Suit.HEART, Suit.SPADE)
    """From the lowest to the highest."""

    def __post_init__(self) -> None:
        super().__post_init__()
        ranks = {card.rank for card in self.deck.cards}
        if sorted(self.ranks) != sorted(ranks):
            raise ConfigError(f"value order: expected each rank of the deck once, got {[r.name for r in self.ranks]}")
        if sorted(self.suits) != sorted(Suit):
            raise ConfigError(f"suit order: expected each of the four suits once, got {[s.name for s in self.suits]}")

    @cached_property
    def values(self) -> tuple[int, ...]:
        """The value of each rank, by rank; -1 for a rank that the deck lacks."""
        return tuple(self.ranks.index(rank) if rank in self.ranks else -1 for rank in Rank)

    @cached_property
    def suited_ranks(self) -> tuple[Rank, ...]:
        """The ranks that have four suits (all but the jokers), from the lowest value to the highest."""
        return tuple(rank for rank in self.ranks if rank <= Rank.TWO)

    @cached_property
    def suit_values(self) -> tuple[int, ...]:
        """The place of each suit, by suit."""
        return tuple(self.suits.index(suit) for suit in Suit)

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """Every card of the deck, ascending; equal faces by their copy."""

        def key(card: Card) -> tuple[int, int, int]:
            suit = 0 if card.suit is None else self.suit_values[card.suit]
            return self.values[card.rank], suit, int(card)

        return tuple(sorted(self.deck.cards, key=key))

    @cached_property
    def positions(self) -> tuple[int, ...]:
        """The place of each card in `cards`, by card id; -1 for a card that the deck lacks."""
        places = [-1] * len(CARDS)
        for position, card in enumerate(self.cards):
            places[card] = position
        return tuple(places)

    @cached_property
    def rank_masks(self) -> tuple[int, ...]:
        """The cards of each rank as a mask, by rank; 0 for a rank that the deck lacks."""
        masks = [0] * len(Rank)
        for card in self.deck.cards:
            masks[card.rank] |= 1 << card
        return tuple(masks)

    @cached_property
    def suit_masks(self) -> tuple[int, ...]:
        """The cards of each suit as a mask, from the lowest suit to the highest; no jokers."""
        return tuple(sum(1 << card for card in self.deck.cards if card.suit is suit) for suit in self.suits)

    @cached_property
    def is_by_id(self) -> bool:
        """Whether ascending cards are ascending ids."""
        return list(self.cards) == sorted(self.cards)

    def sort(self, cards: int | Iterable[Card]) -> list[Card]:
        """The cards of a mask or an iterable, ascending."""
        found = iter_cards(cards) if isinstance(cards, int) else cards
        if self.is_by_id and isinstance(cards, int):
            return list(found)
        return sorted(found, key=self.positions.__getitem__)

    def lowest(self, mask: int) -> Card:
        """The lowest card of a non-empty mask."""
        return self.sort(mask)[0]
