"""The published check 還有活路 ("is there still a way?"), with the reason for its answer.

The check looks one move ahead and can be wrong both ways; `solver.py` gives exact answers. It ignores kings that could move to
empty piles, moves of partial runs, and cards on the foundations. It answers "no" for a game with all cards on the foundations.
Source: day 29 of the article series by kabuto412rock (ithelp 2023).
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from big2_env.games.klondike.cards import KING, NUM_CARDS, NUM_RANKS, card_text, is_black, rank_of
from big2_env.games.klondike.position import KlondikePosition


class Branch(StrEnum):
    """Rule of the check that gave the answer."""

    ACE = "the last card of a pile is an ace"
    DEALER_FITS = "a card of the dealer area fits a pile"
    RUN_FITS = "a pile's face-up cards can move as a whole"
    FOUNDATION = "the next card of a foundation is within reach"
    NOTHING = "nothing found"


class Alive(NamedTuple):
    """Answer of the check. It is true if a useful move may exist; the fields give the reason."""

    alive: bool
    branch: Branch
    card: int | None
    """Deciding card: an exposed ace, a card that accepts another, the lowest card of a run, or the next card of a suit."""
    pile: int | None
    """Pile of the deciding card, 0 to 6; `None` if it is not in a pile."""

    def __bool__(self) -> bool:
        return self.alive

    def __str__(self) -> str:
        where = "" if self.card is None else f" ({card_text(self.card)})"
        return f"{'yes' if self.alive else 'no'}: {self.branch}{where}"


def neighbours(card: int, step: int) -> tuple[int, ...]:
    """Return the two cards of the other color that are one rank lower (step -1) or higher (+1); empty past ace or king."""
    rank = rank_of(card) + step
    return tuple(
        other for other in range(rank, NUM_CARDS, NUM_RANKS) if 0 <= rank <= KING and is_black(other) != is_black(card)
    )


def published_check(state: KlondikePosition) -> Alive:
    """Return the answer of the article's program for a position. It visits the piles from first to seventh.

    >>> print(published_check(KlondikePosition.deal(range(52))))
    yes: the last card of a pile is an ace (AC)
    """
    last = [pile[-1] if pile else None for pile in state.piles]
    for number, card in enumerate(last):
        if card is None:
            continue
        if rank_of(card) == 0:
            return Alive(True, Branch.ACE, card, number)
        if any(lower in state.dealer for lower in neighbours(card, -1)):
            return Alive(True, Branch.DEALER_FITS, card, number)
    for number, (pile, down) in enumerate(zip(state.piles, state.down, strict=True)):
        if not down or rank_of(pile[down]) == KING:
            continue
        # The program takes the ace of clubs, number 0, for no card at all; an ace is never one that a card fits onto.
        if any(higher in last[:number] + last[number + 1 :] for higher in neighbours(pile[down], 1)):
            return Alive(True, Branch.RUN_FITS, pile[down], number)
    for suit, count in enumerate(state.foundations):
        card = suit * NUM_RANKS + count
        if count < NUM_RANKS and (card in state.dealer or card in last):
            return Alive(True, Branch.FOUNDATION, card, last.index(card) if card in last else None)
    return Alive(False, Branch.NOTHING, None, None)
