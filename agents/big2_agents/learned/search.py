"""Search with a network: what it thinks of is tried on sampled deals.

Where a critic was fitted to such questions, the network plays in all seats up to the seat's next choice, which the critic
judges. Else rule players play the deals out: by a critic that has only helped to learn, a search plays no better than the
network alone, in some games worse.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np

from big2_agents.estimates import Estimate, Opened, Trials
from big2_agents.kernels.feature_layout import has_card_features
from big2_agents.kernels.features import write_choice, write_hidden, write_state
from big2_agents.kernels.playouts import RuleTrials, begin_playout, next_sample
from big2_agents.kernels.plays import find_acts
from big2_agents.kernels.sources import AGENTS_SOURCES
from big2_agents.kernels.track import make_tracked
from big2_agents.learned.network import score_plays, value_of
from big2_agents.learned.plain_learned import WeightsSource
from big2_agents.learned.policy import LearnedPolicy
from big2_agents.learned.weights import MAX_WIDTH, CriticNetwork, Network, is_fitted
from big2_agents.models import critic_beside
from big2_agents.search import EXACT, PROPOSALS, TRUST, SearchAgent, try_once
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.dialect.bits import borrowed, random_next
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.tables import Tables
from big2_env.kernels.turn import payoff
from big2_env.kernels.variants import variant_of

NETWORK_SLOPE: Final = 0.1
"""What a unit in the network's scores is worth, in standard deviations of the payoff."""
NETWORK_TRUST: Final = 40.0
"""How many samples the network's own opinion counts for where a critic judges."""
NETWORK_GAP: Final = 4.0
"""Plays that the network scores so much less than its favourite are not tried: on deals that fit what is public as little as
sampled ones do, such plays look better than they are."""


def search_compiled_mark(ruleset: RuleSet, num_players: int, *, by_critic: bool) -> Path:
    """The file, beside numba's cache, that says that a search with a network has been compiled for games like this one.

    With a critic it plays out as here, else as `kernels.playouts` does.
    """
    folder, kind = Path(play_out_by_network.stats.cache_path), "cards" if has_card_features(ruleset, num_players) else "ranks"
    name = "network" if by_critic else "rated"
    return folder / f"{name}_playouts-{AGENTS_SOURCES}-{variant_of(ruleset).name}-{kind}-numba{version('numba')}.compiled"


class Buffers:
    """Scratch of the play-outs, the arrays that the kernels write into: for a layout of features and so many candidates."""

    def __init__(self, layout: Any, candidates: int) -> None:
        self.state = np.zeros((1, int(layout.state_size)), np.int8)
        self.plays = np.zeros((candidates, int(layout.play_size)), np.int8)
        self.hidden = np.zeros((1, int(layout.hidden_size)), np.int8)
        self.scores = np.zeros(candidates, np.float32)
        self.work = np.zeros((4, MAX_WIDTH), np.float32)


@kernel(entry=True)
def _draw(scores: Any, count: Any, number: Any) -> Any:
    """An index drawn by the softmax of scores; `number` is a uniform uint64."""
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
    """As `play_out_by_rules`, with the network in all seats and the critic at the end.

    `heur` is a `heuristic_record`, `feats` a `feature_record`.
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
    """Tries of candidates by heuristic players where a policy network says what it thinks of the candidates.

    Args:
        policy: the network.
        view: of the game that is played.
        proposals: as of `RuleTrials`.

    Raises:
        ConfigError: as `RuleTrials`; no weights that fit.
    """

    def __init__(self, policy: LearnedPolicy, view: View, proposals: int) -> None:
        policy.prepare(view)
        super().__init__(view.ruleset, view.num_players, proposals)
        self._policy = policy

    def open(self, view: View, legal: LegalPlays, seed: int) -> Opened:
        """Begin a decision, as `Trials.open`; the scores are the network's."""
        found = super().open(view, legal, seed)
        if len(found.plays) == 1:
            return found
        return found._replace(scores=self._policy.scores(view)[1].tolist())


class NetworkTrials(RatedTrials):
    """The same by the network in all seats, up to the seat's own next choice, where the critic beside it judges.

    Args:
        policy: the network.
        view: of the game that is played.

    Raises:
        ConfigError: as `RatedTrials`; no critic that fits.
    """

    def __init__(self, policy: LearnedPolicy, view: View) -> None:
        super().__init__(policy, view, 0)
        self._critic = policy.critic()
        self._buffers = Buffers(policy.layout, policy.most)

    def _run(self, chosen: Any, samples: int, sums: Any) -> Any:
        own, policy = self._buffers, self._policy
        return play_out_by_network(
            self._tables, self._search, policy._heuristic, policy.layout, policy.network, self._critic,
            own.state, own.plays, own.hidden, own.scores, own.work, chosen, samples, sums[0], sums[1], self._scratch,
        )  # fmt: skip


class LearnedSearchAgent(SearchAgent):
    """Search with a policy network, by the critic beside it or by rule players.

    The critic judges where `big2 train critic` has fitted it to plays that the network would hardly make, which are what it is
    asked about.

    Args:
        budget: as for `SearchAgent`; the file of weights may stand behind it, as in `50ms,runs/big2/big2.npz`.
        candidates: how many of the network's favourite plays are tried.
        weights: a file of policy weights; a critic lies beside it as `<name>_critic.npz`. By default those shipped. Or
            `WeightsSource`.
    """

    slope, gap = NETWORK_SLOPE, NETWORK_GAP

    def __init__(
        self, budget: str | int = "50ms", *, candidates: int = 6, weights: str | Path | WeightsSource | None = None
    ) -> None:
        budget, _, path = str(budget).partition(",")
        weights = weights or path or None
        super().__init__(budget, candidates=candidates)
        self._source = weights if isinstance(weights, WeightsSource) else WeightsSource(weights)
        self._game: tuple[RuleSet, int] | None = None
        self._compiled: Trials | None = None

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_game": None, "_compiled": None}

    def check(self, ruleset: RuleSet, num_players: int) -> None:
        """See if there are weights for a game. Raises ConfigError as `LearnedPolicy.check` does."""
        self._source.path(ruleset, num_players)

    def weights_file(self, ruleset: RuleSet, num_players: int) -> Path:
        """Return the file of the weights that play a game; raises as `check`."""
        return self._source.path(ruleset, num_players)

    def prepare(self, view: View) -> None:
        """Load or compile what acts in games like that of a view need."""
        try_once(self._trials(view), view.ruleset, view.num_players)

    def _ask(self, view: View, find: Callable[[Trials], list[Estimate]]) -> list[Estimate]:
        return find(self._trials(view))

    def _trials(self, view: View) -> Trials:
        rules, number = view.ruleset, view.num_players
        if self._compiled is None or self._game is None or self._game[0] is not rules or self._game[1] != number:
            policy = LearnedPolicy(self._source)
            if is_fitted(critic_beside(self._source.path(rules, number))):
                self.trust, self.exact = NETWORK_TRUST, 0
                self._compiled = NetworkTrials(policy, view)
            else:
                self.trust, self.exact = TRUST, EXACT
                self._compiled = RatedTrials(policy, view, PROPOSALS)
            self._game = rules, number
        return self._compiled
