"""What a game pays at its end. The same settlements as `climbing/settlement.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.dialect.bits import lowest_bit, popcount
from big2_env.kernels.dialect.cardsets import get, without_lowest
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.optional_parts import landlord_of, part_payoff
from big2_env.kernels.tables import PAIRWISE, PENALTY, Tables


@kernel
def cost(tab: Tables, hand: Any) -> Any:
    """What the cards left of a hand cost, where one seat wins: float64; 0 for none."""
    total = tab.penalty[0, popcount(hand)] if hand else 0.0
    dear = hand & get(tab.dear_cards, 0)
    while dear:
        total += tab.dear_penalty[lowest_bit(dear)]
        dear = without_lowest(dear)
    return total


@kernel
def payoff(tab: Tables, game: Any, seat: Any) -> Any:
    """What a seat of a game gets at the end, float64; 0 before it."""
    winner, players, total = np.int64(game.winner), np.int64(tab.num_players), 0.0
    if winner < 0:
        return 0.0
    if tab.settlement == PAIRWISE:
        for other in range(players):
            total += cost(tab, get(game.hands, other))
        return total - players * cost(tab, get(game.hands, seat))
    if tab.settlement != PENALTY:
        return part_payoff(tab, game, seat)
    landlord = np.int64(landlord_of(game))
    if landlord < 0 or winner == landlord:  # the winner plays alone
        if seat != winner:
            return -tab.penalty[0, popcount(get(game.hands, seat))]
        for other in range(players):
            if other != winner:
                total += tab.penalty[0, popcount(get(game.hands, other))]
        return total
    if seat == landlord:
        return -tab.penalty[1, popcount(get(game.hands, seat))]
    return tab.penalty[1, popcount(get(game.hands, landlord))] / (players - 1)
