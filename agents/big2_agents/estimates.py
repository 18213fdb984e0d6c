"""What a search finds out about the candidates of a decision, and how.

`Trials` try candidates on sampled deals. `Halving` compares them by sequential halving: the rest of the budget goes to the
better half, again and again (Karnin, Koren, Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", ICML 2013).
`of_estimates` makes advice of what was found.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, Protocol, TypeAlias

from big2_env.advice import Advice
from big2_env.cards import iter_cards
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.runs.intervals import NORMAL_95


class Opened(NamedTuple):
    """A decision that a search begins."""

    plays: list[Play]
    """The candidates, as legal acts."""
    scores: list[float]
    """What the player who lists them thinks of each: the higher the better."""
    sure: int
    """The candidate that begins a sure win, -1 where none is found."""


class Trials(Protocol):
    """Tries the candidates of one decision after the other."""

    def open(self, view: View, legal: LegalPlays, seed: int) -> Opened:
        """Begin a decision; the deals that are sampled for it follow from the seed."""
        ...

    def forget(self) -> None:
        """Forget the endings that were solved: what is solved within bounds must follow from the view and the seed alone."""
        ...

    def play_out(
        self, chosen: Sequence[int], samples: int, exact: int, totals: list[float], squares: list[float]
    ) -> tuple[float, float]:
        """Try candidates on more sampled deals, each the same for all.

        Args:
            chosen: the candidates.
            samples: how many deals.
            exact: cards in all hands from which on a deal is solved, where that is quick; 0 for never.
            totals: by candidate, to which its weighted payoffs are added.
            squares: by candidate, to which its weighted squared payoffs are added.

        Returns:
            The sum of the deals' weights, and that of their squares.
        """
        ...


@dataclass(frozen=True)
class Estimate:
    """What a search found out about one legal act."""

    play: Play
    value: float
    """Mean payoff; infinite for a sure win."""
    error: float
    """Standard error of the mean, in which sampled deals that count less tell less; 0 for a sure win."""
    samples: int
    """How many sampled deals it was tried on."""


def with_alike(advice: Sequence[Advice], legal: Iterable[Play]) -> list[Advice]:
    """The advice with every legal play in it once: beside the play of the same ranks and power, else alone at the end.

    The compiled agents merge plays that differ in suits which decide nothing; this puts them back.
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
    """What is the same for plays that differ in suits that decide nothing."""
    return play.pattern, play.power, tuple(sorted(card.rank for card in iter_cards(play.mask)))


def of_estimates(found: Iterable[Estimate], legal: Iterable[Play]) -> list[Advice]:
    """What a search found out as advice on every legal play; those that it did not try come last."""
    advice = []
    for each in found:
        if each.samples:
            low, high = each.value - NORMAL_95 * each.error, each.value + NORMAL_95 * each.error
            advice.append(Advice(each.play, value=each.value, interval=(low, high), playouts=each.samples))
        else:
            advice.append(Advice(each.play, sure=math.isinf(each.value)))
    return with_alike(advice, legal)


DEEPEST: Final = -4.0
"""Scores further below the best are taken for this."""
PlayOut: TypeAlias = Callable[[Sequence[int], int, list[float], list[float]], tuple[float, float]]
"""Tries candidates on so many more deals: `trials.Trials.play_out` without the cards from which on a deal is solved."""


@dataclass(frozen=True)
class Halving:
    """How the candidates of a decision are compared.

    Few play-outs say little: between two plays the means of 100 sampled deals differ by chance as much as by merit. So the
    opinion of the player who lists the candidates counts like `trust` samples more.
    """

    playouts: int | None
    """Play-outs a decision; `None` where milliseconds are given."""
    milliseconds: float | None
    """Time a decision."""
    width: int
    """How many candidates are tried at most, the best ones by their scores."""
    trust: float
    """How many samples the scores count for."""
    slope: float
    """What a difference of 1 in the scores is worth, in standard deviations of the payoff."""
    gap: float
    """Candidates whose scores are so much less than the best one's are not tried."""

    def compare(
        self,
        plays: Sequence[Play],
        scores: Sequence[float],
        play_out: PlayOut,
        unit: float | None = None,
        kept: Sequence[int] = (),
    ) -> list[Estimate]:
        """What the candidates are worth, those tried longest first, of those the best; those of `kept` stay to the end.

        `unit` is what a difference of 1 in the scores is worth in payoff; `None` for `slope` standard deviations.
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
    """Candidates, and those kept that are not among them."""
    return [*alive, *(number for number in kept if number not in alive)]


def _spread(total: float, square: float, weight: float) -> float:
    """The standard deviation of what came to these weighted sums."""
    mean = total / weight
    return math.sqrt(max(0.0, square / weight - mean * mean))
