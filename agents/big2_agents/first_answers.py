"""Choice between interpreted kernels, which answer at once without numba and numpy, and compiled ones, once they are ready."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import nullcontext
from threading import RLock
from time import perf_counter
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from big2_agents.formula import Weights
from big2_agents.kernels.feature_layout import has_card_features
from big2_env.background_compile import BackgroundCompile
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError, warn_once
from big2_env.kernels.dialect import BY_CARD, HEURISTIC_SITS
from big2_env.kernels.dialect.loader import interpreted

if TYPE_CHECKING:
    from big2_agents.kernels.features import OneView
    from big2_agents.kernels.heuristic import ViewScores
    from big2_agents.kernels.playouts import RuleTrials
    from big2_agents.kernels.rule_players import Player, RuleGames

Answerer = TypeVar("Answerer")
Answer = TypeVar("Answer")
_SHARED: Final = RLock()
"""Lock on interpreted kernels that several agents share: their records serve one thread at a time."""


class InterpretedThenCompiled(Generic[Answerer]):
    """Answers to the questions of one game, by interpreted kernels until compiled ones are ready.

    Args:
        ruleset: The rules of the game.
        num_players: Number of seats.
        interpreted: Makes the first answerer.
        compiled: Makes its compiled replacement; called once.
        is_shared: True if the first answerer is shared with other agents.
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
        """Return True for views of this game."""
        return view.ruleset is self._ruleset and view.num_players == self._num_players

    @property
    def is_compiled(self) -> bool:
        """True once the compiled answerer has been made."""
        return self._compiled is not None

    def current(self, compiling: BackgroundCompile) -> Answerer:
        """Return the current answerer.

        Args:
            compiling: Compilation state of the kernels that the question needs.
        """
        if compiling.is_ready:
            if self._compiled is None:
                self._compiled = self._make_compiled()
            return self._compiled
        if self._interpreted is None:
            self._interpreted = self._make_interpreted()
        return self._interpreted

    def ask(self, question: Callable[[Answerer], Answer], compiling: BackgroundCompile) -> Answer:
        """Return the answer to a question.

        The time that interpreted kernels take is counted; after enough of it, compilation begins.

        Args:
            question: Takes the answerer.
            compiling: Compilation state of the kernels that the question needs.
        """
        answerer = self.current(compiling)
        if answerer is self._compiled:
            return question(answerer)
        start = perf_counter()
        with self._lock:
            found = question(answerer)
        compiling.spend(perf_counter() - start)
        return found


def or_greedy(make: Callable[[], Answerer], greedy: Answer) -> Answerer | Answer:
    """Make an interpreted answerer. If the kernels do not support the ruleset, warn and return a greedy one."""
    try:
        return make()
    except ConfigError as error:
        warn_once(f"{error}; greedy plays instead")
        return greedy


def view_scores(ruleset: RuleSet, weights: Weights, num_players: int) -> ViewScores:
    """Return the heuristic for views of a game.

    Raises:
        ConfigError: The kernels do not support the ruleset.
    """
    module = interpreted(ruleset).module("big2_agents.kernels.heuristic")
    found: ViewScores = module.ViewScores(ruleset, weights, num_players)
    return found


def one_view(ruleset: RuleSet, num_players: int, weights: Weights | None = None) -> OneView:
    """Return a reader of views of a game, with features and candidates.

    Args:
        ruleset: The rules of the game.
        num_players: Number of seats.
        weights: Weights of the heuristic whose scores are features.

    Raises:
        ConfigError: The kernels do not support the ruleset.
    """
    more = [BY_CARD] if has_card_features(ruleset, num_players) else []
    found: OneView = interpreted(ruleset, *more).module("big2_agents.kernels.features").OneView(ruleset, num_players, weights)
    return found


def rule_trials(ruleset: RuleSet, num_players: int, proposals: int) -> RuleTrials:
    """Return playouts of a game's candidates by heuristic players.

    Args:
        ruleset: The rules of the game.
        num_players: Number of seats.
        proposals: Number of proposed deals from which one sample is drawn.

    Raises:
        ConfigError: The kernels do not support the ruleset.
    """
    module = interpreted(ruleset).module("big2_agents.kernels.playouts")
    found: RuleTrials = module.RuleTrials(ruleset, num_players, proposals)
    return found


def rule_games(ruleset: RuleSet, players: Collection[Player], num_players: int) -> RuleGames:
    """Return games between rule players.

    Args:
        ruleset: The rules of the games.
        players: The players that may sit at the table.
        num_players: Number of seats.

    Raises:
        ConfigError: The kernels do not support the ruleset.
    """
    more = [HEURISTIC_SITS] if any(isinstance(player, Weights) for player in players) else []
    module = interpreted(ruleset, *more).module("big2_agents.kernels.rule_players")
    found: RuleGames = module.RuleGames(ruleset, players, num_players)
    return found
