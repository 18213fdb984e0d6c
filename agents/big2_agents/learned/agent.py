"""The learned player: a policy network, and a search with it for those who ask for advice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from big2_agents.estimates import of_estimates, with_alike
from big2_agents.learned.policy import LearnedPolicy
from big2_agents.search import LearnedSearchAgent
from big2_env.advice import Advice
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View


class LearnedAgent(LearnedPolicy):
    """Plays a sure win where it sees one, else the candidate with the best score.

    Args:
        weights: as of `LearnedPolicy`.
        advice_playouts: play-outs from which `advise` has its values, all candidates together.

    Raises:
        ConfigError: a weights file that is none; by `act`, a ruleset without weights, or that they were not trained for.
    """

    def __init__(self, weights: str | Path | None = None, *, advice_playouts: int = 2000) -> None:
        super().__init__(weights)
        self._asked_for = weights
        self._advice_playouts = advice_playouts
        self._search: LearnedSearchAgent | None = None

    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        """The legal plays with score and probability; values from play-outs by the network where a critic lies beside it."""
        best, sure = self._chosen(view, legal)
        rated = self.rated(view, legal)
        scores = np.array([score for _, score in rated])
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        values = {} if sure or len(rated) == 1 else self._values(view, legal)
        found = []
        for (play, score), chance in zip(rated, chances.tolist(), strict=True):
            advice = values.get(play) or Advice(play)
            found.append(replace(advice, score=score, probability=chance, sure=sure and play == best))
        found.sort(key=lambda advice: (advice.play != best, -(advice.score or 0.0)))
        return with_alike(found, legal)

    def _values(self, view: View, legal: LegalPlays) -> dict[Play, Advice]:
        """Every candidate, played out; nothing where the weights have no critic."""
        if not self.has_critic():
            return {}
        if self._search is None:
            self._search = LearnedSearchAgent(self._advice_playouts, candidates=self.most, weights=self._asked_for)
            self._search.gap = np.inf  # a search leaves out what the network hardly plays; whoever asks wants to know about it
        search = self._search
        return {found.play: found for found in of_estimates(search.estimates(view, legal), legal) if found.playouts}
