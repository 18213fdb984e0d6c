"""Cards and moves of Klondike, as numbers and as text.

A card is a number from 0 to 51, `suit * 13 + rank`, with suits club, diamond, heart, spade and ranks ace (0) to king (12).

| move | meaning | text |
| --- | --- | --- |
| 0 | turn the next card of the dealer area; after the last card, start over with all of them undealt | `deal` |
| `1 + 8 * card + p`, p 0 to 6 | move the card, with all cards on top of it, onto pile p + 1 | `KH>3` |
| `1 + 8 * card + 7` | move the card to the foundation of its suit | `AH>F` |

A move needs no source, because each card is in one place only. Move numbers are the action ids of the environments.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Final, NamedTuple

from big2_env.base.errors import ConfigError, NotationError, quoted
from big2_env.base.rng import SplitMix64
from big2_env.base.side_game import card_numbers

NUM_CARDS: Final = 52
NUM_SUITS: Final = 4
NUM_RANKS: Final = 13
KING: Final = NUM_RANKS - 1
RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
MAX_TEXT: Final = 1000
"""Maximum length in characters of a text with cards."""

_CARDS: Final = {f"{rank}{suit}": s * NUM_RANKS + r for s, suit in enumerate(SUITS) for r, rank in enumerate(RANKS)}
_TEXTS: Final = {card: text for text, card in _CARDS.items()}


def card_text(card: int) -> str:
    """Return a card as text.

    >>> card_text(0), card_text(9), card_text(51)
    ('AC', 'TC', 'KS')
    """
    return _TEXTS[card]


def parse_card(text: str) -> int:
    """Return the card for a text with rank and suit, such as `AC`, `TD` or `10D`, in upper or lower case.

    Raises:
        NotationError: The text is not a card.
    """
    card = _CARDS.get(text.upper().replace("10", "T", 1)) if len(text) <= 3 else None
    if card is None:
        raise NotationError(f"expected a card, a rank of {RANKS} with a suit of {SUITS}, got {quoted(text)}")
    return card


def cards_text(cards: Iterable[int]) -> str:
    """Return cards as text, separated by spaces."""
    return " ".join(map(card_text, cards))


def parse_cards(text: str) -> tuple[int, ...]:
    """Return the cards in a text, in order.

    Raises:
        NotationError: A word is not a card, or the text is too long.
    """
    if len(text) > MAX_TEXT:
        raise NotationError(f"the text of cards is too long: {len(text):,} characters (limit {MAX_TEXT:,})")
    return tuple(map(parse_card, text.split()))


def check_deck(deck: Iterable[int]) -> tuple[int, ...]:
    """Check a deck and return it as a tuple.

    Raises:
        ConfigError: The deck does not contain each of the 52 cards once.
    """
    cards = card_numbers(deck)
    if sorted(cards) != list(range(NUM_CARDS)):
        missing = [card for card in range(NUM_CARDS) if card not in cards]
        raise ConfigError(
            f"expected a deck with each of the 52 cards once, got {len(cards)} cards, {len(missing)} of the 52 missing"
            + (f" (missing: {cards_text(missing[:3])}{' ...' if len(missing) > 3 else ''})" if missing else "")
        )
    return cards


def shuffled(seed: int) -> tuple[int, ...]:
    """Return the deck shuffled with the generator of `seed` (`big2_env.base.rng`)."""
    cards = list(range(NUM_CARDS))
    SplitMix64(seed).shuffle(cards)
    return tuple(cards)


def suit_of(card: int) -> int:
    """Return the suit: 0 club, 1 diamond, 2 heart, 3 spade."""
    return card // NUM_RANKS


def rank_of(card: int) -> int:
    """Return the rank: 0 (ace) to 12 (king)."""
    return card % NUM_RANKS


def is_black(card: int) -> bool:
    """Return True for clubs and spades."""
    return suit_of(card) % 3 == 0


def fits_pile(card: int, onto: int | None) -> bool:
    """Return True if a card may be placed on `onto`, the last card of a pile, or on an empty pile (`None`).

    >>> fits_pile(parse_card("5H"), parse_card("6S")), fits_pile(parse_card("5H"), parse_card("6D")), fits_pile(51, None)
    (True, False, True)
    """
    if onto is None:
        return rank_of(card) == KING
    return rank_of(card) + 1 == rank_of(onto) and is_black(card) != is_black(onto)


NUM_PILES: Final = 7
FOUNDATION: Final = NUM_PILES
"""Target of a move to a foundation, as opposed to a pile."""
DEAL: Final = 0
MAX_MOVES: Final = 10_000
"""Maximum number of moves in a text."""
NUM_MOVES: Final = 1 + NUM_CARDS * (NUM_PILES + 1)


class CardMove(NamedTuple):
    """Card and target of a move other than a deal."""

    card: int
    target: int
    """0 to 6 for a pile, or `FOUNDATION`."""


def move_of(card: int, target: int) -> int:
    """Return the number of the move that puts a card on a pile (0 to 6) or on its foundation (`FOUNDATION`)."""
    return 1 + card * (NUM_PILES + 1) + target


def card_move(move: int) -> CardMove | None:
    """Return the card and target of a move; `None` for a deal.

    Raises:
        ConfigError: The number is not a move.
    """
    if not 0 <= move < NUM_MOVES:
        raise ConfigError(f"expected an action of 0 to {NUM_MOVES - 1}, got {move}")
    return None if move == DEAL else CardMove(*divmod(move - 1, NUM_PILES + 1))


def move_text(move: int) -> str:
    """Return a move as text.

    >>> move_text(DEAL), move_text(move_of(51, 2)), move_text(move_of(0, FOUNDATION))
    ('deal', 'KS>3', 'AC>F')
    """
    moved = card_move(move)
    if moved is None:
        return "deal"
    return f"{card_text(moved.card)}>{'F' if moved.target == FOUNDATION else moved.target + 1}"


def parse_move(text: str) -> int:
    """Return the move for a text.

    Raises:
        NotationError: The text is not a move.
    """
    if text.lower() == "deal":
        return DEAL
    card, arrow, target = text.partition(">")
    targets = {str(pile + 1): pile for pile in range(NUM_PILES)} | {"F": FOUNDATION, "f": FOUNDATION}
    if not arrow or target not in targets:
        raise NotationError(f"expected a move: deal, CARD>1 to CARD>{NUM_PILES} or CARD>F, as in KH>3, got {quoted(text)}")
    return move_of(parse_card(card), targets[target])


def moves_text(moves: Iterable[int]) -> str:
    """Return moves as text, with a count for consecutive deals.

    >>> moves_text([DEAL, move_of(51, 2), DEAL, DEAL, DEAL])
    'deal KS>3 deal*3'
    """
    groups = [(move, len(list(group))) for move, group in groupby(moves)]
    return " ".join(f"deal*{number}" if move == DEAL and number > 1 else move_text(move) for move, number in groups)


def parse_moves(text: str) -> tuple[int, ...]:
    """Return the moves in a text. Consecutive deals may be written as `deal*3`.

    Raises:
        NotationError: A word is not a move, or there are too many moves.
    """
    moves: list[int] = []
    for word in text.split():
        name, _, number = word.partition("*")
        times = int(number) if number.isascii() and number.isdigit() and len(number) <= len(str(MAX_MOVES)) else 0
        moves += [DEAL] * min(times, MAX_MOVES + 1) if times and name.lower() == "deal" else [parse_move(word)]
        if len(moves) > MAX_MOVES:
            raise NotationError(f"too many moves (limit {MAX_MOVES:,})")
    return tuple(moves)
