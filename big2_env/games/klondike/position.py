"""A position of Klondike as a value: the rules read and make positions, and forget none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from big2_env.errors import ConfigError
from big2_env.games.klondike.actions import NUM_PILES
from big2_env.games.klondike.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS, card_text, check_deck, fits_pile

WINDOW: Final = 3
"""How many of the last dealt cards may be taken."""
DEALER_BONUS: Final = 35
TABLEAU_BONUS: Final = 20
"""What each card that is left in the dealer area and in the tableau adds to the score of a won game."""

Cards = tuple[int, ...]


class KlondikePosition(NamedTuple):
    """All there is to a position, face-down cards included."""

    piles: tuple[Cards, ...]
    """The seven piles of the tableau, each from its lowest card to the one on top."""
    down: Cards
    """How many cards of each pile lie face down; they are its lowest ones."""
    dealer: Cards
    """The cards of the dealer area 發牌區, in the order of dealing."""
    dealt: int
    """How many of them are dealt: the first so many. The last three of those may be taken."""
    seen: int
    """How many of them have been dealt at some time since they are there: the first so many."""
    foundations: Cards
    """How many cards lie on each foundation 結算牌堆, by suit: ace first, so the next one's rank is this number."""
    score: int
    """What the moves have brought."""

    @classmethod
    def deal(cls, deck: Sequence[int]) -> KlondikePosition:
        """The beginning: pile 1 gets the first card of the deck, pile 2 the next 2, ..., the dealer area the last 24.

        Raises:
            ConfigError: not each of the 52 cards once.
        """
        cards = check_deck(deck)
        starts = [pile * (pile + 1) // 2 for pile in range(NUM_PILES + 1)]
        piles = tuple(cards[starts[pile] : starts[pile + 1]] for pile in range(NUM_PILES))
        return cls(piles, tuple(range(NUM_PILES)), cards[starts[-1] :], 0, 0, (0,) * NUM_SUITS, 0)

    @property
    def window(self) -> Cards:
        """The cards that may be taken from the dealer area, the newest last."""
        return self.dealer[max(0, self.dealt - WINDOW) : self.dealt]

    @property
    def is_won(self) -> bool:
        """Whether every card of the tableau lies face up: the game is declared done, and could always be finished."""
        return not any(self.down)

    @property
    def final_score(self) -> int:
        """The score, and what the cards left add to it once the game is won."""
        if not self.is_won:
            return self.score
        return self.score + DEALER_BONUS * len(self.dealer) + TABLEAU_BONUS * sum(map(len, self.piles))

    def checked(self) -> KlondikePosition:
        """The position itself.

        Raises:
            ConfigError: no game can come to it: cards twice, face-up cards that do not fit, counts out of range.
        """
        if len(self.piles) != NUM_PILES or len(self.down) != NUM_PILES or len(self.foundations) != NUM_SUITS:
            raise ConfigError(f"expected 7 piles and 4 foundations, got {len(self.piles)} and {len(self.foundations)}")
        if not all(0 <= count <= NUM_RANKS for count in self.foundations):
            raise ConfigError(f"expected 0 to {NUM_RANKS} cards on each foundation, got {self.foundations}")
        up = [suit * NUM_RANKS + rank for suit, count in enumerate(self.foundations) for rank in range(count)]
        check_deck([*up, *self.dealer, *(card for pile in self.piles for card in pile)])
        if not 0 <= self.dealt <= self.seen <= len(self.dealer) <= NUM_CARDS - sum(range(1, NUM_PILES + 1)):
            raise ConfigError(
                f"expected at most 24 cards in stock and waste, each dealt and seen at most once, got {self.dealt} dealt, "
                f"{self.seen} seen of {len(self.dealer)}"
            )
        if any(down > most for down, most in zip(sorted(self.down), range(NUM_PILES), strict=True)):
            raise ConfigError(f"expected at most 0 to 6 face-down cards in the seven piles, got {self.down}")
        for number, (pile, down) in enumerate(zip(self.piles, self.down, strict=True), start=1):
            if down < 0 or (pile and down >= len(pile)) or (down and not pile):
                raise ConfigError(f"pile {number}: expected a card face up, got {down} of {len(pile)} cards face down")
            for onto, card in zip(pile[down:], pile[down + 1 :], strict=False):
                if not fits_pile(card, onto):
                    raise ConfigError(f"pile {number}: {card_text(card)} lies on {card_text(onto)}, which it does not fit")
        return self
