"""Acts as numbers, 417 of them.

| ids | act | notation |
| --- | --- | --- |
| 0 | deal one: the next card of the dealer area is dealt; after the last one they all lie undealt again | `deal` |
| `1 + 8 * card + p`, p 0 to 6 | move the card, with all that lies on it, onto pile p + 1 | `KH>3` |
| `1 + 8 * card + 7` | move the card onto the foundation of its suit | `AH>F` |

A card lies in one place only, so an act need not say where it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Final, NamedTuple

from big2_env.errors import ConfigError, NotationError, quoted
from big2_env.games.klondike.cards import NUM_CARDS, card_text, parse_card

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
