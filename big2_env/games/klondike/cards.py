"""Cards of Klondike and acts, as numbers and as text.

Cards are 0 to 51, `suit * 13 + rank`, suits club, diamond, heart, spade, ranks ace (0) to king (12).

| act | meaning | text |
| --- | --- | --- |
| 0 | deal one: the next card of the dealer area is dealt; after the last one they all lie undealt again | `deal` |
| `1 + 8 * card + p`, p 0 to 6 | move the card, with all that lies on it, onto pile p + 1 | `KH>3` |
| `1 + 8 * card + 7` | move the card onto the foundation of its suit | `AH>F` |

A card is in one place only, so an act need not name where it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final, NamedTuple

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


NUM_PILES: Final = 7
FOUNDATION: Final = NUM_PILES
"""The target of an act that is no pile."""
DEAL: Final = 0
MAX_ACTS: Final = 10_000
"""Most acts of a text."""
NUM_ACTS: Final = 1 + NUM_CARDS * (NUM_PILES + 1)


class CardMove(NamedTuple):
    """What an act other than the deal moves."""

    card: int
    target: int
    """0 to 6 for the piles, or `FOUNDATION`."""


def act_of(card: int, target: int) -> int:
    """The act of moving a card to a pile, 0 to 6, or `FOUNDATION`."""
    return 1 + card * (NUM_PILES + 1) + target


def move_of(act: int) -> CardMove | None:
    """What an act moves, `None` for the deal.

    Raises:
        ConfigError: no act has that number.
    """
    if not 0 <= act < NUM_ACTS:
        raise ConfigError(f"expected an act of 0 to {NUM_ACTS - 1}, got {act}")
    return None if act == DEAL else CardMove(*divmod(act - 1, NUM_PILES + 1))


def act_text(act: int) -> str:
    """An act in notation.

    >>> act_text(DEAL), act_text(act_of(51, 2)), act_text(act_of(0, FOUNDATION))
    ('deal', 'KS>3', 'AC>F')
    """
    move = move_of(act)
    if move is None:
        return "deal"
    return f"{card_text(move.card)}>{'F' if move.target == FOUNDATION else move.target + 1}"


def parse_act(text: str) -> int:
    """The act of a text.

    Raises:
        NotationError: it is none.
    """
    if text.lower() == "deal":
        return DEAL
    card, arrow, target = text.partition(">")
    targets = {str(pile + 1): pile for pile in range(NUM_PILES)} | {"F": FOUNDATION, "f": FOUNDATION}
    if not arrow or target not in targets:
        raise NotationError(f"expected an act: deal, CARD>1 to CARD>{NUM_PILES} or CARD>F, as in KH>3, got {quoted(text)}")
    return act_of(parse_card(card), targets[target])


def acts_text(acts: Iterable[int]) -> str:
    """Acts in notation, with a number for deals that follow each other.

    >>> acts_text([DEAL, act_of(51, 2), DEAL, DEAL, DEAL])
    'deal KS>3 deal*3'
    """
    groups = [(act, len(list(group))) for act, group in groupby(acts)]
    return " ".join(f"deal*{number}" if act == DEAL and number > 1 else act_text(act) for act, number in groups)


def parse_acts(text: str) -> tuple[int, ...]:
    """The acts of a text, deals one by one or as `deal*3`.

    Raises:
        NotationError: a word that is no act, or too many acts.
    """
    acts: list[int] = []
    for word in text.split():
        name, _, number = word.partition("*")
        times = int(number) if number.isascii() and number.isdigit() and len(number) <= len(str(MAX_ACTS)) else 0
        acts += [DEAL] * min(times, MAX_ACTS + 1) if times and name.lower() == "deal" else [parse_act(word)]
        if len(acts) > MAX_ACTS:
            raise NotationError(f"too many acts (limit {MAX_ACTS:,})")
    return tuple(acts)
