"""A rule player without search, for any ruleset: from public information, the act with the highest score.

`formula` says what an act is worth. `kernels.heuristic` computes it: interpreted at once, a hundred times faster once it is
compiled. Both choose the same acts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from big2_agents.first_answers import InterpretedThenCompiled, view_scores
from big2_agents.formula import CERTAIN, Weights, WeightsFile, frozen_versions, frozen_weights_of, weights_of
from big2_agents.simple import GreedyAgent, LowestAgent, RandomAgent, SeededAgent
from big2_env.advice import Advice
from big2_env.agents import Agent
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError, quoted
from big2_env.runs.background_compile import BackgroundCompile

if TYPE_CHECKING:
    from big2_agents.kernels.heuristic import ViewScores
    from big2_agents.kernels.rule_players import Player
    from big2_env.kernels.opponents import Opponent

__all__ = ["HeuristicAgent", "Weights"]
T = TypeVar("T")


class HeuristicAgent(SeededAgent):
    """Keeps combinations together, counts the plays it needs, spends control cards late, stops players who are nearly out.

    Plain Python answers until compiled code is ready; it is compiled in the background, and only where a process asks much.

    Args:
        version: `first` or another name of weights that never change, or a file of `big2 train weights`; by default those that
            play best today.
        weights: weights of your own.

    Raises:
        ConfigError: another version, or a file that holds no weights.
    """

    def __init__(self, version: str = "", *, weights: Weights | None = None) -> None:
        super().__init__()
        if version.endswith(".json"):
            weights = WeightsFile.load(Path(version)).weights
        elif version and version not in frozen_versions():
            allowed = ", ".join(f"heuristic:{name}" for name in (*frozen_versions(), "FILE.json"))
            raise ConfigError(f"expected heuristic, {allowed}; got {quoted(f'heuristic:{version}')}")
        self.weights = weights
        self._frozen = version if weights is None else ""
        self._scores: InterpretedThenCompiled[ViewScores] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """What was asked for: what answers is made again for the next game."""
        return self.__dict__ | {"_scores": None}

    @staticmethod
    def takes_from_record(argument: str) -> bool:
        """Return True if the argument names weights that are shipped, not a file."""
        return argument in frozen_versions()

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The act with the highest score: where actions are places, the first of equals in the order of the legal list.

        Where actions are ranks, of plays that differ in their kickers alone one is scored: with those the hand needs least.
        """
        view.check(legal)

        def ask(formula: ViewScores) -> Play:
            return formula.act(view, legal)

        return self._answer(view, _acting(view.ruleset, view.num_players), ask)

    def prepare(self, view: View) -> None:
        """Compile now, not in the background, what acts in games like that of a view need; for callers that need many acts."""
        _acting(view.ruleset, view.num_players).finish()

    def batched(self, ruleset: RuleSet, num_players: int) -> Opponent:
        """The same player for many games at once.

        Raises:
            ConfigError: the ruleset cannot be compiled, or has more shapes or powers than the compiled tables hold.
        """
        from big2_agents.kernels.rule_players import RuleRows

        return RuleRows(ruleset, self.weights_in(ruleset), num_players)

    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        """The legal plays with their scores in turns, in an auction in stakes, best first; none is merged with another."""
        view.check(legal)
        acts, found = list(legal), []

        def ask(formula: ViewScores) -> list[float]:
            return formula(view, acts)

        for play, score in zip(acts, self._answer(view, _scoring(view.ruleset, view.num_players), ask), strict=True):
            ends, sure = play.mask == view.hand and not view.pile_left, score > CERTAIN / 2
            found.append((not ends, -score, Advice(play, score=score - CERTAIN * sure, sure=ends or sure)))
        return [advice for *_, advice in sorted(found, key=lambda each: each[:2])]

    def weights_in(self, ruleset: RuleSet) -> Weights:
        """The weights that a ruleset is played with."""
        if self._frozen:
            return frozen_weights_of(self._frozen, ruleset)
        return weights_of(ruleset) if self.weights is None else self.weights

    def _answer(self, view: View, compiling: BackgroundCompile, ask: Callable[[ViewScores], T]) -> T:
        if self._scores is None or not self._scores.serves(view):
            rules, number = view.ruleset, view.num_players
            given = rules, self.weights_in(rules), number
            self._scores = InterpretedThenCompiled(
                rules, number, lambda: _interpreted(*given), lambda: _compiled(*given), is_shared=True
            )
        return self._scores.ask(ask, compiling)


def player_of(agent: Agent, ruleset: RuleSet) -> Player | None:
    """The compiled rule player that repeats an agent act for act under a ruleset; none for most agents."""
    from big2_agents.kernels.acts import GREEDY, LOWEST, RANDOM  # numba takes a second to load

    if type(agent) is HeuristicAgent:
        return agent.weights_in(ruleset)
    codes: dict[type, int] = {RandomAgent: RANDOM, LowestAgent: LOWEST, GreedyAgent: GREEDY}
    return codes.get(type(agent))


@lru_cache(maxsize=64)
def _interpreted(ruleset: RuleSet, weights: Weights, num_players: int) -> ViewScores:
    return view_scores(ruleset, weights, num_players)


def _compiled(ruleset: RuleSet, weights: Weights | None, num_players: int) -> ViewScores:
    from big2_agents.kernels.heuristic import ViewScores  # numba takes a second to load

    return ViewScores(ruleset, weights, num_players)


@lru_cache(maxsize=64)
def _acting(ruleset: RuleSet, num_players: int) -> BackgroundCompile:
    """Whether acts for a ruleset are compiled."""

    def prepare() -> None:
        view, scores = _example(ruleset, num_players)
        if ruleset.ranks_only:
            scores.act(view, view.legal_plays())
        else:
            scores(view, list(view.legal_plays()))

    return BackgroundCompile(prepare)


@lru_cache(maxsize=64)
def _scoring(ruleset: RuleSet, num_players: int) -> BackgroundCompile:
    """Whether scores for a ruleset are compiled."""

    def prepare() -> None:
        view, scores = _example(ruleset, num_players)
        scores(view, list(view.legal_plays()))

    return BackgroundCompile(prepare)


def _example(ruleset: RuleSet, num_players: int) -> tuple[View, ViewScores]:
    """Something to ask, and whom."""
    return Game.deal(ruleset, 0, num_players).view(), _compiled(ruleset, None, num_players)
