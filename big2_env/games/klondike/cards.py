"""Cards of Klondike: numbers 0 to 51, `suit * 13 + rank`, suits club, diamond, heart, spade, ranks ace (0) to king (12)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from big2_env.errors import ConfigError, NotationError, quoted
from big2_env.rng import SplitMix64

NUM_CARDS: Final = 52
NUM_SUITS: Final = 4
NUM_RANKS: Final = 13
KING: Final = NUM_RANKS - 1
RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
MAX_TEXT: Final = 1000
"""Most characters of a text of cards."""

_CARDS: Final = {f"{rank}{suit}": s * NUM_RANKS + r for s, suit in enumerate(SUITS) for r, rank in enumerate(RANKS)}
_TEXTS: Final = {card: text for text, card in _CARDS.items()}


def card_text(card: int) -> str:
    """A card as people write it.

    >>> card_text(0), card_text(9), card_text(51)
    ('AC', 'TC', 'KS')
    """
    return _TEXTS[card]


def parse_card(text: str) -> int:
    """The card of a text: rank and suit, `AC`, `TD` or `10D`, in either case.

    Raises:
        NotationError: it is none.
    """
    card = _CARDS.get(text.upper().replace("10", "T", 1)) if len(text) <= 3 else None
    if card is None:
        raise NotationError(f"expected a card, a rank of {RANKS} with a suit of {SUITS}, got {quoted(text)}")
    return card


def cards_text(cards: Iterable[int]) -> str:
    """Cards as people write them, with spaces between."""
    return " ".join(map(card_text, cards))


def parse_cards(text: str) -> tuple[int, ...]:
    """The cards of a text, in its order.

    Raises:
        NotationError: a word that is no card, or a text that is too long.
    """
    if len(text) > MAX_TEXT:
        raise NotationError(f"the text of cards is too long: {len(text):,} characters (limit {MAX_TEXT:,})")
    return tuple(map(parse_card, text.split()))


def check_deck(cards: Sequence[int]) -> tuple[int, ...]:
    """The cards as a tuple.

    Raises:
        ConfigError: they are not each of the 52 once.
    """
    if sorted(cards) != list(range(NUM_CARDS)):
        missing = [card for card in range(NUM_CARDS) if card not in cards]
        raise ConfigError(
            f"expected a deck with each of the 52 cards once, got {len(cards)} cards, {len(missing)} of the 52 missing"
            + (f" (missing: {cards_text(missing[:3])}{' ...' if len(missing) > 3 else ''})" if missing else "")
        )
    return tuple(cards)


def shuffled(seed: int) -> tuple[int, ...]:
    """The deck shuffled by the stream of `seed` (`big2_env.rng`)."""
    cards = list(range(NUM_CARDS))
    SplitMix64(seed).shuffle(cards)
    return tuple(cards)


def suit_of(card: int) -> int:
    """0 to 3: club, diamond, heart, spade."""
    return card // NUM_RANKS


def rank_of(card: int) -> int:
    """0 to 12: ace to king."""
    return card % NUM_RANKS


def is_black(card: int) -> bool:
    """Whether the card is a club or a spade."""
    return suit_of(card) % 3 == 0


def fits_pile(card: int, onto: int | None) -> bool:
    """Whether a card may be put onto the last card of a pile, `None` for an empty pile.

    >>> fits_pile(parse_card("5H"), parse_card("6S")), fits_pile(parse_card("5H"), parse_card("6D")), fits_pile(51, None)
    (True, False, True)
    """
    if onto is None:
        return rank_of(card) == KING
    return rank_of(card) + 1 == rank_of(onto) and is_black(card) != is_black(onto)
