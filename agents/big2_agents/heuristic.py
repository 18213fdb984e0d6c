"""A rule player without search, for any ruleset, from public information only: the act with the highest score is made.

`formula` says what an act is worth where everybody plays alone with the cards dealt, `family` what partners, piles and long
locks add, `bidding` what the decisions of an auction are worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from big2_agents.advice import Advice
from big2_agents.base import SeededAgent
from big2_agents.family import FamilyReference, FamilyWeights, has_parts
from big2_agents.formula import CERTAIN, Reference, Scores, Weights, near
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError

__all__ = ["CERTAIN", "WARM_UP", "HeuristicAgent", "Reference", "Weights", "near"]

WARM_UP: Final = 100
"""Decisions before the compiled formula is loaded."""


class HeuristicAgent(SeededAgent):
    """Keeps combinations together, counts the plays it needs, spends control cards late, stops players who are nearly out.

    After the first `WARM_UP` decisions the compiled formula takes over, where the ruleset can be compiled. It gives the same
    scores to the last bit; only loading it would take longer than a game.
    """

    def __init__(self, weights: Weights | None = None) -> None:
        super().__init__()
        self.weights = weights or Weights()
        self._given = weights
        self._ruleset: RuleSet | None = None
        self._num_players = self._decisions = 0
        self._scores: Scores

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The act with the highest score, the first of equals in the order of the legal list."""
        acts = list(legal)
        if len(acts) == 1:
            return acts[0]
        if not view.pile_left:
            for play in acts:
                if play.mask == view.hand:
                    return play
        scores = self._score(view, acts)
        return acts[scores.index(max(scores))]

    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        """The legal plays with their scores in turns, in an auction in stakes, best first; none is merged with another."""
        acts, found = list(legal), []
        for play, score in zip(acts, self._score(view, acts), strict=True):
            ends, sure = play.mask == view.hand and not view.pile_left, score > CERTAIN / 2
            found.append((not ends, -score, Advice(play, score=score - CERTAIN * sure, sure=ends or sure)))
        return [advice for *_, advice in sorted(found, key=lambda each: each[:2])]

    def _score(self, view: View, acts: Sequence[Play]) -> list[float]:
        if self._ruleset is not view.ruleset or self._num_players != view.num_players:
            self._ruleset, self._num_players, self._decisions = view.ruleset, view.num_players, 0
            self._scores = _formula(view.ruleset, self._given)
        if self._decisions == WARM_UP and not has_parts(view.ruleset):
            self._scores = _compiled(view, self.weights) or self._scores
        self._decisions += 1
        return self._scores(view, acts)


def _formula(ruleset: RuleSet, weights: Weights | None) -> Scores:
    """The formula that serves a ruleset."""
    if not has_parts(ruleset):
        return Reference(ruleset, weights)
    if weights is None or isinstance(weights, FamilyWeights):
        return FamilyReference(ruleset, weights)
    return FamilyReference(ruleset, FamilyWeights(**asdict(weights)))


def _compiled(view: View, weights: Weights) -> Scores | None:
    """The compiled formula, `None` where the ruleset cannot be compiled, or is for another number of players."""
    # Imported where it is used: loading numba takes longer than a game.
    from big2_agents.compiled.view_scores import ViewScores

    try:
        scores = ViewScores(view.ruleset, weights)
    except ConfigError:
        return None
    return scores if scores.num_players == view.num_players else None
