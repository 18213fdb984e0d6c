"""Determinized search guided by a policy network.

If a critic was fitted to the questions of a search, the network plays for all seats until the seat's next choice, and the
critic evaluates that position. Otherwise rule-based agents play the sampled deals out, and in a large search `learned` plays
the best candidates out again (`second_look`). A critic that was trained only as a baseline does not help: with it, search
plays no better than the network alone, and worse in some games.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from big2_agents.estimates import Estimate, Opened, Trials
from big2_agents.kernels.codes import NET
from big2_agents.kernels.features import write_choice, write_hidden, write_state
from big2_agents.kernels.heuristic_tables import WEIGHTS
from big2_agents.kernels.playouts import RuleTrials, begin_playout, next_sample
from big2_agents.kernels.plays import find_acts
from big2_agents.kernels.track import make_tracked
from big2_agents.learned.network import score_plays, value_of
from big2_agents.learned.plain_learned import WeightsSource, compilation_of_searches
from big2_agents.learned.playouts import play_out_actions
from big2_agents.learned.policy import LearnedPolicy
from big2_agents.learned.second_look import DEALS, contestants, looked_again
from big2_agents.learned.weights import CriticNetwork, Network, is_fitted
from big2_agents.models import critic_beside
from big2_agents.search import EXACT, FULL, PROPOSALS, TRUST, SearchAgent, try_once
from big2_env.agents import Agent, is_hurried, make_agent
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.dialect.bits import borrowed, random_next
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.tables import Tables
from big2_env.kernels.turn import payoff
from big2_env.one_call import one_at_a_time

NETWORK_SLOPE: Final = 0.1
"""Value of one unit of the network's score, in standard deviations of the payoff."""
NETWORK_TRUST: Final = 40.0
"""Weight of the network's score as a prior, in samples, if a critic evaluates."""
NETWORK_GAP: Final = 4.0
"""In a search of few candidates, moves that score this much less than the network's favorite are not tried: sampled deals only
roughly fit the public information, and on a few of them such moves may look better than they are.
"""
WIDTH: Final = 6
"""Maximum number of candidates of a smaller search."""
MOST: Final = 1000
"""More candidates than any decision has."""


@kernel
def _draw(scores: Any, count: Any, number: Any) -> Any:
    """Return an index drawn from the softmax of scores; `number` is a uniform uint64."""
    highest = scores[0]
    for i in range(1, count):
        highest = max(highest, scores[i])
    total = np.float32(0)
    for i in range(count):
        total += np.exp(scores[i] - highest)
    rest = np.float64(number >> np.uint64(11)) * (1.0 / 9007199254740992.0) * total
    for i in range(count):
        rest -= np.exp(scores[i] - highest)
        if rest < 0:
            return i
    return count - 1


@kernel(entry=True)
def play_out_by_network(
    tab: Tables,
    search: Any,
    heur: Any,
    feats: Any,
    net: Network,
    critic: CriticNetwork,
    state: Any,
    plays: Any,
    hidden: Any,
    scores: Any,
    work: Any,
    chosen: Any,
    samples: Any,
    totals: Any,
    squares: Any,
    scratch: Any,
) -> Any:
    """Play candidates out as `play_out_by_rules` does, with the network in all seats and the critic at the end.

    Args:
        tab: Tables of the ruleset.
        search: Record of the search; games and random streams are written.
        heur: A `heuristic_record`.
        feats: A `feature_record`.
        net: Policy weights.
        critic: Critic weights.
        state: Scratch of `Buffers`, like the next four.
        plays: Scratch.
        hidden: Scratch.
        scores: Scratch.
        work: Scratch.
        chosen: Candidates to try, bool (n,).
        samples: Number of sampled deals.
        totals: By candidate; weighted payoffs are added.
        squares: By candidate; weighted squared payoffs are added.
        scratch: Scratch of the variant.

    Returns:
        The sum of the deals' weights, and the sum of their squared weights.
    """
    state, plays, hidden, scores, work = borrowed(state), borrowed(plays), borrowed(hidden), borrowed(scores), borrowed(work)
    chosen, totals, squares = borrowed(chosen), borrowed(totals), borrowed(squares)
    seat = search.root.turn
    weights = squared_weights = 0.0
    for _ in range(samples):
        weight, stream = next_sample(tab, search, scratch)
        weights += weight
        squared_weights += weight * weight
        for i in range(search.root_candidates.count):
            if not chosen[i]:
                continue
            begin_playout(tab, search, i, stream, scratch)
            game, track, cand = search.game, search.track, search.candidates
            value = np.float64(0)
            while True:
                if game.winner >= 0:
                    value = payoff(tab, game, seat)
                    break
                find_acts(tab, game, cand)
                best = np.int64(0)
                if cand.count > 1:
                    count = cand.count
                    if game.turn == seat:
                        write_hidden(tab, game, cand, feats, hidden, 0)
                        write_state(tab, game, track, cand, feats, state, 0)
                        value = np.float64(value_of(critic, state[0], hidden[0], work))
                        break
                    write_choice(tab, game, track, cand, heur, feats, state, 0, plays, 0)
                    score_plays(net, state[0], plays[:count], scores, work)
                    game.rng, number = random_next(game.rng)
                    best = _draw(scores, count, number)
                make_tracked(tab, game, track, cand, best, scratch)
            totals[i] += weight * value
            squares[i] += weight * value * value
    return weights, squared_weights


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
        self._codes, self._rivals = np.full(view.num_players, NET, np.int64), np.zeros(view.num_players, WEIGHTS)

    def open(self, view: View, legal: LegalPlays, seed: int) -> Opened:
        """Begin a decision as `Trials.open` does, with the network's scores."""
        found = super().open(view, legal, seed)
        if len(found.plays) == 1:
            return found
        return found._replace(scores=self._policy.scores(view)[1].tolist())

    def look_again(self, chosen: Sequence[int], deals: int) -> Any:
        """Return payoffs of candidates with `learned` in all seats after the move, on the same further deals for each.

        Args:
            chosen: Indices of the candidates.
            deals: Number of sampled deals.

        Returns:
            float32 (number of candidates, deals).
        """
        policy, own, paid = self._policy, self._policy.buffers, np.zeros((len(chosen), deals), np.float32)
        play_out_actions(
            self._tables, self._search, policy.heuristic, policy.layout, policy.network, own.states, own.plays, own.scores,
            own.work, self._codes, self._heuristic, self._rivals, self._ids[list(chosen)], paid, self._scratch,
        )  # fmt: skip
        return paid


