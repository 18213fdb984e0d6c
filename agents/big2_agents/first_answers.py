"""What agents ask interpreted kernels for: answers without numba and numpy, before compiled code is there."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Final

from big2_agents.formula import Weights
from big2_agents.kernels.feature_layout import has_card_features
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.dialect.features import BY_CARD
from big2_env.kernels.dialect.loader import interpreted

ASKING: Final = RLock()
"""Held while interpreted kernels answer that several agents share: their records serve one thread at a time."""

if TYPE_CHECKING:
    from big2_agents.kernels.one_view import OneView
    from big2_agents.kernels.rule_trials import RuleTrials
    from big2_agents.kernels.view_scores import ViewScores


def view_scores(ruleset: RuleSet, weights: Weights, num_players: int) -> ViewScores:
    """The heuristic for views of a game. Raises ConfigError where the kernels do not serve the ruleset."""
    module = interpreted(ruleset).module("big2_agents.kernels.view_scores")
    found: ViewScores = module.ViewScores(ruleset, weights, num_players)
    return found


def one_view(ruleset: RuleSet, num_players: int, weights: Weights | None = None) -> OneView:
    """The decisions of a game's seats; `weights` are those of the heuristic whose opinion is asked for. Raises as above."""
    more = [BY_CARD] if has_card_features(ruleset, num_players) else []
    found: OneView = interpreted(ruleset, *more).module("big2_agents.kernels.one_view").OneView(ruleset, num_players, weights)
    return found


def rule_trials(ruleset: RuleSet, num_players: int, proposals: int) -> RuleTrials:
    """Tries of a game's candidates by heuristic players, as `RuleTrials`. Raises as above."""
    module = interpreted(ruleset).module("big2_agents.kernels.rule_trials")
    found: RuleTrials = module.RuleTrials(ruleset, num_players, proposals)
    return found
