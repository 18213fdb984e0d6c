"""Who answers what agents ask: interpreted kernels at once, without numba and numpy; compiled ones once they are ready."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from threading import RLock
from time import perf_counter
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from big2_agents.formula import Weights
from big2_agents.kernels.feature_layout import has_card_features
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.dialect import BY_CARD
from big2_env.kernels.dialect.loader import interpreted
from big2_env.runs.background_compile import BackgroundCompile

if TYPE_CHECKING:
    from big2_agents.kernels.features import OneView
    from big2_agents.kernels.heuristic import ViewScores
    from big2_agents.kernels.playouts import RuleTrials

Answerer = TypeVar("Answerer")
Answer = TypeVar("Answer")
_SHARED: Final = RLock()
"""Held while interpreted kernels answer that several agents share: their records serve one thread at a time."""


class InterpretedThenCompiled(Generic[Answerer]):
    """What answers the questions of one game: interpreted kernels, until compiled ones are ready.

    Args:
        ruleset: the rules of the game.
        num_players: how many seats it has.
        interpreted: makes what answers first.
        compiled: makes what answers from then on; asked once.
        is_shared: True if what answers first is not this agent's alone.
    """

    def __init__(
        self,
        ruleset: RuleSet,
        num_players: int,
        interpreted: Callable[[], Answerer],
        compiled: Callable[[], Answerer],
        *,
        is_shared: bool,
    ) -> None:
        self._ruleset, self._num_players = ruleset, num_players
        self._make_interpreted, self._make_compiled = interpreted, compiled
        self._interpreted: Answerer | None = None
        self._compiled: Answerer | None = None
        self._lock = _SHARED if is_shared else nullcontext()

    def serves(self, view: View) -> bool:
        """True for views of the game."""
        return view.ruleset is self._ruleset and view.num_players == self._num_players

    @property
    def is_compiled(self) -> bool:
        """True once compiled kernels have been asked for."""
        return self._compiled is not None

    def current(self, compiling: BackgroundCompile) -> Answerer:
        """What answers now; `compiling` says whether the kernels for the question are compiled."""
        if compiling.is_ready:
            if self._compiled is None:
                self._compiled = self._make_compiled()
            return self._compiled
        if self._interpreted is None:
            self._interpreted = self._make_interpreted()
        return self._interpreted

    def ask(self, question: Callable[[Answerer], Answer], compiling: BackgroundCompile) -> Answer:
        """The answer to a question. What interpreted kernels take for it counts: after enough of that compiling begins."""
        answerer = self.current(compiling)
        if answerer is self._compiled:
            return question(answerer)
        start = perf_counter()
        with self._lock:
            found = question(answerer)
        compiling.spend(perf_counter() - start)
        return found


def view_scores(ruleset: RuleSet, weights: Weights, num_players: int) -> ViewScores:
    """The heuristic for views of a game. Raises ConfigError where the kernels do not serve the ruleset."""
    module = interpreted(ruleset).module("big2_agents.kernels.heuristic")
    found: ViewScores = module.ViewScores(ruleset, weights, num_players)
    return found


def one_view(ruleset: RuleSet, num_players: int, weights: Weights | None = None) -> OneView:
    """The decisions of a game's seats; `weights` are those of the heuristic whose opinion is asked for. Raises as above."""
    more = [BY_CARD] if has_card_features(ruleset, num_players) else []
    found: OneView = interpreted(ruleset, *more).module("big2_agents.kernels.features").OneView(ruleset, num_players, weights)
    return found


def rule_trials(ruleset: RuleSet, num_players: int, proposals: int) -> RuleTrials:
    """Tries of a game's candidates by heuristic players, as `RuleTrials`. Raises as above."""
    module = interpreted(ruleset).module("big2_agents.kernels.playouts")
    found: RuleTrials = module.RuleTrials(ruleset, num_players, proposals)
    return found
