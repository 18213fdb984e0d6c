"""The decompositions of a hand: by places (`slot_decompositions`) or by ranks (`rank_decompositions`)."""

from __future__ import annotations

from typing import Any

from big2_agents.compiled.counts import counts_of_cards
from big2_agents.compiled.outlook import look_out
from big2_agents.compiled.rank_decompositions import (
    best_hold_of_counts,
    best_of_counts,
    carry_best,
    counts_go_out,
    decompose_counts,
)
from big2_agents.compiled.slot_decompositions import best_hold_of_cards, best_of_cards, cards_go_out, decompose_cards
from big2_agents.compiled.track import unseen_by
from big2_env.kernels.bits import by_type, inner
from big2_env.kernels.cardsets import get
from big2_env.kernels.tables import Tables


def shown_of(t: Tables, cards: Any) -> Any:
    """Cards as the decompositions take them: as they are, or as numbers by value."""


@by_type(shown_of)
def _shown_by_type(t: Any, cards: Any) -> Any:
    if "action_slots" in t.fields:
        return lambda t, cards: cards
    return lambda t, cards: counts_of_cards(t, cards)


def decompose(t: Tables, h: Any, hand: Any) -> None:
    """Find the decompositions of a hand, after `look_out`."""


@by_type(decompose)
def _decompose_by_type(t: Any, h: Any, hand: Any) -> Any:
    parted = decompose_cards if "action_slots" in t.fields else decompose_counts
    return lambda t, h, hand: parted(t, h, hand)


def best_decomposition(t: Tables, h: Any, shown: Any) -> Any:
    """The best decomposition of some cards of the hand: (utility, run)."""


@by_type(best_decomposition)
def _best_by_type(t: Any, h: Any, shown: Any) -> Any:
    best = best_of_cards if "action_slots" in t.fields else best_of_counts
    return lambda t, h, shown: best(t, h, shown)


def goes_out(t: Tables, h: Any, shown: Any) -> Any:
    """Whether some cards of the hand are plays of which at most one can be covered."""


@by_type(goes_out)
def _goes_out_by_type(t: Any, h: Any, shown: Any) -> Any:
    found = cards_go_out if "action_slots" in t.fields else counts_go_out
    return lambda t, h, shown: found(t, h, shown)


def best_hold(t: Tables, h: Any, category: Any, shown: Any) -> Any:
    """The best hold of a play of a category that some cards of the hand have, 0 without one."""


@by_type(best_hold)
def _best_hold_by_type(t: Any, h: Any, category: Any, shown: Any) -> Any:
    best = best_hold_of_cards if "action_slots" in t.fields else best_hold_of_counts
    return lambda t, h, category, shown: best(t, h, category, shown)


@inner
def think(t: Tables, g: Any, left: Any, h: Any) -> None:
    """Everything that the acts of the seat to move share. `left` holds the cards of each seat."""
    look_out(t, g, left, unseen_by(t, g, g.turn), h)
    decompose(t, h, get(g.hands, g.turn))


def refine(t: Tables, g: Any, h: Any, c: Any, i: Any) -> None:
    """Let a candidate carry the kickers that the hand needs least, where it carries any."""


@by_type(refine)
def _refine_by_type(t: Any, g: Any, h: Any, c: Any, i: Any) -> Any:
    if "action_slots" in t.fields:
        return lambda t, g, h, c, i: None
    return lambda t, g, h, c, i: carry_best(t, g, h, c, i)
