"""Advice made of what a search or a compiled agent found out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from big2_env.advice import Advice
from big2_env.cards import iter_cards
from big2_env.climbing.play import Play
from big2_env.runs.intervals import NORMAL_95


@dataclass(frozen=True)
class Estimate:
    """What a search found out about one legal act."""

    play: Play
    """The act."""
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
