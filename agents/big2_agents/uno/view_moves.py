"""Moves of UNO players from one seat's view, by compiled or interpreted kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from big2_agents.uno.guess_search import search_move
from big2_agents.uno.players import SCRATCH, learned_move, rule_v1_move
from big2_agents.uno.seen_game import seen_game
from big2_env.games.uno.kernels.dtypes import new_games, rules_record
from big2_env.games.uno.view import UnoView
from big2_env.kernels.dialect.bits import U
from big2_env.kernels.dialect.records import COMPILED, records


class ViewMoves:
    """UNO players behind views; calls from several threads are safe."""

    is_compiled: Final = COMPILED

    def __init__(self, weights: Sequence[float]) -> None:
        self._weights = np.array(weights, np.float64)

    def learned(self, view: UnoView) -> int:
        """Return the learned player's move."""
        rules = rules_record(view.rules)
        return int(learned_move(rules, seen_game(view, rules, 0), self._weights, _scratch(0)))

    def rule_v1(self, view: UnoView, seed: int) -> int:
        """Return the move of RLCard's `uno-rule-v1`, with random numbers from a seed."""
        rules = rules_record(view.rules)
        return int(rule_v1_move(rules, seen_game(view, rules, 0), _scratch(seed)))

    def search(self, view: UnoView, guess: int, seed: int, tries: int) -> int:
        """Return the searching player's move.

        Args:
            view: The seat's view.
            guess: Seed of the initial hidden cards.
            seed: Seed of the guesses.
            tries: Number of guesses.
        """
        rules, games = rules_record(view.rules), new_games(3)
        games[0] = seen_game(view, rules, guess)
        return int(search_move(rules, games, self._weights, _scratch(seed), tries))


def _scratch(seed: int) -> Any:
    """Return the scratch of one answer, with the random stream of a seed."""
    scratch = records(1, SCRATCH)[0]
    scratch.rng = U(seed)
    return scratch
