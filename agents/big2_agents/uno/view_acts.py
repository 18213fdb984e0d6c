"""Acts of UNO players by what one seat may know, by kernels that are compiled or interpreted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from big2_agents.uno.guess_search import search_act
from big2_agents.uno.players import SCRATCH, learned_act, rule_v1_act
from big2_agents.uno.seen_game import seen_game
from big2_env.games.uno.kernels.dtypes import new_games, rules_record
from big2_env.games.uno.view import UnoView
from big2_env.kernels.dialect.bits import U
from big2_env.kernels.dialect.records import COMPILED, records


class ViewActs:
    """The players behind views. Threads may ask at once.

    Args:
        weights: Of the learned player.
    """

    is_compiled: Final = COMPILED

    def __init__(self, weights: Sequence[float]) -> None:
        self._weights = np.array(weights, np.float64)

    def learned(self, view: UnoView) -> int:
        """The act of the learned player."""
        rules = rules_record(view.rules)
        return int(learned_act(rules, seen_game(view, rules, 0), self._weights, _scratch(0)))

    def rule_v1(self, view: UnoView, seed: int) -> int:
        """The act of RLCard's `uno-rule-v1`, which draws from the stream of a seed."""
        rules = rules_record(view.rules)
        return int(rule_v1_act(rules, seen_game(view, rules, 0), _scratch(seed)))

    def search(self, view: UnoView, guess: int, seed: int, tries: int) -> int:
        """The act of the searching player; `guess` is the seed of the hidden cards at first, `seed` of the guesses."""
        rules, games = rules_record(view.rules), new_games(3)
        games[0] = seen_game(view, rules, guess)
        return int(search_act(rules, games, self._weights, _scratch(seed), tries))


def _scratch(seed: int) -> Any:
    """Scratch of one answer, with the stream of a seed."""
    scratch = records(1, SCRATCH)[0]
    scratch.rng = U(seed)
    return scratch
