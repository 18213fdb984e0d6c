"""The agent `learned`: a policy network, and playouts with it for advice.

`plain_learned` answers single questions in plain Python; compiled code (`policy`) takes over once it is ready. Both choose the
same moves.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from big2_agents.estimates import with_alike
from big2_agents.learned.plain_learned import PlainLearned, WeightsSource, compilation_of_searches, plain_learned
from big2_agents.models import shipped_weights
from big2_env.advice import Advice
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.switch import Compilation, Switch
from big2_env.one_call import OneCall, one_at_a_time

if TYPE_CHECKING:
    from big2_agents.learned.policy import LearnedPolicy
    from big2_agents.learned.search import LearnedSearchAgent
    from big2_env.kernels.opponents import Opponent


class LearnedAgent:
    """Plays the move that a policy network scores highest, or a forced win if it finds one.

    The agent needs no PyTorch. It answers in plain Python until compiled code is ready; compilation starts in the background
    once a process has asked for enough moves. Nothing about its moves is random.

    Args:
        weights: A file written by `big2 train candidate-ppo`; `FILE.npz,any` also allows rules that it was not trained for. By
            default, the shipped weights for the ruleset. As a specification: `learned`, `learned:runs/big2/big2.npz`.
        advice_playouts: Playouts for the values of `advise`, over all candidates.

    Raises:
        ConfigError: The file holds no weights. `act` raises it if weights for the ruleset are missing.
    """

    is_stochastic = False

    def __init__(self, weights: str | Path | None = None, *, advice_playouts: int = 2000) -> None:
        self._source = WeightsSource(weights)
        self.one_call = OneCall()
        self._advice_playouts = advice_playouts
        self._players: Switch[PlainLearned | LearnedPolicy] | None = None
        self._search: LearnedSearchAgent | None = None
        self.lacks_values = False
        """True if the last advice has no values because playouts are not compiled."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings only; the rest is rebuilt for the next game."""
        return self.__dict__ | dict.fromkeys(("_players", "_valuing", "_search"))

    def check(self, ruleset: RuleSet, num_players: int) -> None:
        """Check, without compiling, that there are weights for a game.

        Args:
            ruleset: The rules of the game.
            num_players: Number of seats.

        Raises:
            ConfigError: Weights are missing, or were trained for other rules.
        """
        self._source.path(ruleset, num_players)

    def trained_for(self, ruleset: RuleSet, num_players: int) -> RuleSet | None:
        """Return the rules that the weights for a game were trained for; None if they do not name them."""
        return self._source.trained_for(ruleset)

    @staticmethod
    def data_files(ruleset: RuleSet, num_players: int) -> list[Path]:
        """Return the data files needed for a game; web pages fetch them when the agent is selected.

        Args:
            ruleset: The rules of the game.
            num_players: Number of seats.

        Raises:
            ConfigError: Weights for the game are missing.
        """
        return [shipped_weights(ruleset, num_players)]

    def reset(self, seed: int) -> None:
        """Start a game; the seed is ignored, since nothing is random."""

    @one_at_a_time
    def prepare(self, view: View) -> None:
        """Compile the code for moves and advice in games like the one in `view` now instead of in the background.

        Raises:
            ConfigError: Weights for the ruleset are missing, or were trained for other rules.
        """
        self._open(view).compilation.finish()
        self._valuing.finish()

    @one_at_a_time
    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return a move that starts a forced win, else the legal move with the highest score."""
        view.check(legal)
        return self._open(view).ask(lambda player: player.decide(view, legal))[0]

    @one_at_a_time
    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        """Return every legal move with its score and probability, best first.

        If playouts are compiled, by `prepare` or by `big2 warm`, moves have the values of `LearnedSearchAgent` and its order,
        which corrects a network that misjudges a position. Without values, the network's scores order them, and also where
        cards are drawn from a pile: there the network alone has less regret than playouts by rule-based agents.
        """
        view.check(legal)
        rated, sure = self._open(view).ask(lambda player: _rated(player, view, legal))
        tried = self._tried(view, legal) if len(rated) > 1 else []
        self.lacks_values = len(rated) > 1 and not sure and not tried
        values = {one.play: one for one in tried}
        found = [
            replace(values.get(one.play, one), score=one.score, probability=one.probability, sure=one.sure) for one in rated
        ]
        if not view.ruleset.draw_pile:
            place = {one.play: number for number, one in enumerate(tried)}
            found.sort(key=lambda one: place.get(one.play, len(place)))
        return with_alike(found, legal)

    def batched(self, ruleset: RuleSet, num_players: int) -> Opponent:
        """Return the compiled version of this agent for many games at once.

        Raises:
            ConfigError: Weights for the ruleset are missing, or were trained for other rules.
        """
        from big2_agents.learned.plain_learned import opinion_weights
        from big2_agents.learned.rows import LearnedRows

        path = self._source.path(ruleset, num_players)
        return LearnedRows(ruleset, self._source.network(path), num_players, opinion_weights(path, ruleset))

    def _open(self, view: View) -> Switch[PlainLearned | LearnedPolicy]:
        """Return what plays the game of a view.

        Raises:
            ConfigError: Weights for it are missing or do not fit.
        """
        if self._players is not None and self._players.serves(view):
            return self._players
        rules, number = view.ruleset, view.num_players
        path = self._source.path(rules, number)
        plain = plain_learned(path, path.stat().st_mtime, rules, number)
        game = rules, number
        self._players = Switch(_acting(path, *game), lambda: plain, lambda: _policy(self._source), game=game, is_shared=True)
        self._valuing = compilation_of_searches(path, *game)
        self._search = None
        return self._players

    def _tried(self, view: View, legal: LegalPlays) -> list[Advice]:
        """Return advice with values from playouts for every candidate, best first; nothing if playouts are not compiled."""
        if not self._valuing.load():
            return []
        if self._search is None:
            self._search = _search_with(self._source, self._advice_playouts)
        return [one for one in self._search.advise(view, legal) if one.playouts]


def _rated(player: PlainLearned | LearnedPolicy, view: View, legal: LegalPlays) -> tuple[list[Advice], bool]:
    """Return a player's advice on every candidate, best first, and whether the best starts a forced win."""
    (best, sure), rated = player.decide(view, legal), player.rated(view, legal)
    highest = max(score for _, score in rated)
    weights = [math.exp(score - highest) for _, score in rated]
    found = [
        Advice(play, score=score, probability=weight / sum(weights), sure=sure and play == best)
        for (play, score), weight in zip(rated, weights, strict=True)
    ]
    return sorted(found, key=lambda advice: (advice.play != best, -(advice.score or 0.0))), sure


@lru_cache(maxsize=64)
def _acting(path: Path, ruleset: RuleSet, num_players: int) -> Compilation:
    """Return the compilation state of moves by a file of weights."""

    def prepare() -> None:
        policy, view = _policy(WeightsSource.settled(path)), Game.deal(ruleset, 0, num_players).view()
        policy.decide(view, view.legal_plays())
        policy.rated(view, view.legal_plays())

    return Compilation(prepare)


def _policy(weights: WeightsSource) -> LearnedPolicy:
    from big2_agents.learned.policy import LearnedPolicy  # numba takes half a second to load

    return LearnedPolicy(weights)


def _search_with(weights: WeightsSource, playouts: int) -> LearnedSearchAgent:
    """Return a search that tries every candidate, including moves that the network would almost never make."""
    from big2_agents.learned.search import MOST, LearnedSearchAgent

    return LearnedSearchAgent(playouts, candidates=MOST, weights=weights)
