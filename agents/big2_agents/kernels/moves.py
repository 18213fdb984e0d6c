"""Compiled players that look only at the legal moves: random, lowest and greedy.

Kernels list moves in the order of `LegalPlays`, so these players make the same moves as the agents of the same names.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.kernels.codes import LOWEST, RANDOM
from big2_env.kernels.dialect.bits import U, below, popcount
from big2_env.kernels.dialect.cardsets import get, word_of
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.legal import game_ids, power_of, read_action
from big2_env.kernels.optional_extras import is_bidding
from big2_env.kernels.tables import Tables


@kernel(inline=True)
def is_lower(cards: Any, other: Any) -> Any:
    """Return True if a set of cards is lower than another one, by the highest card that is in only one set."""
    high, other_high = word_of(cards, 1), word_of(other, 1)
    return high < other_high if high != other_high else word_of(cards, 0) < word_of(other, 0)


@kernel
def is_cheaper(tab: Tables, leads: Any, cards: Any, row: Any, power: Any, than: Any, than_row: Any, than_power: Any) -> Any:
    """Return True if the greedy player prefers a play to another one, given their cards, rows and powers."""
    if leads and tab.row_size[row] != tab.row_size[than_row]:
        return tab.row_size[row] > tab.row_size[than_row]
    bomb, than_bomb = tab.bomb[tab.row_category[row]], tab.bomb[tab.row_category[than_row]]
    if bomb != than_bomb:
        return bomb < than_bomb
    return power < than_power if power != than_power else is_lower(cards, than)


@kernel
def _cheapest(tab: Tables, game: Any, scratch: Any, count: Any) -> Any:
    """Return the greedy move among those listed in `scratch`; it is a pass only if nothing else is legal."""
    hand, leads, best = get(game.hands, game.turn), game.top_category < 0, np.int64(0)
    than, than_row, than_power = hand, np.int64(0), np.int64(0)
    for i in range(count):
        action = np.int64(scratch.ids[i])
        if action:
            cards, row = read_action(tab, game, action)
            power = power_of(tab, row, cards)
            if best == 0 or is_cheaper(tab, leads, cards, row, power, than, than_row, than_power):
                best, than, than_row, than_power = action, cards, row, power
    return best


@kernel(inline=True)
def simple_move(tab: Tables, game: Any, code: Any, number: Any, scratch: Any) -> Any:
    """Return the action id of a simple player's move for the seat to move.

    Args:
        tab: Tables of the ruleset.
        game: The game; other hands are not read.
        code: `RANDOM`, `LOWEST` or `GREEDY`.
        number: For the random player, a uniform uint64.
        scratch: Scratch of the thread.
    """
    count = game_ids(tab, game, scratch)
    if code == RANDOM:
        return np.int64(scratch.ids[U(below(number, count))])
    if code == LOWEST or is_bidding(tab, game):
        return np.int64(scratch.ids[0])
    return _cheapest(tab, game, scratch, count)


@kernel(inline=True)
def cards_held(tab: Tables, game: Any) -> Any:
    """Return the number of cards in all hands."""
    held = np.int64(0)
    for seat in range(tab.num_players):
        held += popcount(get(game.hands, seat))
    return held
