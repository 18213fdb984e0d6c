"""Search over the hidden hands: candidates are tried on sampled layouts that fit what is public; the best mean is played.

`SearchAgent` plays them out with the compiled heuristic and solves endings; `LearnedSearchAgent` plays with a policy network up
to its own next choice, where a critic judges. Both give the rest of the budget to the better half of the candidates, halving
again and again (sequential halving: Karnin, Koren, Somekh, ICML 2013), and play a sure win without search. Only the view is
looked at.

Few play-outs say little: between two plays the means of 100 layouts differ by chance as much as by merit. So the opinion of the
player who lists the candidates counts like `trust` layouts more, on which each turn that it gives a play less costs `SLOPE`
standard deviations of the payoff.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.advise import Advice, of_estimates
from big2_agents.compiled.acts import HEURISTIC, QUICK
from big2_agents.compiled.endgame import ENDGAME
from big2_agents.compiled.finish import find_finish
from big2_agents.compiled.from_view import Memory, to_cards
from big2_agents.compiled.heuristic import choose_by_heuristic
from big2_agents.compiled.heuristic_tables import NO_HEURISTIC, heuristic_record
from big2_agents.compiled.playouts import TABLE, play_out_by_rules
from big2_agents.compiled.plays import find_candidates
from big2_agents.compiled.policies import quick_scores
from big2_agents.learned.agent import LearnedAgent, critic_beside, shipped_weights
from big2_agents.learned.critic import CriticNetwork, load_critic
from big2_agents.learned.playouts import Buffers, play_out_by_network
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.view import View
from big2_env.errors import ConfigError
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.tables import as_record
from big2_env.rng import derived

Array = npt.NDArray[Any]
SLOPE: Final = 0.12
"""What a turn in the heuristic's score is worth, in standard deviations of the payoff; fitted to 2,000-layout means."""
NETWORK_SLOPE: Final = 0.1
"""The same of a unit in the network's scores."""
NETWORK_TRUST: Final = 40.0
"""How many layouts the network's own opinion counts for."""
NETWORK_GAP: Final = 4.0
"""Plays that the network scores so much less than its favourite are not tried: on layouts that fit what is public as little as
dealt cards do, such plays look better than they are."""
DEEPEST: Final = -4.0
"""Scores further below the best are taken for this."""
EXACT: Final = 14
"""Cards in all hands from which on layouts are solved."""


@dataclass(frozen=True)
class Estimate:
    """What a search found out about one candidate."""

    cards: int
    """The play as a card mask, 0 for the pass."""
    value: float
    """Mean payoff; infinite for a sure win."""
    error: float
    """Standard error of the mean, in which layouts that count less tell less; 0 for a sure win."""
    layouts: int
    """How many layouts it was tried on."""


