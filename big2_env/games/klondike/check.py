"""The published check 還有活路, "is there still a way?", with the branch that answered.

It looks one move ahead and is wrong both ways: `solver.py` tells the truth. Source: the article of day 29 of the
series by kabuto412rock (ithelp 2023). Kings that could go to empty piles, parts of runs, and cards of the foundations do not
count there; a game that is finished on the foundations answers no.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from big2_env.games.klondike.cards import KING, NUM_CARDS, NUM_RANKS, card_text, is_black, rank_of
from big2_env.games.klondike.position import KlondikePosition


class Branch(StrEnum):
    """What in the check answered."""

    ACE = "the last card of a pile is an ace"
    DEALER_FITS = "a card of the dealer area fits a pile"
    RUN_FITS = "a pile's face-up cards can move as a whole"
    FOUNDATION = "the next card of a foundation is within reach"
    NOTHING = "nothing found"


class Alive(NamedTuple):
    """The answer. `bool(answer)` is whether there may be a way; the rest says why."""

    alive: bool
    branch: Branch
    card: int | None
    """The card that decided: the ace, the card that something fits onto, the lowest one of the run, the next one of a suit."""
    pile: int | None
    """Its pile, 0 to 6, where it is one of a pile."""

    def __bool__(self) -> bool:
        return self.alive

    def __str__(self) -> str:
        where = "" if self.card is None else f" ({card_text(self.card)})"
        return f"{'yes' if self.alive else 'no'}: {self.branch}{where}"


def neighbours(card: int, step: int) -> tuple[int, ...]:
    """The two cards of the other colour one rank lower (step -1) or higher (+1), by number; none beyond ace and king."""
    rank = rank_of(card) + step
    return tuple(
        other for other in range(rank, NUM_CARDS, NUM_RANKS) if 0 <= rank <= KING and is_black(other) != is_black(card)
    )


def published_check(state: KlondikePosition) -> Alive:
    """The answer for a position, exactly as the article's program gives it: piles from the first to the seventh.

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
