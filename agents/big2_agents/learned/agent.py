"""The learned player: a policy network, and a search with it for those who ask for advice.

`plain_learned` answers single questions, compiled code those that come once it is there (`policy`). Both make the same acts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from big2_agents.estimates import of_estimates, with_alike
from big2_agents.first_answers import InterpretedThenCompiled
from big2_agents.learned.plain_learned import PlainLearned, WeightsSource, plain_learned
from big2_agents.models import critic_beside, shipped_weights
from big2_env.advice import Advice
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.runs.background_compile import BackgroundCompile

if TYPE_CHECKING:
    from big2_agents.learned.policy import LearnedPolicy
    from big2_agents.learned.search import LearnedSearchAgent
    from big2_env.kernels.opponents import Opponent

T = TypeVar("T")
MOST: Final = 1000
"""More candidates than any decision has."""


class LearnedAgent:
    """Plays a sure win where it sees one, else the candidate with the best score.

    Plain Python answers until compiled code is ready; it is compiled in the background, and only where a process asks much.

    Args:
        weights: as of `WeightsSource`.
        advice_playouts: play-outs from which `advise` has its values, all candidates together.

    Raises:
        ConfigError: a weights file that is none; by `act`, a ruleset without weights, or that they were not trained for.
    """

    def __init__(self, weights: str | Path | None = None, *, advice_playouts: int = 2000) -> None:
        self._source = WeightsSource(weights)
        self._advice_playouts = advice_playouts
        self._players: InterpretedThenCompiled[PlainLearned | LearnedPolicy] | None = None
        self._search: LearnedSearchAgent | None = None
        self.lacks_values = False
        """True if the last advice has no values because play-outs are not compiled."""

    def __getstate__(self) -> dict[str, Any]:
        """What was asked for: all else is made anew for the next game."""
        return self.__dict__ | dict.fromkeys(("_players", "_acting", "_valuing", "_search"))

    def check(self, ruleset: RuleSet, num_players: int) -> None:
        """See, without compiling anything, if there are weights for a game.

        Raises:
            ConfigError: there are none, or they were trained for other rules.
        """
        self._source.path(ruleset, num_players)

    def weights_file(self, ruleset: RuleSet, num_players: int) -> Path:
        """Return the file of the weights that play a game; raises as `check`."""
        return self._source.path(ruleset, num_players)

    @staticmethod
    def data_files(ruleset: RuleSet, num_players: int) -> list[Path]:
        """The files beside its modules that it needs for a game, for pages that fetch them when it is chosen.

        Raises:
            ConfigError: there are no weights for the game.
        """
        return [shipped_weights(ruleset, num_players)]

    def reset(self, seed: int) -> None:
        """Start a game; nothing the agent does is random."""

    def prepare(self, view: View) -> None:
        """Compile now, not in the background, what acts and advice in games like that of a view need.

        Raises:
            ConfigError: as `act`.
        """
        self._open(view)
        self._acting.finish()
        self._valuing.finish()

    def act(self, view: View, legal: LegalPlays) -> Play:
        """A play that begins a sure win, else the legal play with the best score."""
        view.check(legal)
        self._open(view)
        return self._answer(lambda player: player.decide(view, legal))[0]

    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        """The legal plays with score and probability.

        They have values from the play-outs of `LearnedSearchAgent` too where these are compiled: by `prepare`, or before by
        `big2 warm`.
        """
        view.check(legal)
        self._open(view)

        def ask(player: PlainLearned | LearnedPolicy) -> tuple[tuple[Play, bool], list[tuple[Play, float]]]:
            return player.decide(view, legal), player.rated(view, legal)

        (best, sure), rated = self._answer(ask)
        highest = max(score for _, score in rated)
        weights = [math.exp(score - highest) for _, score in rated]
        is_choice = len(rated) > 1 and not sure
        values = self._values(view, legal) if is_choice else {}
        self.lacks_values = is_choice and not values
        found = []
        for (play, score), weight in zip(rated, weights, strict=True):
            advice = values.get(play) or Advice(play)
            found.append(replace(advice, score=score, probability=weight / sum(weights), sure=sure and play == best))
        found.sort(key=lambda advice: (advice.play != best, -(advice.score or 0.0)))
        return with_alike(found, legal)

    def batched(self, ruleset: RuleSet, num_players: int) -> Opponent:
        """The same player for many games at once.

        Raises:
            ConfigError: as `check`; there are no weights for the ruleset.
        """
        from big2_agents.learned.plain_learned import opinion_weights
        from big2_agents.learned.rows import LearnedRows

        path = self._source.path(ruleset, num_players)
        return LearnedRows(ruleset, self._source.network(path), num_players, opinion_weights(path, ruleset))

    def _open(self, view: View) -> None:
        """Be ready for a view's game. Raises ConfigError where there are no weights for it, or none that fit."""
        if self._players is not None and self._players.serves(view):
            return
        rules, number = view.ruleset, view.num_players
        path = self._source.path(rules, number)
        plain = plain_learned(path, path.stat().st_mtime, rules, number)
        self._players = InterpretedThenCompiled(rules, number, lambda: plain, lambda: _policy(self._source), is_shared=True)
        self._acting, self._valuing = _acting(path, rules, number), _valuing(path, rules, number)
        self._search = None

    def _answer(self, ask: Callable[[PlainLearned | LearnedPolicy], T]) -> T:
        assert self._players is not None
        return self._players.ask(ask, self._acting)

    def _values(self, view: View, legal: LegalPlays) -> dict[Play, Advice]:
        """Every candidate, played out; nothing where nothing is compiled."""
        if not self._valuing.is_at_hand():
            return {}
        if self._search is None:
            self._search = _search_with(self._source, self._advice_playouts)
        search = self._search
        return {found.play: found for found in of_estimates(search.estimates(view, legal), legal) if found.playouts}


@lru_cache(maxsize=64)
def _acting(path: Path, ruleset: RuleSet, num_players: int) -> BackgroundCompile:
    """Whether acts by a file of weights are compiled for a game."""

    def prepare() -> None:
        policy, view = _policy(WeightsSource.settled(path)), Game.deal(ruleset, 0, num_players).view()
        policy.decide(view, view.legal_plays())
        policy.rated(view, view.legal_plays())

    return BackgroundCompile(prepare)


@lru_cache(maxsize=64)
def _valuing(path: Path, ruleset: RuleSet, num_players: int) -> BackgroundCompile:
    """Whether play-outs by a file of weights are compiled for a game."""

    def prepare() -> None:
        view = Game.deal(ruleset, 0, num_players).view()
        _search_with(WeightsSource.settled(path), 1).judge(view, view.legal_plays())

    def mark() -> Path:
        from big2_agents.learned.search import search_compiled_mark
        from big2_agents.learned.weights import is_fitted

        return search_compiled_mark(ruleset, num_players, by_critic=is_fitted(critic_beside(path)))

    return BackgroundCompile(prepare, mark)


def _policy(weights: WeightsSource) -> LearnedPolicy:
    from big2_agents.learned.policy import LearnedPolicy  # numba takes half a second to load

    return LearnedPolicy(weights)


def _search_with(weights: WeightsSource, playouts: int) -> LearnedSearchAgent:
    """The search that gives acts their values: a search leaves out what the network hardly plays, whoever asks wants it all."""
    from big2_agents.learned.search import LearnedSearchAgent

    search = LearnedSearchAgent(playouts, candidates=MOST, weights=weights)
    search.gap = math.inf
    return search
