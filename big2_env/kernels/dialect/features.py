"""What kernels are specialised for: the differences between games that their text asks about."""

from __future__ import annotations

from enum import Enum


class Feature(Enum):
    """Something that some games or players have and others lack."""

    BY_SLOTS = "actions are places in the sorted hand; else they are ranks"
    HAS_PARTS = "games have an auction, a draw pile, a lock for the round or captured cards"
    TWO_DECKS = "a set of cards takes two words"
    BY_CARD = "the learned players see the cards one by one; else by rank"
    HEURISTIC_SITS = "some seat has a heuristic player"


BY_SLOTS, HAS_PARTS, TWO_DECKS, BY_CARD, HEURISTIC_SITS = Feature
