"""Determinized search guided by a policy network.

The network chooses the candidates, and rule-based agents play the sampled deals out. In a large search `learned` plays the best
candidates out again.

Rule-based agents misjudge some decisions by much more than the noise of their playouts, such as bombs that multiply the stake
or calls of an auction. More of their playouts do not help there, but playouts by a better player do. These are slow, so only a
few candidates have them. Differences between candidates count equally in both looks, since their errors are of different kinds:
bias and noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from big2_agents.kernels.codes import NET
from big2_agents.kernels.estimates import Candidates, Estimate, Trials
from big2_agents.kernels.heuristic_tables import WEIGHTS
from big2_agents.kernels.playouts import RuleTrials
from big2_agents.learned.likely_deals import empty_deals
from big2_agents.learned.plain_learned import WeightsSource, compilation_of_searches
from big2_agents.learned.playouts import play_out_actions
from big2_agents.learned.policy import LearnedPolicy
from big2_agents.rule_based.search import FULL_PLAYOUTS, PROPOSALS, SearchAgent, try_once
from big2_env.agents.interface import Agent, is_hurried, make_agent
from big2_env.base.one_call import one_at_a_time
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.compile import check_compiles
from big2_env.kernels.variants import variant_of

NETWORK_SLOPE: Final = 0.1
"""Value of one unit of the network's score, in standard deviations of the payoff."""
NETWORK_GAP: Final = 4.0
"""In a search of few candidates, moves that score this much less than the network's favorite are not tried: sampled deals only
roughly fit the public information, and on a few of them such moves may look better than they are.
"""
WIDTH: Final = 6
"""Maximum number of candidates of a smaller search."""
MOST: Final = 1000
"""More candidates than any decision has."""
FINALISTS: Final = 4
"""Number of candidates that are tried again."""
DEALS: Final = 64
"""Sampled deals of a second look."""


class RatedTrials(RuleTrials):
    """Playouts by heuristic players, with a policy network's scores as the prior.

    Args:
        policy: The network.
        view: A view of the game.
        proposals: Number of proposed deals from which one sample is drawn.

    Raises:
        ConfigError: The kernels do not support the ruleset, or no weights fit.
    """

    def __init__(self, policy: LearnedPolicy, view: View, proposals: int) -> None:
        policy.prepare(view)
        super().__init__(view.ruleset, view.num_players, proposals)
        self._policy = policy
        self._no_deals = empty_deals(variant_of(view.ruleset))
        self._codes, self._rivals = np.full(view.num_players, NET, np.int64), np.zeros(view.num_players, WEIGHTS)

    def open(self, view: View, legal: LegalPlays, seed: int) -> Candidates:
        """Begin a decision as `Trials.open` does, with the network's scores."""
        found = super().open(view, legal, seed)
        if len(found.plays) == 1:
            return found
        return found._replace(scores=self._policy.scores(view)[1].tolist())

    def look_again(self, chosen: Sequence[int], deals: int) -> Any:
        """Return payoffs of candidates with `learned` in all seats after the move, on the same further deals for each.

        Returns:
            float32 (number of candidates, deals).
        """
        paid = np.zeros((len(chosen), deals, len(self._codes)), np.float32)
        play_out_actions(
            self._tables, self._search, self._policy.scorer, self._codes, self._heuristic, self._rivals,
            self._no_deals, self._ids[list(chosen)], paid, self._scratch,
        )  # fmt: skip
        return paid[:, :, self._search.root.turn]


def finalists(found: Sequence[Estimate], kept: Sequence[Play]) -> list[int]:
    """Return the indices of the estimates to try again: the best ones, and kept moves.

    Args:
        found: Estimates, the best first.
        kept: Moves that are tried again in any case.
    """
    return [i for i, each in enumerate(found) if each.samples and (i < FINALISTS or each.play in kept)]


def looked_again(found: Sequence[Estimate], tried: Sequence[int], paid: Any) -> list[Estimate]:
    """Return estimates that take account of a second look: candidates tried again, the best first, then the others.

    With f and p as the values of both looks and 0 as the first candidate, candidate i has the value
    (f_i - f_0 + p_0 + p_i) / 2. The others keep their distance from the first candidate, but none is better than the worst that
    was tried again.

    Args:
        found: Estimates of the first look, the best first.
        tried: Indices of the candidates that were tried again, beginning with 0.
        paid: Payoffs of each on the same sampled deals, (number tried, deals).
    """
    deals, leader = paid.shape[1], found[0]
    level = float(paid[0].mean()) - leader.value
    again = []
    for i, payoffs in zip(tried, paid, strict=True):
        first = found[i]
        error = _error_of_mean((paid[0] + payoffs) / 2)
        if i > 0:
            error = math.hypot(error, first.error / 2, leader.error / 2)
        again.append(Estimate(first.play, (first.value + level + float(payoffs.mean())) / 2, error, first.samples + deals))
    again.sort(key=lambda each: -each.value)
    rest = []
    for i, each in enumerate(found):
        if i not in tried:
            error = math.hypot(each.error, leader.error, _error_of_mean(paid[0]))
            rest.append(replace(each, value=min(each.value + level, again[-1].value), error=error))
    return [*again, *rest]


