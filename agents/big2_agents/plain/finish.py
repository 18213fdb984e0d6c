"""Sure wins: a way to go out that no distribution of the hidden cards can stop. As `compiled.finish` looks for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from big2_agents.plain.candidates import Candidate
from big2_agents.plain.rank_plays import RankRows
from big2_agents.plain.slot_rows import SlotRows
from big2_env.climbing.view import View

DEPTH: Final = 7
"""How many plays ahead a sure win is looked for."""
NODES: Final = 48
"""How many positions are looked at before giving up."""


class Finish:
    """The search for a sure win of the seat to move."""

    def __init__(self, rows: SlotRows | RankRows, view: View) -> None:
        self._rows = rows
        self._hand = rows.inner(view.hand)
        self._unseen = rows.inner(view.unseen)
        self._most = max(left for seat, left in enumerate(view.cards_left) if seat != view.seat)
        self._nodes = NODES

    def find(self, candidates: Sequence[Candidate]) -> int:
        """The candidate that begins a sure win, -1 where none is found."""
        for i, one in enumerate(candidates):
            if one.cards == self._hand:
                return i
        for i, one in enumerate(candidates):
            is_certain = one.row is not None and self._is_certain(one.play.category, one.play.power)
            if is_certain and self._leads_out(self._hand & ~one.cards, DEPTH):
                return i
        return -1

    def _is_certain(self, category: int, power: int) -> bool:
        """True if nobody can cover a play: what covers it takes more cards than the others hold, or is not unseen."""
        return not self._rows.can_be_covered(self._unseen, category, power, self._most)

    def _leads_out(self, hand: int, depth: int) -> bool:
        """True if a leading hand goes out with nothing but its last play coverable."""
        plays = self._rows.plays(hand, None, 0)
        if any(one.cards == hand for one in plays):
            return True
        for one in plays:
            if depth <= 1 or self._nodes <= 0:
                return False
            if self._is_certain(one.row.category, one.power):
                self._nodes -= 1
                if self._leads_out(hand & ~one.cards, depth - 1):
                    return True
        return False


def find_finish(rows: SlotRows | RankRows, view: View, candidates: Sequence[Candidate]) -> int:
    """The candidate that begins a sure win for the seat to move, -1 where none is found.

    Sound for every ruleset; not complete. In an auction, and while there are cards to draw, nothing is sure.
    """
    if view.bidding or view.pile_left:
        return -1
    return Finish(rows, view).find(candidates)
