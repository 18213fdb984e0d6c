"""The decompositions of a hand: by places (`slot_decompositions`) or by ranks (`rank_decompositions`)."""

from __future__ import annotations

from typing import Any

from big2_agents.kernels.counts import counts_of_cards
from big2_agents.kernels.outlook import open_outlook
from big2_agents.kernels.rank_decompositions import (
    best_hold_of_counts,
    best_of_counts,
    carry_best,
    counts_go_out,
    decompose_counts,
)
from big2_agents.kernels.slot_decompositions import best_hold_of_cards, best_of_cards, cards_go_out, decompose_cards
from big2_agents.kernels.track import unseen_by
from big2_env.kernels.dialect.cardsets import get
from big2_env.kernels.dialect.features import BY_SLOTS
from big2_env.kernels.dialect.kernel import either, kernel
from big2_env.kernels.tables import Tables


@kernel
def _cards_shown(tab: Tables, cards: Any) -> Any:
    return cards


@kernel
def _nothing_carried(tab: Tables, game: Any, heur: Any, cand: Any, i: Any) -> None:
    pass


as_parts = either(BY_SLOTS, _cards_shown, counts_of_cards)
"""(tab, cards): cards as the decompositions take them, as they are or as numbers by value."""
decompose = either(BY_SLOTS, decompose_cards, decompose_counts)
"""(tab, heur, hand): find the decompositions of a hand, after `open_outlook`."""
best_decomposition = either(BY_SLOTS, best_of_cards, best_of_counts)
"""(tab, heur, shown): the best decomposition of some cards of the hand, as (utility, run)."""
goes_out = either(BY_SLOTS, cards_go_out, counts_go_out)
"""(tab, heur, shown): whether some cards of the hand are plays of which at most one can be covered."""
best_hold = either(BY_SLOTS, best_hold_of_cards, best_hold_of_counts)
"""(tab, heur, category, shown): the best hold of a play of a category that some cards of the hand have, 0 without one."""
pick_kickers = either(BY_SLOTS, _nothing_carried, carry_best)
"""(tab, game, heur, cand, i): let a candidate carry the kickers that the hand needs least, where it carries any."""


@kernel(inline=True)
def open_decision(tab: Tables, game: Any, left: Any, heur: Any) -> None:
    """Everything that the acts of the seat to move share. `left` holds the cards of each seat."""
    open_outlook(tab, game, left, unseen_by(tab, game, game.turn), heur)
    decompose(tab, heur, get(game.hands, game.turn))