def _error_of_mean(payoffs: Any) -> float:
    return float(payoffs.std(ddof=1)) / math.sqrt(len(payoffs))


class LearnedSearchAgent(SearchAgent):
    """Determinized search guided by the policy network, with rule-based playouts to evaluate moves.

    In a search with 1,000 playouts or more, `learned` also plays out the best candidates (`looked_again`).

    Args:
        budget: Playouts or time per decision, optionally followed by a file of weights. As a specification:
            `learned-search:400`, `learned-search:50ms`, `learned-search:50ms,runs/big2/big2.npz`.
        candidates: Maximum number of moves to try, the best by the network's score. By default 6; all legal moves, also those
            that the network almost never makes, if the budget is at least 1,000 playouts.
        weights: A file of policy weights, or a `WeightsSource`. By default, the shipped weights.

    Raises:
        ConfigError: The budget is malformed, or the file holds no weights.
    """

    slope, stakes = NETWORK_SLOPE, None

    def __init__(
        self,
        budget: str | int = "50ms",
        *,
        candidates: int | None = None,
        weights: str | Path | WeightsSource | None = None,
    ) -> None:
        budget, _, path = str(budget).partition(",")
        weights = weights or path or None
        super().__init__(budget)
        is_full = self.playouts is not None and self.playouts >= FULL_PLAYOUTS
        self.width = candidates or (MOST if is_full else WIDTH)
        self.gap = math.inf if self.width >= MOST else NETWORK_GAP
        self._source = weights if isinstance(weights, WeightsSource) else WeightsSource(weights)
        self._game: tuple[RuleSet, int] | None = None
        self._compiled: RatedTrials | None = None

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_game": None, "_compiled": None}

    def check(self, ruleset: RuleSet, num_players: int) -> None:
        """Check that there are weights for a game.

        Raises:
            ConfigError: Weights are missing, or were trained for other rules, or playouts cannot be compiled.
        """
        self._source.path(ruleset, num_players)
        check_compiles(ruleset, num_players)

    def trained_for(self, ruleset: RuleSet, num_players: int) -> RuleSet | None:
        """Return the rules that the weights for a game were trained for; None if they do not name them."""
        return self._source.trained_for(ruleset, num_players)

    @one_at_a_time
    def prepare(self, view: View) -> None:
        """Load or compile the code for games like the one in `view`."""
        trials = self._trials(view)
        try_once(trials, view.ruleset, view.num_players)
        trials.look_again([0], 1)  # also in a small search: one mark on disk is for both

    def _meanwhile(self, view: View) -> Agent | None:
        if not is_hurried():
            return None
        path = self._source.path(view.ruleset, view.num_players)
        waits = compilation_of_searches(path, view.ruleset, view.num_players).makes_wait()
        return make_agent(f"learned:{path}") if waits else None

    def _ask(self, view: View, find: Callable[[Trials], list[Estimate]]) -> list[Estimate]:
        return find(self._trials(view))

    def _try(self, trials: Trials, view: View, opened: Candidates, kept: Sequence[int] = ()) -> list[Estimate]:
        found = super()._try(trials, view, opened, kept)
        is_small = view.ruleset.draw_pile or sum(view.cards_left) <= self.exact
        is_full = self.width >= MOST and self.playouts is not None and self.playouts >= FULL_PLAYOUTS
        if not is_full or is_small or not isinstance(trials, RatedTrials):
            return found
        tried = finalists(found, [opened.plays[number] for number in kept])
        if len(tried) < 2:
            return found
        paid = trials.look_again([opened.plays.index(found[i].play) for i in tried], DEALS)
        return looked_again(found, tried, paid)

    def _trials(self, view: View) -> RatedTrials:
        rules, number = view.ruleset, view.num_players
        if self._compiled is None or self._game is None or self._game[0] is not rules or self._game[1] != number:
            self._compiled = RatedTrials(LearnedPolicy(self._source), view, PROPOSALS)
            self._game = rules, number
        return self._compiled
