"""The greedy agent for many games at once: an opponent for batch environments, from observations and masks alone."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
import numpy.typing as npt

from big2_agents.compiled.acts import is_cheaper
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_of
from big2_env.errors import ConfigError
from big2_env.kernels.bits import inner
from big2_env.kernels.cardsets import get, lowest_card, no_cards, without_lowest
from big2_env.kernels.compare import power_of
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.legal import read_action
from big2_env.kernels.tables import Tables

Array = npt.NDArray[Any]


@inner
def _hand_shown(t: Tables, observation: Any, start: Any) -> Any:
    """The hand that an observation shows from an entry on: one for each card of the deck, ascending."""
    deck = get(t.deck, 0)
    hand = no_cards(deck)
    for i in range(t.deck_size):
        if observation[start + i] != 0:
            hand |= lowest_card(deck)
        deck = without_lowest(deck)
    return hand


@inner
def _first_call(t: Tables, mask: Any) -> Any:
    """The first thing that may be said in an auction, -1 outside of one."""
    for action in range(t.first_call, t.num_actions):
        if mask[action] != 0:
            return np.int64(action)
    return np.int64(-1)


@nb.njit(cache=True)
def _greedy_acts(t: Tables, hand_at: Any, leading_at: Any, observations: Any, masks: Any, actions: Any) -> None:
    """Write the greedy act of each row into `actions`, int64 (M,)."""
    for i in range(len(observations)):
        actions[i] = max(_first_call(t, masks[i]), np.int64(0))
        if actions[i]:
            continue
        hand, leads = _hand_shown(t, observations[i], hand_at), observations[i, leading_at] != 0
        than, than_row, than_power = hand, np.int64(0), np.int64(0)
        for action in range(1, t.first_call):
            if masks[i, action] == 0:
                continue
            cards, row = read_action(t, np.int64(action), hand)
            if row < 0:  # a mask that does not go with the hand
                continue
            power = power_of(t, row, cards)
            if actions[i] == 0 or is_cheaper(t, leads, cards, row, power, than, than_row, than_power):
                actions[i], than, than_row, than_power = action, cards, row, power


class GreedyBatch:
    """The acts of `GreedyAgent` in a batch: a function `(observations, masks, draws) -> actions`.

    Raises:
        ConfigError: the ruleset cannot be compiled.

    >>> import gymnasium, big2_env
    >>> envs = gymnasium.make_vec("big2/Big2-v0", num_envs=2, mode="seat", opponents=GreedyBatch("big2"))
    """

    def __init__(self, ruleset: str | RuleSet = "big2", num_players: int | None = None) -> None:
        rules = ruleset_of(ruleset)
        layout = ObservationLayout(rules, num_players or rules.default_players)
        windows, self._size = layout.windows, layout.size
        self._tables = compile_tables(rules, num_players)
        self._hand_at, self._leading_at = windows["hand"].start, windows["leading"].start

    def __call__(self, observations: Array, masks: Array, draws: Any = None) -> npt.NDArray[np.int64]:
        """An act for each row, int64 (M,); 0, the pass, only where nothing else is legal. `draws` is not used.

        Raises:
            ConfigError: arrays of other shapes than (M, size) and (M, actions).
        """
        wanted = (len(observations), self._size), (len(observations), int(self._tables["num_actions"]))
        if (np.shape(observations), np.shape(masks)) != wanted:
            raise ConfigError(f"expected observations and masks {wanted}, got {np.shape(observations)}, {np.shape(masks)}")
        actions = np.zeros(len(observations), np.int64)
        _greedy_acts(self._tables, self._hand_at, self._leading_at, observations, masks, actions)
        return actions
