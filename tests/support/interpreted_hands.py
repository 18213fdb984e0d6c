"""The heuristic's kernels as plain Python, asked about hands and unseen cards that no game has to have."""

from __future__ import annotations

from typing import Any, NamedTuple

from big2_agents.models.formula import LOOSE, first_weights_of
from big2_agents.rule_based.heuristic import view_scores
from big2_env import RuleSet
from big2_env.kernels.dialect.loader import interpreted
from big2_env.kernels.variants import features_of


class Part(NamedTuple):
    """A play of a hand, or a card that is in none."""

    mask: int
    utility: float
    hold: float


class InterpretedHands:
    """Counts unseen plays, and parts hands, of one ruleset."""

    def __init__(self, rules: RuleSet) -> None:
        self.scores = view_scores(rules, first_weights_of(rules), rules.default_players)
        self.t: Any = self.scores._tables
        self.h: Any = self.scores._heuristic
        module = interpreted(rules).module
        self._beat_odds, self._parts = module("big2_agents.kernels.beat_odds"), module("big2_agents.kernels.heuristic")
        self._places = self.scores._plays

    def see(self, unseen: int) -> None:
        """These cards are unseen."""
        self._beat_odds._see(self.t, self._places.places(unseen), self.h)
        self.h["is_counted"] = self.h["is_known"] = 0

    def above(self, category: int, power: int) -> int:
        """How many of the unseen plays of a category have more power."""
        return int(self._beat_odds.number_above(self.t, self.h, category, power))

    def beating(self, category: int, power: int) -> list[tuple[int, int]]:
        """The number of cards of each category that can beat a play, and how many of its unseen plays do."""
        h, found = self.h, []
        for i in range(h.num_beating[category]):
            rival = h.beating[category][i]
            found.append((h.size[rival], self.above(rival, power if h.by_power[category][i] else -1)))
        return found

    def part(self, hand: int) -> list[Part]:
        """Part a hand; all its plays, where suits may matter."""
        self._parts.decompose(self.t, self.h, self._places.places(hand))
        h, count = self.h, self.h.num_plays
        masks = [self._places.cards(places) for places in h.play[:count]]
        return [Part(*each) for each in zip(masks, h.play_utility, h.play_hold, strict=False)]

    def best(self, cards: int) -> tuple[float, float]:
        """The best parts of some cards of the hand: (utility, run)."""
        utility, run = self._parts.best_decomposition(self.t, self.h, self._places.places(cards))
        return utility, run


def parted(cards: int, plays: list[Part]) -> list[list[Part]]:
    """Every way to part cards into plays and cards that are in none."""
    if not cards:
        return [[]]
    low = cards & -cards
    found = [[Part(low, *LOOSE), *rest] for rest in parted(cards ^ low, plays)]
    for play in plays:
        if play.mask & low and not play.mask & ~cards:
            found += [[play, *rest] for rest in parted(cards ^ play.mask, plays)]
    return found


def serves(rules: RuleSet) -> bool:
    """Whether kernels by places serve a ruleset."""
    return not rules.ranks_only and rules.deck.copies == 1 and bool(features_of(rules))
