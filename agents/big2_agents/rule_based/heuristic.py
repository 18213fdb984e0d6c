"""Rule-based agent without search, for every ruleset: it makes the move with the highest score, from public information only.

`formula` defines the score and `kernels.heuristic` computes it. The kernels run interpreted at first and compiled later, a
hundred times faster; both choose the same moves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from big2_agents.kernels.codes import GREEDY, LOWEST, RANDOM
from big2_agents.models.formula import (
    CERTAIN,
    DEFAULT_WEIGHTS,
    Weights,
    WeightsFile,
    first_weights_of,
    frozen_versions,
    frozen_weights_of,
    shipped_files,
    weights_of,
)
from big2_agents.rule_based.simple import GreedyAgent, LowestAgent, RandomAgent, SeededAgent, or_greedy
from big2_env.agents.advice import Advice
from big2_env.agents.interface import Agent
from big2_env.base.errors import ConfigError, quoted
from big2_env.base.one_call import OneCall, one_at_a_time
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.dialect.loader import interpreted
from big2_env.kernels.switch import Compilation, Switch

if TYPE_CHECKING:
    from big2_agents.kernels.heuristic import HeuristicScorer
    from big2_agents.kernels.rule_players import Player
    from big2_env.kernels.opponents import OneGame, Opponent

__all__ = ["HeuristicAgent", "Weights"]


class HeuristicAgent(SeededAgent):
    """Scores every move by a fitted formula: keeps combinations, saves control cards, blocks players who are nearly out.

    The agent answers in plain Python until compiled code is ready. Compilation starts in the background once a process has
    asked for enough moves; both give the same moves.

    Args:
        version: Weights to play with: `first` or `bench-v3` (weights that never change), or a file written by `big2 train
            weights`, `FILE.json`. By default, the best shipped weights for the ruleset. As a specification: `heuristic`,
            `heuristic:first`, `heuristic:runs/weights-house/house.json`.
        weights: Weights as an object, instead of `version`.

    Raises:
        ConfigError: The version is unknown, or the file holds no weights.
    """

    is_stochastic = False

    def __init__(self, version: str = "", *, weights: Weights | None = None) -> None:
        super().__init__()
        self.one_call = OneCall()
        self._file = WeightsFile.load(Path(version)) if version.endswith(".json") else None
        if self._file is not None:
            weights = self._file.weights
        elif version and version not in frozen_versions():
            allowed = ", ".join(f"heuristic:{name}" for name in (*frozen_versions(), "FILE.json"))
            raise ConfigError(f"expected heuristic, {allowed}; got {quoted(f'heuristic:{version}')}")
        self.weights = weights
        self._frozen = version if weights is None else ""
        self._scores: Switch[HeuristicScorer | GreedyScores] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings only; the scorer is rebuilt for the next game."""
        return self.__dict__ | {"_scores": None}

    @staticmethod
    def takes_from_record(argument: str) -> bool:
        """Return True if the argument names shipped weights rather than a file."""
        return argument in frozen_versions()

    @one_at_a_time
    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return the move with the highest score.

        Ties go to the first move in the order of the legal list. If actions are ranks, only one of the plays that differ in
        their kickers is scored: the one whose kickers the hand needs least.
        """
        view.check(legal)
        return self._switch(view).ask(lambda formula: formula.act(view, legal))

    def prepare(self, view: View) -> None:
        """Compile the code for moves and advice in games like the one in `view` now instead of in the background."""
        _compilation(view.ruleset, view.num_players).finish()

    def batched(self, ruleset: RuleSet, num_players: int) -> Opponent:
        """Return the version of this agent for many games at once.

        Raises:
            ConfigError: The ruleset cannot be compiled, or has more shapes or powers than the compiled tables hold.
        """
        from big2_agents.rule_based.batched import SwitchedRows

        return SwitchedRows(ruleset, self.weights_in(ruleset), num_players)

    def chooser(self, engine: OneGame) -> Callable[[], int] | None:
        """Return a function that gives the action of the seat to move, once it is compiled."""
        from big2_agents.rule_based.batched import chooser_of

        return chooser_of(self.weights_in(engine.ruleset), engine)

    @one_at_a_time
    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        """Return every legal move with its score, best first. Scores are in turns, during an auction in stakes."""
        view.check(legal)
        moves, found = list(legal), []
        for play, score in zip(moves, self._switch(view).ask(lambda formula: formula(view, moves)), strict=True):
            ends, sure = play.mask == view.hand and not view.pile_left, score > CERTAIN / 2
            found.append((not ends, -score, Advice(play, score=score - CERTAIN * sure, sure=ends or sure)))
        return [advice for *_, advice in sorted(found, key=lambda each: each[:2])]

    def weights_in(self, ruleset: RuleSet) -> Weights:
        """Return the weights used for a ruleset."""
        if self._frozen:
            return frozen_weights_of(self._frozen, ruleset)
        return weights_of(ruleset) if self.weights is None else self.weights

    def trained_for(self, ruleset: RuleSet, num_players: int) -> RuleSet | None:
        """Return the rules that the weights used for a ruleset were fitted to; None if they were not fitted or are given."""
        if self._file is not None:
            return self._file.trained_for()
        used = self.weights_in(ruleset)
        if self.weights is not None or used in (first_weights_of(ruleset), DEFAULT_WEIGHTS):
            return None
        # Imported where it is used, as in `climbing.saved_rules`.
        from big2_env.climbing.earlier_rules import EARLIER

        shipped = WeightsFile.load(shipped_files()[ruleset.name])
        earlier = EARLIER.get(ruleset.name) if shipped.weights != used else None
        return earlier or shipped.trained_for()

    def _switch(self, view: View) -> Switch[HeuristicScorer | GreedyScores]:
        if self._scores is None or not self._scores.serves(view):
            game = view.ruleset, view.num_players
            given = game[0], self.weights_in(game[0]), game[1]
            forms = partial(_interpreted, *given), partial(_compiled, *given)
            self._scores = Switch(_compilation(*game), *forms, game=game, is_shared=True)
        return self._scores


def player_of(agent: Agent, ruleset: RuleSet) -> Player | None:
    """Return the compiled rule player that makes the same moves as an agent, `None` for most agents."""
    if type(agent) is HeuristicAgent:
        return agent.weights_in(ruleset)
    codes: dict[type, int] = {RandomAgent: RANDOM, LowestAgent: LOWEST, GreedyAgent: GREEDY}
    return codes.get(type(agent))


@lru_cache(maxsize=16)  # of up to 6 MB each
def _interpreted(ruleset: RuleSet, weights: Weights, num_players: int) -> HeuristicScorer | GreedyScores:
    return or_greedy(lambda: view_scores(ruleset, weights, num_players), GreedyScores())


def view_scores(ruleset: RuleSet, weights: Weights, num_players: int) -> HeuristicScorer:
    """Return the heuristic for views of a game, interpreted.

    Raises:
        ConfigError: The kernels do not support the ruleset.
    """
    module = interpreted(ruleset).module("big2_agents.kernels.heuristic")
    found: HeuristicScorer = module.HeuristicScorer(ruleset, weights, num_players)
    return found


class GreedyScores:
    """The greedy player as `HeuristicScorer`, for rulesets that the kernels do not serve."""

    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return the greedy move."""
        return GreedyAgent().act(view, legal)

    def __call__(self, view: View, moves: Sequence[Play]) -> list[float]:
        """Return 1 for the greedy move, 0 for others."""
        best = self.act(view, view.legal_plays())
        return [float(move == best) for move in moves]


def _compiled(ruleset: RuleSet, weights: Weights | None, num_players: int) -> HeuristicScorer:
    from big2_agents.kernels.heuristic import HeuristicScorer  # numba takes a second to load

    return HeuristicScorer(ruleset, weights, num_players)


@lru_cache(maxsize=64)
def _compilation(ruleset: RuleSet, num_players: int) -> Compilation:
    """Return the compilation of moves and scores in a game."""

    def prepare() -> None:
        view, scores = Game.deal(ruleset, 0, num_players).view(), _compiled(ruleset, None, num_players)
        legal = view.legal_plays()
        scores.act(view, legal)
        scores(view, list(legal))

    return Compilation(prepare)
