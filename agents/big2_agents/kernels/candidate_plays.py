"""Candidates of kernels as the plays that Python knows, and cards as the places of kernels."""

from __future__ import annotations

from typing import Any

from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.compile import CardPlaces


class CandidatePlays(CardPlaces):
    """Candidates of one ruleset's decisions.

    Args:
        ruleset: the rules.
        tables: of the ruleset.
    """

    def __init__(self, ruleset: RuleSet, tables: Any) -> None:
        super().__init__(ruleset)
        self._tables = tables
        self._names = [rule.pattern.name for rule in ruleset.patterns]

    def play(self, view: View, candidates: Any, i: int) -> Play:
        """A candidate of the seat to move as a play."""
        if view.bidding:
            return [*view.calls, PASS][i]
        row, tab = candidates.row[i], self._tables
        if row < 0:
            return PASS
        return Play(
            self._names[tab.row_pattern[row]], self.cards(candidates.mask[i]), tab.row_category[row], candidates.power[i]
        )

    def verified(self, view: View, legal: LegalPlays, candidates: Any, i: int) -> Play:
        """The same, if it is legal.

        Raises:
            IllegalPlayError: it is not.
        """
        play = self.play(view, candidates, i)
        return legal.verify_reading(play) if play.mask else play