class SearchAgent:
    """Tries candidates on sampled layouts with rule players in all seats.

    Args:
        budget: play-outs a decision, as in `400`, or milliseconds, as in `50ms`.
        candidates: how many candidates are tried at most, the best ones by the rule player's own score.
        trust: how many layouts the rule player's own score counts for.
        proposals: from how many dealt layouts one is drawn, by how well it fits the passes.
        exact: cards in all hands from which on layouts are solved, where that is quick; 0 for never.

    Raises:
        ConfigError: a budget that is neither.
    """

    def __init__(
        self, budget: str | int = 400, *, candidates: int = 6, trust: float = 100.0, proposals: int = 4, exact: int = EXACT
    ) -> None:
        self.playouts, self.milliseconds = _budget(budget)
        self.width, self.trust, self.exact = candidates, trust, exact
        self.slope, self.gap = SLOPE, np.inf
        self._ruleset: Any = None
        self._memory = Memory()
        self._s: Any = as_record(np.zeros((), TABLE))
        self._s.proposals = proposals
        self._endgame: Any = as_record(np.zeros((), ENDGAME))
        self._seed = 0

    def reset(self, seed: int) -> None:
        """Start a game; its layouts are drawn by `seed`."""
        self._memory = Memory()
        self._seed = seed % 2**64

    def estimates(self, view: View) -> list[Estimate]:
        """What the search finds: those tried longest first, of those the best. A sure win, or an only play, stands alone."""
        s = self._s
        self._prepare(view)
        self._memory.update(self._tables, view, self._patterns, s.root, s.root_track)
        s.root.rng = derived(self._seed, len(view.history))
        t, g, c = self._tables, s.root, s.root_candidates
        find_candidates(t, g.hands[view.seat], g.top_category, g.top_power, g.obligation[0], c)
        masks = [to_cards(t, int(mask)) for mask in c.mask[: int(c.count)]]
        if len(masks) == 1:
            return [Estimate(masks[0], 0.0, 0.0, 0)]
        sure = int(find_finish(t, g, s.root_track.left, c, s.stack))
        if sure >= 0:
            return [Estimate(masks[sure], np.inf, 0.0, 0)]
        s.exact = self.exact if sum(view.cards_left) <= self.exact else 0
        if s.exact:
            self._endgame.key[:] = 0  # what is solved within bounds must follow from the view and the seed alone
        return self._search(view, masks)

    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        """The legal plays with the values of those that were tried, in the order of `estimates`."""
        return of_estimates(self.estimates(view), legal)

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The legal play that the search likes best."""
        mask = self.estimates(view)[0].cards
        return legal.verify(mask) if mask else PASS

    def _prepare(self, view: View) -> None:
        if view.ruleset is not self._ruleset:
            self._tables = compile_tables(view.ruleset)
            self._patterns = {rule.pattern.name: i for i, rule in enumerate(view.ruleset.patterns)}
            self._ruleset = view.ruleset
            self._rule_player(view)

    def _rule_player(self, view: View) -> None:
        """The strongest rule player that the ruleset has."""
        try:
            self._policy, self._heuristic = HEURISTIC, heuristic_record(view.ruleset)
        except ConfigError:
            self._policy, self._heuristic = QUICK, NO_HEURISTIC

    def _prior(self, view: View, count: int) -> Array:
        """A score for each candidate, to choose those that are tried."""
        s = self._s
        if self._policy == HEURISTIC:
            choose_by_heuristic(self._tables, s.root, s.root_track.left, s.root_candidates, self._heuristic)
        else:
            quick_scores(self._tables, s.root, s.root_track.left, s.root_candidates, s.root_candidates.score)
        return np.array(s.root_candidates.score[:count])

    def _play_out(self, chosen: Array, layouts: int, totals: Array, squares: Array) -> tuple[float, float]:
        """Try the chosen candidates on more layouts; returns the sum of the layouts' weights and that of their squares."""
        weights, squared = play_out_by_rules(
            self._tables, self._s, self._policy, self._heuristic, self._endgame, chosen, layouts, totals, squares
        )
        return float(weights), float(squared)

    def _search(self, view: View, masks: list[int]) -> list[Estimate]:
        """Sequential halving over the candidates with the best prior."""
        number = len(masks)
        scores = self._prior(view, number)
        alive = np.argsort(-scores, kind="stable")[: self.width]
        alive = alive[scores[alive] >= scores.max() - self.gap]
        if len(alive) == 1:
            return [Estimate(masks[alive[0]], 0.0, 0.0, 0)]
        opinion = self.slope * np.maximum(scores - scores.max(), DEEPEST)
        totals, squares, weights, squared_weights = np.zeros((4, number))
        layouts = np.zeros(number, int)
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
                layouts[alive] += step
                if self.playouts or time.perf_counter() >= until:
                    break
            spread = _spread(totals.sum(), squares.sum(), weights.sum())
            means = totals[alive] / weights[alive]
            judged = (layouts[alive] * means + self.trust * spread * opinion[alive]) / (layouts[alive] + self.trust)
            alive = alive[np.argsort(-judged, kind="stable")]
            order = [*alive, *(i for i in order if i not in alive)]
            alive = alive[: max(1, (len(alive) + 1) // 2)]
            if len(alive) == 1:
                break
        found = []
        for i in order:
            error = _spread(totals[i], squares[i], weights[i]) * np.sqrt(squared_weights[i]) / weights[i]
            found.append(Estimate(masks[i], float(totals[i] / weights[i]), float(error), int(layouts[i])))
        return found


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
        weights: a file of policy weights; its critic lies beside it as `<name>_critic.npz`. By default those shipped.
    """

    def __init__(self, budget: str | int = "50ms", *, candidates: int = 6, weights: str | Path | None = None) -> None:
        budget, _, path = str(budget).partition(",")
        weights = weights or path or None
        super().__init__(budget, candidates=candidates, trust=NETWORK_TRUST, proposals=0, exact=0)
        self.slope, self.gap = NETWORK_SLOPE, NETWORK_GAP
        self._path = weights
        self._agent = LearnedAgent(weights)
        self._critic: CriticNetwork | None = None
        self._buffers = Buffers()

    def reset(self, seed: int) -> None:
        """Start a game; its layouts are drawn by `seed`."""
        super().reset(seed)
        self._agent.reset(seed)

    def _prepare(self, view: View) -> None:
        if view.ruleset is not self._ruleset:
            self._agent.prepare(view)
            self._critic = load_critic(critic_beside(self._path or shipped_weights(view.ruleset)))
        super()._prepare(view)

    def _rule_player(self, view: View) -> None:
        """None: the network plays."""

    def _prior(self, view: View, count: int) -> Array:
        return self._agent.scores(view)[1]

    def _play_out(self, chosen: Array, layouts: int, totals: Array, squares: Array) -> tuple[float, float]:
        b = self._buffers
        weights, squared = play_out_by_network(
            self._tables, self._s, self._agent.heuristic, self._agent.network, self._critic,
            b.state, b.plays, b.hidden, b.scores, b.work, chosen, layouts, totals, squares,
        )  # fmt: skip
        return float(weights), float(squared)


def _budget(given: str | int) -> tuple[int | None, float | None]:
    """Play-outs or milliseconds."""
    text = str(given)
    number = text.removesuffix("ms")
    if not number.isdecimal() or not 1 <= int(number) <= 10**7:
        raise ConfigError(f"search budget {given!r}: allowed is a number of play-outs, as 400, or of milliseconds, as 50ms")
    return (None, float(number)) if text.endswith("ms") else (int(number), None)
