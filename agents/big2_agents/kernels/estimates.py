"""Estimates of candidate moves from playouts, and the allocation of playouts to candidates.

`Trials` play candidates out on sampled deals. `SequentialHalving` compares them: after each round, the remaining budget goes
to the better half (Karnin, Koren, Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", ICML 2013).
`of_estimates` turns the estimates into advice.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, Protocol, TypeAlias

from big2_env.agents.advice import Advice
from big2_env.base.cards import iter_cards
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.runs.intervals import NORMAL_95


class Candidates(NamedTuple):
    """A decision at the start of a search."""

    plays: list[Play]
    """The candidates, as legal moves."""
    scores: list[float]
    """Prior score of each candidate; higher is better."""
    sure: int
    """Index of the candidate that starts a forced win, -1 if none was found."""


class Trials(Protocol):
    """Playouts of the candidates of one decision after another."""

    def open(self, view: View, legal: LegalPlays, seed: int) -> Candidates:
        """Begin a decision and return its candidates. The sampled deals follow from `seed`."""

    def forget(self) -> None:
        """Forget solved endings: bounded solving must depend on the view and the seed only."""

    def play_out(
        self, chosen: Sequence[int], samples: int, exact: int, totals: list[float], squares: list[float]
    ) -> tuple[float, float]:
        """Play candidates out on more sampled deals, the same deals for each candidate.

        Args:
            chosen: Indices of the candidates.
            samples: Number of deals.
            exact: Solve deals exactly once this few cards remain in all hands, if that is quick; 0 disables.
            totals: By candidate; weighted payoffs are added.
            squares: By candidate; weighted squared payoffs are added.

        Returns:
            The sum of the deals' weights, and the sum of their squared weights.
        """


@dataclass(frozen=True)
class Estimate:
    """Estimated payoff of one legal move."""

    play: Play
    value: float
    """Mean payoff; infinite for a sure win."""
    error: float
    """Standard error of the mean, allowing for unequal weights of the sampled deals; 0 for a sure win."""
    samples: int
    """Number of sampled deals."""

    @property
    def low(self) -> float:
        """Lower end of the 95% interval of the mean."""
        return self.value - NORMAL_95 * self.error

    @property
    def high(self) -> float:
        """Upper end of the 95% interval of the mean."""
        return self.value + NORMAL_95 * self.error


def with_alike(advice: Sequence[Advice], legal: Iterable[Play]) -> list[Advice]:
    """Return advice that covers every legal move once.

    Agents merge plays that differ only in irrelevant suits. Such plays join the advice on a play of the same ranks and power;
    other plays are appended without values.

    Args:
        advice: Advice on some of the legal moves.
        legal: All legal moves.
    """
    given = {found.play.mask for found in advice}
    alike: dict[object, list[Play]] = {kind_of(found.play): [] for found in advice}
    rest = []
    for play in legal:
        if play.mask in given:
            continue
        others = alike.get(kind_of(play))
        if others is None:
            rest.append(Advice(play))
        else:
            others.append(play)
    # Of several pieces of advice of one kind the first takes what is alike.
    merged = [replace(found, alike=tuple(alike.pop(kind_of(found.play), ()))) for found in advice]
    return [*merged, *rest]


def kind_of(play: Play) -> object:
    """Return a key that is equal for plays that differ only in irrelevant suits."""
    return play.pattern, play.power, tuple(sorted(card.rank for card in iter_cards(play.mask)))


def of_estimates(found: Iterable[Estimate], legal: Iterable[Play]) -> list[Advice]:
    """Return the estimates of a search as advice on every legal move; untried moves come last."""
    advice = []
    for each in found:
        if each.samples:
            advice.append(Advice(each.play, value=each.value, interval=(each.low, each.high), playouts=each.samples))
        else:
            advice.append(Advice(each.play, sure=math.isinf(each.value)))
    return with_alike(advice, legal)


DEEPEST: Final = -4.0
"""Lower bound of the prior, relative to the best score."""
PlayOut: TypeAlias = Callable[[Sequence[int], int, list[float], list[float]], tuple[float, float]]
"""Plays candidates out on a given number of further deals: `Trials.play_out` without `exact`."""


@dataclass(frozen=True)
class SequentialHalving:
    """Allocation of playouts to candidates by sequential halving, with a prior.

    A few playouts are mostly noise: with 100 sampled deals, two candidates differ by chance as much as in strength. The prior
    scores therefore count as `trust` additional samples.
    """

    playouts: int | None
    """Playouts per decision, `None` if `milliseconds` is given."""
    milliseconds: float | None
    """Time per decision, `None` if `playouts` is given."""
    width: int
    """Maximum number of candidates, the best by their scores."""
    trust: float
    """Weight of the scores, in samples."""
    slope: float
    """Value of a score difference of 1, in standard deviations of the payoff."""
    gap: float
    """Candidates that score this much less than the best are not tried."""

    def compare(
        self,
        plays: Sequence[Play],
        scores: Sequence[float],
        play_out: PlayOut,
        unit: float | None = None,
        kept: Sequence[int] = (),
    ) -> list[Estimate]:
        """Return estimates of the candidates: those tried longest first, and of these the best first.

        Args:
            plays: The candidates.
            scores: Prior score of each.
            play_out: Runs playouts, as `Trials.play_out`.
            unit: Payoff of a score difference of 1; `None` for `slope` standard deviations.
            kept: Indices of candidates that stay in every round.
        """
        best = max(scores)
        alive = sorted(range(len(plays)), key=lambda i: -scores[i])[: self.width]
        alive = _with([i for i in alive if scores[i] >= best - self.gap], kept)
        if len(alive) == 1:
            return [Estimate(plays[alive[0]], 0.0, 0.0, 0)]
        worse = [score - best for score in scores]
        totals, squares, weights, squared_weights = ([0.0] * len(plays) for _ in range(4))
        samples = [0] * len(plays)
        rounds = max(1, math.ceil(math.log2(len(alive))))
        deadline = time.perf_counter() + (self.milliseconds or 0) / 1000
        order: list[int] = []
        for turn in range(rounds):
            until = time.perf_counter() + max(0.0, deadline - time.perf_counter()) / (rounds - turn)
            step = max(1, self.playouts // (rounds * len(alive))) if self.playouts else 2
            while True:
                weight, squared = play_out(alive, step, totals, squares)
                for i in alive:
                    weights[i] += weight
                    squared_weights[i] += squared
                    samples[i] += step
                if self.playouts or time.perf_counter() >= until:
                    break
            spread = _spread(math.fsum(totals), math.fsum(squares), math.fsum(weights))
            by = spread * self.slope if unit is None else unit
            judged = {}
            for i in alive:
                opinion = by * (max(worse[i], DEEPEST) if unit is None else worse[i])
                judged[i] = (samples[i] * (totals[i] / weights[i]) + self.trust * opinion) / (samples[i] + self.trust)
            alive.sort(key=lambda i: -judged[i])
            order = [*alive, *(i for i in order if i not in judged)]
            alive = _with(alive[: max(1, (len(alive) + 1) // 2)], kept)
            if len(alive) == 1:
                break
        found = []
        for i in order:
            error = _spread(totals[i], squares[i], weights[i]) * math.sqrt(squared_weights[i]) / weights[i]
            found.append(Estimate(plays[i], totals[i] / weights[i], error, samples[i]))
        return found


def _with(alive: Sequence[int], kept: Sequence[int]) -> list[int]:
    """Return the candidates, followed by the kept ones that are missing."""
    return [*alive, *(number for number in kept if number not in alive)]


def _spread(total: float, square: float, weight: float) -> float:
    """Return the standard deviation that belongs to weighted sums."""
    mean = total / weight
    return math.sqrt(max(0.0, square / weight - mean * mean))
