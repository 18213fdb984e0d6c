"""The greedy agent for many games at once: an opponent for batch environments, from observations and masks alone."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
import numpy.typing as npt

from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_of
from big2_env.kernels.bits import U, popcount
from big2_env.kernels.compare import power_of
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.legal_slots import row_of, slot_cards
from big2_env.kernels.tables import Tables

Array = npt.NDArray[Any]


@nb.njit(cache=True)
def _greedy_acts(t: Tables, bombs: Any, hand_at: Any, leading_at: Any, observations: Any, masks: Any, actions: Any) -> None:
    """Write the greedy act of each row into `actions`, int64 (M,). `bombs`, int64, is the bomb level of each category."""
    for i in range(len(observations)):
        hand = U(0)
        for place in range(52):
            if observations[i, hand_at + place] != 0:
                hand |= U(1) << U(place)
        leads = observations[i, leading_at] != 0
        actions[i] = 0
        fewest, least_bomb, least_power, least_cards = 0, 0, 0, U(0)
        for action in range(1, masks.shape[1]):
            if masks[i, action] == 0:
                continue
            cards = slot_cards(t, action, hand)
            row = row_of(t, cards)
            size = -popcount(cards) if leads else 0
            bomb, power = bombs[t.row_category[row]], power_of(t, row, cards)
            if actions[i] != 0:
                if size != fewest:
                    is_better = size < fewest
                elif bomb != least_bomb:
                    is_better = bomb < least_bomb
                elif power != least_power:
                    is_better = power < least_power
                else:
                    is_better = cards < least_cards
                if not is_better:
                    continue
            actions[i] = action
            fewest, least_bomb, least_power, least_cards = size, bomb, power, cards


class GreedyBatch:
    """The acts of `GreedyAgent` in a batch: a function `(observations, masks, luck) -> actions`.

    Raises:
        ConfigError: the ruleset cannot be compiled.

    >>> import gymnasium, big2_env
    >>> envs = gymnasium.make_vec("big2/Big2-v0", num_envs=2, mode="seat", opponents=GreedyBatch("big2"))
    """

    def __init__(self, ruleset: str | RuleSet = "big2") -> None:
        rules = ruleset_of(ruleset)
        windows = ObservationLayout(rules).windows
        self._tables = compile_tables(rules)
        self._bombs = np.array([category.bomb for category in rules.table.categories], np.int64)
        self._hand_at, self._leading_at = windows["hand"].start, windows["leading"].start

    def __call__(self, observations: Array, masks: Array, luck: Any = None) -> npt.NDArray[np.int64]:
        """An act for each row, int64 (M,); 0, the pass, only where nothing else is legal. `luck` is not used."""
        actions = np.zeros(len(observations), np.int64)
        _greedy_acts(self._tables, self._bombs, self._hand_at, self._leading_at, observations, masks, actions)
        return actions
