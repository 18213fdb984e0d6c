"""A rule player without search, for any ruleset that compiles: from public information, the act with the highest score.

`formula` says what an act is worth, `compiled.heuristic` computes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from big2_agents.base import SeededAgent
from big2_agents.formula import CERTAIN, Weights
from big2_env.advice import Advice
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View

if TYPE_CHECKING:
    from big2_agents.compiled.view_scores import ViewScores

__all__ = ["HeuristicAgent", "Weights"]


class HeuristicAgent(SeededAgent):
    """Keeps combinations together, counts the plays it needs, spends control cards late, stops players who are nearly out."""

    def __init__(self, *, weights: Weights | None = None) -> None:
        super().__init__()
        self.weights = weights
        self._ruleset: RuleSet | None = None
        self._num_players = 0
        self._scores: ViewScores | None = None

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The act with the highest score: where actions are places, the first of equals in the order of the legal list.

        Where actions are ranks, of plays that differ in their kickers alone one is scored: with those the hand needs least.

        Raises:
            ConfigError: the ruleset cannot be compiled.
        """
        view.check(legal)
        return self._formula(view).act(view, legal)

    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        """The legal plays with their scores in turns, in an auction in stakes, best first; none is merged with another."""
        view.check(legal)
        acts, found = list(legal), []
        for play, score in zip(acts, self._formula(view)(view, acts), strict=True):
            ends, sure = play.mask == view.hand and not view.pile_left, score > CERTAIN / 2
            found.append((not ends, -score, Advice(play, score=score - CERTAIN * sure, sure=ends or sure)))
        return [advice for *_, advice in sorted(found, key=lambda each: each[:2])]

    def _formula(self, view: View) -> ViewScores:
        if self._scores is None or self._ruleset is not view.ruleset or self._num_players != view.num_players:
            # Imported where it is used: numba takes a second to load.
            from big2_agents.compiled.view_scores import ViewScores

            self._ruleset, self._num_players = view.ruleset, view.num_players
            self._scores = ViewScores(view.ruleset, self.weights, view.num_players)
        return self._scores
