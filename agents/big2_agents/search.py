"""Search over the hidden cards: candidates are tried on sampled deals that fit what is public; the best mean is played.

`SearchAgent` plays them out with the compiled heuristic and solves endings, in every ruleset; `LearnedSearchAgent` plays with a
policy network up to its own next choice, where a critic judges. Both give the rest of the budget to the better half of the
candidates, halving again and again (sequential halving: Karnin, Koren, Somekh, ICML 2013), and play a sure win without search.
Only the view is looked at.

Few play-outs say little: between two plays the means of 100 sampled deals differ by chance as much as by merit. So the opinion
of the player who lists the candidates counts like `trust` samples more, on which each turn that it gives a play less costs
`SLOPE` standard deviations of the payoff. In an auction its opinion is in stakes, which are payoffs already.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.compiled.acts import GREEDY, HEURISTIC
from big2_agents.compiled.endgame import endgame_dtype
from big2_agents.compiled.finish import find_finish
from big2_agents.compiled.from_view import Memory
from big2_agents.compiled.heuristic_tables import heuristic_dtype, heuristic_record
from big2_agents.compiled.playouts import open_root, play_out_by_rules, search_dtype
from big2_agents.estimates import Estimate, kind_of, of_estimates
from big2_agents.formula import CERTAIN
from big2_agents.learned.asked_weights import AskedWeights
from big2_agents.learned.critic import CriticNetwork
from big2_agents.learned.playouts import Buffers, play_out_by_network
from big2_agents.learned.policy import LearnedPolicy
from big2_env.advice import Advice
from big2_env.climbing.actions import action_space
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.tables import as_record
from big2_env.kernels.variants import variant_of
from big2_env.rng import derived

Array = npt.NDArray[Any]
SLOPE: Final = 0.12
"""What a turn in the heuristic's score is worth, in standard deviations of the payoff; fitted to means of 2,000 samples."""
NETWORK_SLOPE: Final = 0.1
"""The same of a unit in the network's scores."""
NETWORK_TRUST: Final = 40.0
"""How many samples the network's own opinion counts for."""
NETWORK_GAP: Final = 4.0
"""Plays that the network scores so much less than its favourite are not tried: on deals that fit what is public as little as
sampled ones do, such plays look better than they are."""
DEEPEST: Final = -4.0
"""Scores further below the best are taken for this."""
EXACT: Final = 14
"""Cards in all hands from which on sampled deals are solved."""
_PREPARED: Final = ("_tables", "_patterns", "_space", "_s", "_scratch", "_ids", "_endgame", "_policy", "_heuristic")
"""What an agent makes for the ruleset that it is asked about."""


