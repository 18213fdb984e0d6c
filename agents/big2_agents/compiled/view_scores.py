"""The compiled heuristic asked about one view at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from big2_agents.compiled.from_view import fill_game, to_places
from big2_agents.compiled.heuristic import score_acts
from big2_agents.compiled.heuristic_tables import heuristic_record
from big2_agents.compiled.track import GAME
from big2_agents.formula import Weights
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.tables import as_record


class ViewScores:
    """The scores that `big2_agents.heuristic.scores_of` gives, the same to the last bit, from the compiled formula.

    Raises:
        ConfigError: the ruleset cannot be compiled.
    """

    def __init__(self, ruleset: RuleSet, weights: Weights | None = None) -> None:
        self.tables: Any = compile_tables(ruleset)
        self.num_players = int(self.tables.num_players)
        self.heuristic: Any = heuristic_record(ruleset, weights)
        self.game: Any = as_record(np.zeros((), GAME))
        self.left = np.zeros(4, np.int32)
        self._patterns = {rule.pattern.name: i for i, rule in enumerate(ruleset.patterns)}

    def __call__(self, view: View, acts: Sequence[Play]) -> list[float]:
        """The score of each of these legal acts of the seat to move."""
        fill_game(self.tables, view, self._patterns, self.game)
        self.left[: view.num_players] = view.cards_left
        cards = np.array([to_places(self.tables, act.mask) for act in acts], np.uint64)
        categories = np.array([act.category if act else -1 for act in acts], np.int64)
        powers, scores = np.array([act.power for act in acts], np.int64), np.zeros(len(acts))
        score_acts(self.tables, self.game, self.left, self.heuristic, cards, categories, powers, scores)
        found: list[float] = scores.tolist()
        return found
