"""Positions of Klondike, including hidden cards: values, JSON form, and layout of the solver's keys (`kernels.packed`).

| JSON key | value |
| --- | --- |
| `piles` | the seven piles, each as text with the top card last: `"2C 9H 8S"` |
| `down` | number of face-down cards in each pile; these are its first cards |
| `dealer` | cards of the dealer area in dealing order, as text |
| `foundations` | number of cards on each foundation: clubs, diamonds, hearts, spades |
| `dealt` | number of dealer cards currently dealt; default 0 |
| `seen` | number of dealer cards dealt at least once; default `dealt` |
| `score` | score; default 0 |
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from big2_env.base.errors import ConfigError, NotationError, quoted
from big2_env.base.json_values import parse_object, shown, text_at, texts_at, whole
from big2_env.games.klondike.cards import (
    NUM_CARDS,
    NUM_PILES,
    NUM_RANKS,
    NUM_SUITS,
    card_text,
    cards_text,
    check_deck,
    fits_pile,
    parse_cards,
    rank_of,
    suit_of,
)

WINDOW: Final = 3
"""Number of most recently dealt cards that may be taken."""
DEALER_BONUS: Final = 35
TABLEAU_BONUS: Final = 20
"""Points added for each card left in the dealer area and in the tableau when the game is won."""

Cards = tuple[int, ...]


class KlondikePosition(NamedTuple):
    """Complete position, including face-down cards."""

    piles: tuple[Cards, ...]
    """Seven piles of the tableau, each from its lowest to its top card."""
    down: Cards
    """Number of face-down cards in each pile; these are its lowest cards."""
    dealer: Cards
    """Cards of the dealer area 發牌區, in dealing order."""
    dealt: int
    """Number of dealer cards currently dealt. The last three dealt cards may be taken."""
    seen: int
    """Number of cards, from the start of `dealer`, that have been dealt at least once."""
    foundations: Cards
    """Number of cards on each foundation 結算牌堆, by suit; equal to the rank of the next card, since aces are 0."""
    score: int
    """Points earned by the moves so far, without the final bonus."""

    @classmethod
    def deal(cls, deck: Sequence[int]) -> KlondikePosition:
        """Return the starting position of a deck: pile 1 gets its first card, pile 2 the next 2, the dealer area the last 24.

        Raises:
            ConfigError: The deck does not contain each of the 52 cards once.
        """
        cards = check_deck(deck)
        starts = [pile * (pile + 1) // 2 for pile in range(NUM_PILES + 1)]
        piles = tuple(cards[starts[pile] : starts[pile + 1]] for pile in range(NUM_PILES))
        return cls(piles, tuple(range(NUM_PILES)), cards[starts[-1] :], 0, 0, (0,) * NUM_SUITS, 0)

    @property
    def window(self) -> Cards:
        """Cards that may be taken from the dealer area, most recent last."""
        return self.dealer[max(0, self.dealt - WINDOW) : self.dealt]

    @property
    def is_won(self) -> bool:
        """True if all cards of the tableau are face up. Such a game can always be finished, so it ends here."""
        return not any(self.down)

    @property
    def final_score(self) -> int:
        """Score, including the bonus for remaining cards if the game is won."""
        if not self.is_won:
            return self.score
        return self.score + DEALER_BONUS * len(self.dealer) + TABLEAU_BONUS * sum(map(len, self.piles))

    def checked(self) -> KlondikePosition:
        """Check the position and return it.

        Raises:
            ConfigError: No game can reach it: duplicate cards, face-up cards that do not form a run, or counts out of range.
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
                    raise ConfigError(f"pile {number}: {card_text(card)} is on {card_text(onto)}, which it does not fit")
        return self


KEYS: Final = ("piles", "down", "dealer", "foundations", "dealt", "seen", "score")
MAX_TEXT: Final = 10_000
"""Maximum length of a position in characters."""
MAX_SCORE: Final = 10**6


def position_data(state: KlondikePosition) -> dict[str, Any]:
    """Return a position as JSON values."""
    return {
        "piles": [cards_text(pile) for pile in state.piles],
        "down": list(state.down),
        "dealer": cards_text(state.dealer),
        "foundations": list(state.foundations),
        "dealt": state.dealt,
        "seen": state.seen,
        "score": state.score,
    }


def position_text(state: KlondikePosition) -> str:
    """Return a position as one line of JSON."""
    return json.dumps(position_data(state))


def position_of(data: Any) -> KlondikePosition:
    """Return the position for JSON values.

    Raises:
        NotationError: A key is missing or unknown, or a value has the wrong type.
        ConfigError: No game can reach the position.
    """
    if not isinstance(data, dict):
        raise NotationError(f"expected a position with the keys {', '.join(KEYS)}, got {shown(data)}")
    if wrong := [*(key for key in data if key not in KEYS), *(key for key in KEYS[:4] if key not in data)]:
        fault = "missing" if wrong[0] in KEYS else "unknown"
        needed, others = ", ".join(KEYS[:4]), ", ".join(KEYS[4:])
        raise NotationError(f"position: expected the keys {needed} and {others} if needed; {fault}: {quoted(wrong[0])}")
    piles, dealt = texts_at(data, "piles"), whole(data.get("dealt", 0), "dealt", NUM_CARDS, -NUM_CARDS)
    return KlondikePosition(
        piles=tuple(map(parse_cards, piles)),
        down=_numbers_at(data, "down", NUM_PILES),
        dealer=parse_cards(text_at(data, "dealer")),
        dealt=dealt,
        seen=whole(data.get("seen", dealt), "seen", NUM_CARDS, -NUM_CARDS),
        foundations=_numbers_at(data, "foundations", NUM_SUITS),
        score=whole(data.get("score", 0), "score", MAX_SCORE, -MAX_SCORE),
    ).checked()


def parse_position(text: str) -> KlondikePosition:
    """Return the position for a JSON text. Raises the same errors as `position_of`.

    >>> text = position_text(KlondikePosition.deal(range(52)))
    >>> parse_position(text) == KlondikePosition.deal(range(52))
    True
    """
    return position_of(parse_object(text, MAX_TEXT, "position"))


def _numbers_at(data: dict[str, Any], key: str, number: int) -> tuple[int, ...]:
    values = data[key]
    if not isinstance(values, list) or len(values) != number or not all(type(value) is int for value in values):
        raise NotationError(f"{key}: expected a list of {number} numbers, got {shown(values)}")
    return tuple(values)


PILE_SHIFTS: Final = (0, 1, 3, 5, 8, 11, 14)
PILE_MASKS: Final = (1, 3, 3, 7, 7, 7, 7)
"""Masks of the piles in a key, after shifting by `PILE_SHIFTS`."""
F_SHIFT: Final = 17
D_SHIFT: Final = 33
P_SHIFT: Final = 57
"""Bit offsets of the foundations, the dealer area and the need in a key."""


def bit_of(card: int) -> int:
    """Return the bit number of a card in the search: rank * 4 + suit."""
    return rank_of(card) * 4 + suit_of(card)


def card_of(bit: int) -> int:
    """Return the card for a bit number of the search."""
    return bit % 4 * NUM_RANKS + bit // 4
