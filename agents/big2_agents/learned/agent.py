"""The learned player: a policy network, and a search with it for those who ask for advice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from big2_agents.compiled.slot_plays import MAX_CANDIDATES
from big2_agents.estimates import of_estimates, with_alike
from big2_agents.learned.policy import LearnedPolicy
from big2_agents.models import critic_beside, shipped_weights
from big2_agents.search import LearnedSearchAgent
from big2_env.advice import Advice
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import PASS
from big2_env.climbing.view import View


class LearnedAgent(LearnedPolicy):
    """Plays a sure win where it sees one, else the candidate with the best score.

    Args:
        weights: a file of your own; by default those shipped for the game's ruleset.
        advice_playouts: play-outs from which `advise` has its values, all candidates together.

    Raises:
        ConfigError: a weights file that is none; by `act`, a ruleset without weights, or with other patterns.
    """

    def __init__(self, weights: str | Path | None = None, *, advice_playouts: int = 2000) -> None:
        super().__init__(weights)
        self._advice_playouts = advice_playouts
        self._search: LearnedSearchAgent | None = None

    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        """The legal plays with score and probability; values from play-outs by the network where a critic lies beside it."""
        best, sure = self._chosen(view)
        masks, scores = self.scores(view)
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        values = {} if sure or len(masks) == 1 else self._values(view, legal)
        found = []
        for mask, score, chance in zip(masks, scores.tolist(), chances.tolist(), strict=True):
            advice = values.get(mask) or Advice(legal.verify(mask) if mask else PASS)
            found.append(replace(advice, score=score, probability=chance, sure=sure and mask == best.mask))
        found.sort(key=lambda advice: (advice.play != best, -(advice.score or 0.0)))
        return with_alike(found, legal)

    def _values(self, view: View, legal: LegalPlays) -> dict[int, Advice]:
        """Every candidate by its cards, played out; nothing where the weights have no critic."""
        weights = self._path or shipped_weights(view.ruleset)
        if not critic_beside(weights).exists():
            return {}
        if self._search is None:
            self._search = LearnedSearchAgent(self._advice_playouts, candidates=MAX_CANDIDATES, weights=self._path)
            self._search.gap = np.inf  # a search leaves out what the network hardly plays; whoever asks wants to know about it
        search = self._search
        return {found.play.mask: found for found in of_estimates(search.estimates(view, legal), legal) if found.playouts}
