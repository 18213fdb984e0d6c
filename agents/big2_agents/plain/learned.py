"""The learned player in plain Python: the acts of `learned.policy.LearnedPolicy`, without numba or numpy.

A choice takes some hundredths of a second here, and some ten thousandths compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from big2_agents.compiled.feature_layout import has_card_features
from big2_agents.plain.candidates import Candidate, list_candidates
from big2_agents.plain.card_features import CardFeatures
from big2_agents.plain.finish import find_finish
from big2_agents.plain.heuristic import PlainHeuristic
from big2_agents.plain.network import PlainNetwork
from big2_agents.plain.opinion_weights import opinion_weights
from big2_agents.plain.rank_features import RankFeatures
from big2_agents.plain.slot_rows import SlotRows
from big2_agents.plain.track import Track
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError


class Choice(NamedTuple):
    """What the player makes of a decision."""

    features: tuple[bytearray, list[bytearray]]
    """Of the state and of the candidates; empty for an only candidate."""
    candidates: Sequence[Candidate]
    scores: list[float]


class PlainLearned:
    """A policy network for views of one game.

    Args:
        weights: the file.
        ruleset: the rules.
        num_players: how many seats.

    Raises:
        ConfigError: a file that is none, or that was made for other features than the game has.
    """

    def __init__(self, weights: Path, ruleset: RuleSet, num_players: int) -> None:
        self._heuristic = PlainHeuristic(ruleset, opinion_weights(weights, ruleset))
        self._rows = self._heuristic.listing
        self._network = PlainNetwork(weights)
        self._features: CardFeatures | RankFeatures
        if has_card_features(ruleset, num_players):
            assert isinstance(self._rows, SlotRows)
            self._features = CardFeatures(self._rows)
        else:
            self._features = RankFeatures(self._heuristic, num_players)
        if self._network.sizes != self._features.sizes:
            made, given = self._network.sizes, self._features.sizes
            raise ConfigError(
                f"weights {weights}: expected a network for {given[0]} and {given[1]} features, those of {ruleset.name} "
                f"with {num_players} players, got one for {made[0]} and {made[1]}"
            )

    def choose(self, view: View) -> Choice:
        """The candidates of the seat to move with their scores, 0 for an only one."""
        candidates = list_candidates(self._rows, view)
        if len(candidates) == 1:
            return Choice((bytearray(), []), candidates, [0.0])
        rated = self._heuristic.rated(view, candidates)
        features = self._features.write(view, Track(view), rated)
        return Choice(features, rated.candidates, self._network.scores(*features))

    def decide(self, view: View, legal: LegalPlays) -> tuple[Play, bool]:
        """What is played, and whether it begins a sure win, which is no choice where captured points are paid."""
        candidates = list_candidates(self._rows, view)
        sure = -1
        if len(candidates) > 1 and not view.ruleset.scoring.captures:
            sure = find_finish(self._rows, view, candidates)
        if sure >= 0:
            return _act(candidates[sure], legal), True
        choice = self.choose(view)
        best = max(range(len(choice.scores)), key=choice.scores.__getitem__)
        return _act(choice.candidates[best], legal), False

    def rated(self, view: View, legal: LegalPlays) -> list[tuple[Play, float]]:
        """The candidates of the seat to move, and the score of each."""
        choice = self.choose(view)
        return [(_act(one, legal), score) for one, score in zip(choice.candidates, choice.scores, strict=True)]


def _act(one: Candidate, legal: LegalPlays) -> Play:
    return legal.verify_reading(one.play) if one.play.mask else one.play


@lru_cache(maxsize=8)
def plain_learned(weights: Path, changed: float, ruleset: RuleSet, num_players: int) -> PlainLearned:
    """The player of a file that was changed last at some time, in seconds since the epoch; made once. Raises ConfigError."""
    return PlainLearned(weights, ruleset, num_players)
