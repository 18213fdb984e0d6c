"""A quick opinion on the moves of a decision, without playouts. It chooses the decisions and moves that are worth playouts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from big2_agents.estimates import kind_of
from big2_agents.formula import weights_of
from big2_agents.heuristic import view_scores
from big2_agents.learned.plain_learned import PlainLearned
from big2_agents.models import shipped_weights
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError


class PlainOpinion:
    """Scores of the learned network in plain Python, or of the heuristic if no weights are at hand.

    Scores of different games cannot be compared.

    Args:
        ruleset: The rules of the game.
        num_players: Number of seats.

    Raises:
        ConfigError: The kernels do not support the ruleset.
    """

    def __init__(self, ruleset: RuleSet, num_players: int) -> None:
        self._learned: PlainLearned | None = None
        with suppress(ConfigError, OSError):  # a browser has only the weights of agents that were chosen
            self._learned = PlainLearned(shipped_weights(ruleset, num_players), ruleset, num_players)
        if self._learned is None:
            self._heuristic = view_scores(ruleset, weights_of(ruleset), num_players)

    def rated(self, view: View, legal: LegalPlays) -> Sequence[tuple[Play, float]]:
        """Return moves with scores, one of each kind at least, the highest score first."""
        if self._learned is not None:
            found = self._learned.rated(view, legal)
        else:
            plays = list(legal)
            found = list(zip(plays, self._heuristic(view, plays), strict=True))
        return sorted(found, key=lambda one: -one[1])

    def favourite(self, view: View, legal: LegalPlays) -> Play:
        """Return the move with the highest score."""
        return self.rated(view, legal)[0][0]

    def doubt(self, view: View, legal: LegalPlays, played: Play) -> float:
        """Return how much lower a move's score is than the highest: 0 for the favorite.

        Args:
            view: View of the seat to move.
            legal: Its legal moves.
            played: The move.
        """
        rated = self.rated(view, legal)
        same = (score for play, score in rated if kind_of(play) == kind_of(played))
        return rated[0][1] - next(same, rated[-1][1])
