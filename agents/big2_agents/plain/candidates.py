"""Candidate acts of a seat: its legal acts with those merged between which there is nothing to choose.

The same in the same order as `compiled.plays` lists.
"""

from __future__ import annotations

from typing import NamedTuple

from big2_agents.plain.rank_plays import RankRow, RankRows
from big2_agents.plain.slot_rows import SlotRow, SlotRows
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.view import View


class Candidate(NamedTuple):
    """An act that may be made."""

    play: Play
    cards: int
    """Its cards as the ruleset's rows list them; none for the pass and in an auction."""
    row: SlotRow | RankRow | None
    """Its shape; `None` for the pass and in an auction."""


def candidate_of(rows: SlotRows | RankRows, row: SlotRow | RankRow, cards: int, power: int) -> Candidate:
    """The candidate that puts down some cards as a row."""
    return Candidate(Play(row.pattern, rows.mask(cards), row.category, power), cards, row)


def list_candidates(rows: SlotRows | RankRows, view: View) -> list[Candidate]:
    """The candidates of the seat to move, the pass last where it is legal, which in an auction says no."""
    if view.bidding:
        return [*(Candidate(call, 0, None) for call in view.calls), Candidate(PASS, 0, None)]
    top = view.top
    plays = rows.plays(rows.inner(view.hand), (top.category, top.power) if top else None, rows.inner(view.obligation))
    found = [candidate_of(rows, one.row, one.cards, one.power) for one in plays]
    if top and not (view.ruleset.must_cover and found):
        found.append(Candidate(PASS, 0, None))
    return found