class SearchAgent:
    """Tries candidates on sampled deals with rule players in all seats.

    Args:
        budget: play-outs a decision, as in `400`, or milliseconds, as in `50ms`.
        candidates: how many candidates are tried at most, the best ones by the rule player's own score.
        trust: how many samples the rule player's own score counts for.
        proposals: of how many sampled deals one is drawn, by how well it fits the passes.
        exact: cards in all hands from which on sampled deals are solved, where that is quick; 0 for never.

    Raises:
        ConfigError: a budget that is neither; by `act`, a ruleset that cannot be compiled.
    """

    def __init__(
        self, budget: str | int = 400, *, candidates: int = 6, trust: float = 100.0, proposals: int = 4, exact: int = EXACT
    ) -> None:
        self.playouts, self.milliseconds = _budget(budget)
        self.width, self.trust, self.exact = candidates, trust, exact
        self.slope, self.gap = SLOPE, np.inf
        self._proposals = proposals
        self._ruleset: RuleSet | None = None
        self._num_players = 0
        self._memory = Memory()
        self._seed = 0

    def __getstate__(self) -> dict[str, Any]:
        # A record that was pickled is no longer the memory that Python and compiled code both write: copies prepare anew.
        kept = {name: value for name, value in self.__dict__.items() if name not in _PREPARED}
        return {**kept, "_ruleset": None, "_num_players": 0, "_memory": Memory()}

    def reset(self, seed: int) -> None:
        """Start a game; its deals are sampled by `seed`."""
        self._memory = Memory()
        self._seed = seed % 2**64

    def estimates(self, view: View, legal: LegalPlays | None = None) -> list[Estimate]:
        """What the search finds: those tried longest first, of those the best. A sure win, or an only act, stands alone."""
        plays, best = self._open(view, view.legal_plays() if legal is None else legal)
        if len(plays) == 1:
            return [Estimate(plays[0], 0.0, 0.0, 0)]
        sure = self._find_sure(view, best)
        if sure >= 0:
            return [Estimate(plays[sure], np.inf, 0.0, 0)]
        return self._try(view, plays, best)

    def _open(self, view: View, legal: LegalPlays) -> tuple[list[Play], int]:
        """The candidates of a decision, and the one that the rule player picks; what `_try` needs is set up."""
        view.check(legal)
        self._prepare(view)
        s, t = self._s, self._tables
        self._memory.update(t, view, self._patterns, s.root, s.root_track)
        s.root.rng = derived(self._seed, len(view.history))
        s.root_candidates.score[:] = 0.0
        best = int(open_root(t, s, self._policy, self._heuristic, self._ids))
        return [self._space.verify(action, legal) for action in self._ids[: int(s.root_candidates.count)].tolist()], best

    def _try(self, view: View, plays: Sequence[Play], best: int, kept: Sequence[int] = ()) -> list[Estimate]:
        """What the search finds of the candidates that `_open` listed; those of `kept` are tried as long as the best."""
        scores = self._prior(view, len(plays), best)
        self._s.exact = self.exact if sum(view.cards_left) <= self.exact else 0
        if self._s.exact:
            self._endgame.key[:] = 0  # what is solved within bounds must follow from the view and the seed alone
        return self._search(plays, scores, 1.0 if view.bidding else None, kept)

    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        """The legal plays with the values of those that were tried, in the order of `estimates`."""
        return of_estimates(self.estimates(view, legal), legal)

    def judge(self, view: View, legal: LegalPlays, also: Sequence[Play] = ()) -> list[Advice]:
        """As `advise`, but a sure win has its value from play-outs as well, and the plays of `also` are tried to the end.

        All that are tried to the end have been played out on the same sampled deals, so their values can be compared.
        """
        plays, best = self._open(view, legal)
        if len(plays) == 1:
            return of_estimates([Estimate(plays[0], 0.0, 0.0, 0)], legal)
        sure = self._find_sure(view, best)
        kinds = {kind_of(play) for play in also}
        kept = [number for number, play in enumerate(plays) if kind_of(play) in kinds or number == sure]
        found = of_estimates(self._try(view, plays, best, kept), legal)
        if sure < 0:
            return found
        found.sort(key=lambda each: each.play != plays[sure])
        return [replace(found[0], sure=True), *found[1:]]

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The legal play that the search likes best."""
        return self.estimates(view, legal)[0].play

    def _prepare(self, view: View) -> None:
        if view.ruleset is self._ruleset and view.num_players == self._num_players:
            return
        variant = variant_of(view.ruleset)
        self._tables = compile_tables(view.ruleset, view.num_players)
        self._patterns = {rule.pattern.name: i for i, rule in enumerate(view.ruleset.patterns)}
        self._space = action_space(view.ruleset)
        self._s: Any = as_record(np.zeros((), search_dtype(variant)))
        self._s.proposals = self._proposals
        self._scratch = as_record(np.zeros((), variant.scratch))
        self._ids = np.zeros(len(self._s.root_candidates.score), np.int64)
        self._endgame: Any = as_record(np.zeros((), endgame_dtype(variant)))
        self._policy = HEURISTIC
        try:
            self._heuristic: Any = heuristic_record(view.ruleset, num_players=view.num_players)
        except ConfigError:  # more shapes than the heuristic's tables hold
            self._policy = GREEDY
            self._heuristic = as_record(np.zeros((), heuristic_dtype(variant.by_slots, variant.words)))
        self._ruleset, self._num_players = view.ruleset, view.num_players

    def _find_sure(self, view: View, best: int) -> int:
        """The candidate that begins a sure win, -1 where none is found; `best` is the rule player's choice."""
        s = self._s
        if not view.bidding and self._policy == HEURISTIC and s.root_candidates.score[best] > CERTAIN / 2:
            return best
        return int(find_finish(self._tables, s.root, s.root_track.left, s.root_candidates, s.stack))

    def _prior(self, view: View, count: int, best: int) -> Array:
        """A score for each candidate, to choose those that are tried; `best` is the rule player's choice."""
        scores = np.array(self._s.root_candidates.score[:count])
        if self._policy != HEURISTIC:
            scores[best] = 1.0
        return scores

    def _play_out(self, chosen: Array, samples: int, totals: Array, squares: Array) -> tuple[float, float]:
        """Try the chosen candidates on more sampled deals; returns the sum of the deals' weights and that of their squares."""
        weights, squared = play_out_by_rules(
            self._tables, self._s, self._policy, self._heuristic, self._endgame,
            chosen, samples, totals, squares, self._scratch,
        )  # fmt: skip
        return float(weights), float(squared)

    def _search(
        self, plays: Sequence[Play], scores: Array, unit: float | None = None, kept: Sequence[int] = ()
    ) -> list[Estimate]:
        """Sequential halving over the candidates with the best scores, and those of `kept`, which stay to the end.

        `unit` is what a difference of 1 in the scores is worth in payoff; `None` for `slope` standard deviations.
        """
        number = len(plays)
        alive = np.argsort(-scores, kind="stable")[: self.width]
        alive = alive[scores[alive] >= scores.max() - self.gap]
        alive = _with(alive, kept)
        if len(alive) == 1:
            return [Estimate(plays[alive[0]], 0.0, 0.0, 0)]
        worse = scores - scores.max()
        totals, squares, weights, squared_weights = np.zeros((4, number))
        samples = np.zeros(number, int)
        rounds = max(1, int(np.ceil(np.log2(len(alive)))))
        deadline = time.perf_counter() + (self.milliseconds or 0) / 1000
        order: list[int] = []
        for turn in range(rounds):
            chosen = np.zeros(number, np.bool_)
            chosen[alive] = True
            until = time.perf_counter() + max(0.0, deadline - time.perf_counter()) / (rounds - turn)
            share = max(1, (self.playouts or 0) // (rounds * len(alive)))
            while True:
                step = share if self.playouts else 2
                weight, squared = self._play_out(chosen, step, totals, squares)
                weights[alive] += weight
                squared_weights[alive] += squared
                samples[alive] += step
                if self.playouts or time.perf_counter() >= until:
                    break
            spread = _spread(totals.sum(), squares.sum(), weights.sum())
            opinion = spread * self.slope * np.maximum(worse, DEEPEST) if unit is None else unit * worse
            means = totals[alive] / weights[alive]
            judged = (samples[alive] * means + self.trust * opinion[alive]) / (samples[alive] + self.trust)
            alive = alive[np.argsort(-judged, kind="stable")]
            order = [*alive, *(i for i in order if i not in alive)]
            alive = _with(alive[: max(1, (len(alive) + 1) // 2)], kept)
            if len(alive) == 1:
                break
        found = []
        for i in order:
            error = _spread(totals[i], squares[i], weights[i]) * np.sqrt(squared_weights[i]) / weights[i]
            found.append(Estimate(plays[i], float(totals[i] / weights[i]), float(error), int(samples[i])))
        return found


def _with(alive: Array, kept: Sequence[int]) -> Array:
    """Candidates, and those kept that are not among them."""
    return np.array([*alive, *(number for number in kept if number not in alive)], np.int64)


def _spread(total: float, square: float, weight: float) -> float:
    """The standard deviation of what came to these weighted sums."""
    mean = total / weight
    return float(np.sqrt(max(0.0, square / weight - mean * mean)))


class LearnedSearchAgent(SearchAgent):
    """Search with a policy network in all seats and a critic at the seat's next choice.

    The critic must have been fitted to plays that the network would hardly make (`big2 train critic`): those are what it
    is asked about.

    Args:
        budget: as for `SearchAgent`; the file of weights may stand behind it, as in `50ms,runs/big2/big2.npz`.
        candidates: how many of the network's favourite plays are tried.
        weights: a file of policy weights; its critic lies beside it as `<name>_critic.npz`. By default those shipped. Or
            `AskedWeights`.
    """

    def __init__(
        self, budget: str | int = "50ms", *, candidates: int = 6, weights: str | Path | AskedWeights | None = None
    ) -> None:
        budget, _, path = str(budget).partition(",")
        weights = weights or path or None
        super().__init__(budget, candidates=candidates, trust=NETWORK_TRUST, proposals=0, exact=0)
        self.slope, self.gap = NETWORK_SLOPE, NETWORK_GAP
        self._agent = LearnedPolicy(weights)
        self._critic: CriticNetwork | None = None
        self._buffers: Buffers | None = None

    def check(self, ruleset: RuleSet, num_players: int) -> None:
        """See if there are weights for a game. Raises ConfigError as `LearnedPolicy.check` does."""
        self._agent.check(ruleset, num_players)

    def reset(self, seed: int) -> None:
        """Start a game; its deals are sampled by `seed`."""
        super().reset(seed)
        self._agent.reset(seed)

    def _prepare(self, view: View) -> None:
        if view.ruleset is not self._ruleset or view.num_players != self._num_players:
            self._agent.prepare(view)
            self._critic = self._agent.critic()
            self._buffers = Buffers(self._agent.layout, self._agent.most)
        super()._prepare(view)

    def _prior(self, view: View, count: int, best: int) -> Array:
        return self._agent.scores(view)[1]

    def _play_out(self, chosen: Array, samples: int, totals: Array, squares: Array) -> tuple[float, float]:
        b, agent = self._buffers, self._agent
        assert b is not None
        weights, squared = play_out_by_network(
            self._tables, self._s, agent._heuristic, agent.layout, agent.network, self._critic,
            b.state, b.plays, b.hidden, b.scores, b.work, chosen, samples, totals, squares, self._scratch,
        )  # fmt: skip
        return float(weights), float(squared)


def _budget(given: str | int) -> tuple[int | None, float | None]:
    """Play-outs or milliseconds."""
    text = str(given)
    number = text.removesuffix("ms")
    if not number.isdecimal() or not 1 <= int(number) <= 10**7:
        raise ConfigError(f"expected a search budget in play-outs, as 400, or milliseconds, as 50ms, got {given!r}")
    return (None, float(number)) if text.endswith("ms") else (int(number), None)