class NetworkTrials(RatedTrials):
    """Playouts by the network in all seats until the seat's next choice, which the critic evaluates.

    Args:
        policy: The network.
        view: A view of the game.

    Raises:
        ConfigError: The kernels do not support the ruleset, or no weights or no critic fit.
    """

    def __init__(self, policy: LearnedPolicy, view: View) -> None:
        super().__init__(policy, view, 0)
        self._critic = policy.critic()

    def _run(self, chosen: Any, samples: int, sums: Any) -> Any:
        policy, own = self._policy, self._policy.buffers
        return play_out_by_network(
            self._tables, self._search, policy.heuristic, policy.layout, policy.network, self._critic,
            own.states, own.plays, own.hidden, own.scores, own.work, chosen, samples, sums[0], sums[1], self._scratch,
        )  # fmt: skip


class LearnedSearchAgent(SearchAgent):
    """Determinized search guided by the policy network, with a critic or rule-based playouts to evaluate moves.

    The critic is used if `big2 train critic` has fitted it to moves that the network would rarely make, since a search asks
    about those. Without it, `learned` also plays out the best candidates of a search with 1,000 playouts or more
    (`second_look`).

    Args:
        budget: Playouts or time per decision, optionally followed by a file of weights. As a specification:
            `learned-search:400`, `learned-search:50ms`, `learned-search:50ms,runs/big2/big2.npz`.
        candidates: Maximum number of moves to try, the best by the network's score. By default 6; all legal moves, also those
            that the network almost never makes, if the budget is at least 1,000 playouts.
        weights: A file of policy weights, or a `WeightsSource`. Its critic is `<name>_critic.npz` in the same folder. By
            default, the shipped weights.

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
        is_full = self.playouts is not None and self.playouts >= FULL
        self.width = candidates or (MOST if is_full else WIDTH)
        self.gap = math.inf if self.width >= MOST else NETWORK_GAP
        self._source = weights if isinstance(weights, WeightsSource) else WeightsSource(weights)
        self._game: tuple[RuleSet, int] | None = None
        self._compiled: RatedTrials | None = None
        self._evaluates_by_rules = False

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_game": None, "_compiled": None}

    def check(self, ruleset: RuleSet, num_players: int) -> None:
        """Check that there are weights for a game.

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

    @one_at_a_time
    def prepare(self, view: View) -> None:
        """Load or compile the code for games like the one in `view`."""
        trials = self._trials(view)
        try_once(trials, view.ruleset, view.num_players)
        if self._evaluates_by_rules:  # also in a small search: one mark on disk is for both
            trials.look_again([0], 1)

    def _meanwhile(self, view: View) -> Agent | None:
        if not is_hurried():
            return None
        path = self._source.path(view.ruleset, view.num_players)
        waits = compilation_of_searches(path, view.ruleset, view.num_players).makes_wait()
        return make_agent(f"learned:{path}") if waits else None

    def _ask(self, view: View, find: Callable[[Trials], list[Estimate]]) -> list[Estimate]:
        return find(self._trials(view))

    def _try(self, trials: Trials, view: View, opened: Opened, kept: Sequence[int] = ()) -> list[Estimate]:
        found = super()._try(trials, view, opened, kept)
        is_small = view.ruleset.draw_pile or sum(view.cards_left) <= self.exact
        is_full = self.width >= MOST and self.playouts is not None and self.playouts >= FULL
        if not is_full or is_small or not self._evaluates_by_rules or not isinstance(trials, RatedTrials):
            return found
        tried = contestants(found, [opened.plays[number] for number in kept])
        if len(tried) < 2:
            return found
        paid = trials.look_again([opened.plays.index(found[i].play) for i in tried], DEALS)
        return looked_again(found, tried, paid)

    def _trials(self, view: View) -> RatedTrials:
        rules, number = view.ruleset, view.num_players
        if self._compiled is None or self._game is None or self._game[0] is not rules or self._game[1] != number:
            policy = LearnedPolicy(self._source)
            self._evaluates_by_rules = not is_fitted(critic_beside(self._source.path(rules, number)))
            if not self._evaluates_by_rules:
                self.trust, self.exact = NETWORK_TRUST, 0
                self._compiled = NetworkTrials(policy, view)
            else:
                self.trust, self.exact = TRUST, EXACT
                self._compiled = RatedTrials(policy, view, PROPOSALS)
            self._game = rules, number
        return self._compiled
