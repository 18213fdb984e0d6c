"""The agent `learned`: a policy network, and the evaluator's values for advice.

`plain_learned` answers single questions in plain Python; compiled code (`policy`) takes over once it is ready. Both choose the
same moves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from big2_agents.kernels.estimates import with_alike
from big2_agents.learned.evaluator import DEALS, Evaluating, certain_first
from big2_agents.learned.plain_learned import PlainLearned, WeightsSource, plain_learned
from big2_agents.models import shipped_weights
from big2_env.agents.advice import Advice
from big2_env.base.one_call import OneCall, one_at_a_time
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.switch import Compilation, Switch

if TYPE_CHECKING:
    from big2_agents.learned.playthroughs import Playthroughs
    from big2_agents.learned.policy import LearnedPolicy
    from big2_agents.learned.rows import LearnedRows


class LearnedAgent(Evaluating):
    """Plays the move that a policy network scores highest, or a forced win if it finds one.

    The agent needs no PyTorch. It answers in plain Python until compiled code is ready; compilation starts in the background
    once a process has asked for enough moves. Nothing about its moves is random.

    Args:
        weights: A file written by `big2 train candidate-ppo`; `FILE.npz,any` also allows rules that it was not trained for. By
            default, the shipped weights for the ruleset. As a specification: `learned`, `learned:runs/big2/big2.npz`.
        deals: Sampled deals of either half for the values of `advise`, see `evaluator`.

    Raises:
        ConfigError: The file holds no weights. `act` raises it if weights for the ruleset are missing.
    """

    is_stochastic = False

    def __init__(self, weights: str | Path | None = None, *, deals: int = DEALS) -> None:
        super().__init__(deals)
        self._source = WeightsSource(weights)
        self.one_call = OneCall()
        self._players: Switch[PlainLearned | LearnedPolicy] | None = None
        self.lacks_values = False
        """True if the last advice has no values because playouts are not compiled."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings only; the rest is rebuilt for the next game."""
        return self.__dict__ | {"_players": None, "_evaluator": None}

    def check(self, ruleset: RuleSet, num_players: int) -> None:
        """Check, without compiling, that there are weights for a game.

        Raises:
            ConfigError: Weights are missing, or were trained for other rules.
        """
        self._source.path(ruleset, num_players)

    def trained_for(self, ruleset: RuleSet, num_players: int) -> RuleSet | None:
        """Return the rules that the weights for a game were trained for; None if they do not name them."""
        return self._source.trained_for(ruleset, num_players)

    @staticmethod
    def data_files(ruleset: RuleSet, num_players: int) -> list[Path]:
        """Return the data files needed for a game; web pages fetch them when the agent is selected.

        Raises:
            ConfigError: Weights for the game are missing.
        """
        return [shipped_weights(ruleset, num_players)]

    @one_at_a_time
    def prepare(self, view: View) -> None:
        """Compile the code for moves and advice in games like the one in `view` now instead of in the background.

        Raises:
            ConfigError: Weights for the ruleset are missing, or were trained for other rules.
        """
        self._open(view).compilation.finish()
        self._evaluating(view).prepare()

    @one_at_a_time
    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return a move that starts a forced win, else the legal move with the highest score."""
        view.check(legal)
        return self._open(view).ask(lambda player: player.decide(view, legal))[0]

    @one_at_a_time
    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        """Return every legal move with its score and probability, best first.

        If playouts are compiled, by `prepare` or by `big2 warm`, the best moves have values, and the order is the evaluator's.
        Without values, a certain win comes first, then the network's scores order moves.
        """
        return self._judged(view, legal, ())

    @one_at_a_time
    def judge(self, view: View, legal: LegalPlays, also: Sequence[Play] = ()) -> list[Advice]:
        """Return the result of `advise`, in which moves in `also` have values too."""
        return self._judged(view, legal, also)

    @one_at_a_time
    def order(self, view: View, legal: LegalPlays) -> list[Advice]:
        """Return every legal move without values: a certain win, then the network's order."""
        ordered, forced = self._ordered(view, legal)
        return with_alike(certain_first(view, ordered, forced), legal)

    def _ordered(self, view: View, legal: LegalPlays) -> tuple[list[Advice], Play | None]:
        """Return the network's candidates, the best first, and a move that starts a forced win if it finds one."""
        view.check(legal)

        def ask(player: PlainLearned | LearnedPolicy) -> tuple[list[Advice], Play | None]:
            best, is_sure = player.decide(view, legal)
            return _rated(player.rated(view, legal)), best if is_sure else None

        return self._open(view).ask(ask)

    def _judged(self, view: View, legal: LegalPlays, also: Sequence[Play]) -> list[Advice]:
        ordered, forced = self._ordered(view, legal)
        found = self._evaluating(view).judge(view, legal, ordered, self._seed, also, forced)
        self.lacks_values = len(ordered) > 1 and not found[0].sure and not found[0].playouts
        return found

    def _weights(self, ruleset: RuleSet, num_players: int) -> Path:
        return self._source.path(ruleset, num_players)

    def batched(self, ruleset: RuleSet, num_players: int, temperature: float = 0.0) -> LearnedRows:
        """Return the compiled version of this agent for many games at once.

        Args:
            ruleset: Rules of the games.
            num_players: Number of seats.
            temperature: Divisor of the scores from whose softmax moves are sampled; 0 for the best move.

        Raises:
            ConfigError: Weights for the ruleset are missing, or were trained for other rules.
        """
        from big2_agents.learned.plain_learned import opinion_weights
        from big2_agents.learned.rows import LearnedRows

        path = self._source.path(ruleset, num_players)
        return LearnedRows(ruleset, self._source.network(path), num_players, opinion_weights(path, ruleset), temperature)

    def playthroughs(self, ruleset: RuleSet, num_players: int, number: int, temperature: float) -> Playthroughs:
        """Return compiled players of many games of one deal, in which one seat samples its moves.

        Args:
            ruleset: Rules of the games.
            num_players: Number of seats.
            number: Number of games.
            temperature: As in `batched`.
        """
        from big2_agents.learned.playthroughs import Playthroughs
        from big2_env.kernels.engine import BatchEngine

        own, others = (self.batched(ruleset, num_players, each) for each in (temperature, 0.0))
        return Playthroughs(own, others, BatchEngine(ruleset, number, num_players=num_players))

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
        return self._players


def _rated(scored: Sequence[tuple[Play, float]]) -> list[Advice]:
    """Return candidates as advice with scores and probabilities, the highest score first."""
    highest = max(score for _, score in scored)
    weights = [math.exp(score - highest) for _, score in scored]
    whole = math.fsum(weights)
    found = [Advice(play, score, weight / whole) for (play, score), weight in zip(scored, weights, strict=True)]
    return sorted(found, key=lambda one: -(one.score or 0.0))


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
