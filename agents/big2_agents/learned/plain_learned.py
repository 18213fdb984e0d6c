"""The learned player for single questions: interpreted kernels for what it sees, a network in lists. No numba, no numpy.

A choice takes some hundredths of a second here, and some ten thousandths compiled (`learned.policy`).
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from big2_agents.first_answers import one_view
from big2_agents.learned.opinion_weights import opinion_weights
from big2_agents.learned.plain_network import PlainNetwork
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError


class Choice(NamedTuple):
    """What the player makes of a decision."""

    features: tuple[bytearray, list[bytearray]]
    """Of the state and of the candidates; empty for an only candidate."""
    plays: list[Play]
    """The candidates."""
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
        self._network = PlainNetwork(weights)
        self._view = one_view(ruleset, num_players, opinion_weights(weights, ruleset))
        sizes = int(self._view.layout.state_size), int(self._view.layout.play_size)
        if self._network.sizes != sizes:
            made = self._network.sizes
            raise ConfigError(
                f"weights {weights}: expected a network for {sizes[0]} and {sizes[1]} features, those of {ruleset.name} "
                f"with {num_players} players, got one for {made[0]} and {made[1]}"
            )

    def choose(self, view: View, legal: LegalPlays) -> Choice:
        """The candidates of the seat to move with their scores, 0 for an only one."""
        return self._choice(self._view.read(view), view, legal)

    def _choice(self, count: int, view: View, legal: LegalPlays) -> Choice:
        features, scores = (bytearray(), list[bytearray]()), [0.0]
        if count > 1:
            features = self._view.features()
            scores = self._network.scores(*features)
        return Choice(features, [self._view.play(view, legal, i) for i in range(count)], scores)

    def decide(self, view: View, legal: LegalPlays) -> tuple[Play, bool]:
        """What is played, and whether it begins a sure win, which is no choice where captured points are paid."""
        count = self._view.read(view)
        sure = self._view.sure_win() if count > 1 else -1
        if sure >= 0:
            return self._view.play(view, legal, sure), True
        choice = self._choice(count, view, legal)
        return choice.plays[max(range(count), key=choice.scores.__getitem__)], False

    def rated(self, view: View, legal: LegalPlays) -> list[tuple[Play, float]]:
        """The candidates of the seat to move, and the score of each."""
        choice = self.choose(view, legal)
        return list(zip(choice.plays, choice.scores, strict=True))


@lru_cache(maxsize=8)
def plain_learned(weights: Path, changed: float, ruleset: RuleSet, num_players: int) -> PlainLearned:
    """The player of a file that was changed last at some time, in seconds since the epoch; made once. Raises ConfigError."""
    return PlainLearned(weights, ruleset, num_players)
