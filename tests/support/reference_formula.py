"""The formula of the heuristic in plain Python, slow and clear: what the compiled one is held to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple

from reference_decompositions import Decompositions, Part
from reference_outlook import Outlook, Shapes

from big2_agents.formula import CERTAIN, Weights, near
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import PassLock, RuleSet
from big2_env.climbing.view import View


class Prospect(NamedTuple):
    """What may become of a play."""

    hold: float
    utility: float
    danger: float
    """What it costs that covering plays may be somebody's last."""
    sure: bool
    """Whether nobody can cover it."""


class Reference:
    """The formula for any ruleset: what the compiled one is held to."""

    def __init__(self, ruleset: RuleSet, weights: Weights | None = None) -> None:
        self._shapes = Shapes(ruleset)
        self._weights = weights or Weights()

    def __call__(self, view: View, acts: Sequence[Play]) -> list[float]:
        """The score of each of these legal acts of the seat to move."""
        return self.turn(view).scores(acts)

    def turn(self, view: View) -> Turn:
        """The decision of a view."""
        return Turn(view, self._shapes, self._weights)


class Turn:
    """One decision: everything that its acts share."""

    most_sets: ClassVar[int] = 1 << 14
    """Most sets of cards that are asked about when going out is looked for; more than a hand of 13 cards has."""

    def __init__(self, view: View, shapes: Shapes, weights: Weights) -> None:
        self._view = view
        self._weights = weights
        self._table = view.ruleset.table
        unseen = view.unseen
        self._outlook = Outlook(shapes, unseen)
        self._first_cost = self._weights.block
        self._others = self._find_others()
        self._num_unseen = unseen.bit_count()
        self._chances: dict[tuple[int, int], tuple[float, list[tuple[float, float]]]] = {}
        self._prospects: dict[tuple[int, int], Prospect] = {}
        self._near = max(map(self.near, self._others), default=0.0)
        self._plays = list(self._table.plays(view.hand))
        parts = []
        for play in self._plays:
            prospect = self.prospect(play)
            parts.append(Part(play.mask, prospect.utility, prospect.hold))
        self._decompositions = Decompositions(view.hand, shapes.rank_masks, parts)
        self._whole = {play.mask for play in self._plays}
        self._out: dict[int, bool] = {}
        self._sure = [play.mask for play in self._plays if self.prospect(play).sure]

    @property
    def value(self) -> float:
        """What the hand is worth, parted as well as it can be."""
        return self._decompositions.best(self._view.hand).utility

    def scores(self, acts: Iterable[Play]) -> list[float]:
        """The score of each act."""
        return [self._of_play(act) if act else self._of_pass() for act in acts]

    def _of_play(self, play: Play) -> float:
        weights = self._weights
        hold, _, danger, sure = self.prospect_of_act(play)
        rest = self._view.hand & ~play.mask
        value, run = self._decompositions.best(rest)
        if sure and self._goes_out(rest):
            return CERTAIN + value
        score = value + hold * (weights.lead + weights.run_out * run)
        score += weights.hurry * len(play) * self._near - danger
        if hold < 1.0:
            score += weights.again * (1.0 - hold) * self._best_hold(play.category, rest)
        return score

    def _of_pass(self) -> float:
        view, weights = self._view, self._weights
        score = self._decompositions.best(view.hand).utility + weights.patience - weights.cheap_lead * view.passed.bit_count()
        if view.top is not None and view.top_seat is not None and view.cards_left[view.top_seat]:
            score -= self._cost_of_leaving_it(view.top, view.top_seat)
        return score

    def _cost_of_leaving_it(self, top: Play, top_seat: int) -> float:
        """What is lost where nobody covers the top play."""
        return self._weights.alarm * self.prospect(top).hold * self.near(self._view.cards_left[top_seat])

    def _find_others(self) -> list[int]:
        """How many cards the other seats have left that may cover a play now made, in the order of their turns.

        Those are all that hold cards, but for seats that a pass lock keeps out, unless it keeps out every one.
        """
        view = self._view
        turns = ((view.seat + step) % view.num_players for step in range(1, view.num_players))
        holding = [seat for seat in turns if view.cards_left[seat]]
        locked = 0 if view.ruleset.pass_lock is PassLock.NONE else view.passed
        asked = [seat for seat in holding if not locked >> seat & 1] or holding
        return [view.cards_left[seat] for seat in asked]

    def near(self, cards_left: int) -> float:
        """How near a player with so many cards is to going out."""
        return near(cards_left)

    def prospect_of_act(self, play: Play) -> Prospect:
        """What may become of a play that is made now."""
        return self.prospect(play)

    def prospect(self, play: Play) -> Prospect:
        """What may become of a play: of one in the hand, or of the top play."""
        key = play.category, play.power
        found = self._prospects.get(key)
        if found is None:
            expected = danger = 0.0
            for category, number in self._outlook.covering(*key):
                share, last = self._chance(*self._outlook.sizes(category))
                expected += number * share
                for chance, cost in last:
                    danger += cost * min(1.0, number * chance)
            above, total = self._outlook.counted(play.category)
            rank = 1.0 - above[play.power] / total if total else 1.0
            hold = 1.0 / (1.0 + expected)
            weights, kind = self._weights, min(len(play), 3) - 1
            utility = weights.hold[kind] * hold + weights.rank[kind] * rank * rank - weights.turn[kind]
            if self._table.categories[play.category].bomb:
                utility += weights.bomb * hold
            found = self._prospects[key] = Prospect(hold, utility, danger, not expected)
        return found

    def _chance(self, size: int, needed: int) -> tuple[float, list[tuple[float, float]]]:
        """The chance that the `needed` unseen cards of a play of `size` are in one hand, summed over the others.

        And for each hand of exactly that size the same chance with what it costs: with these cards its player goes out.
        """
        found = self._chances.get((size, needed))
        if found is None:
            total = 0.0
            last = []
            cost = self._first_cost
            for left in self._others:
                if size <= left:
                    chance = math.comb(left, needed) / math.comb(self._num_unseen, needed)
                    total += chance
                    if size == left:
                        last.append((chance, cost))
                cost = self._weights.danger
            found = self._chances[size, needed] = total, last
        return found

    def _best_hold(self, category: int, cards: int) -> float:
        """The best hold of a play of a category that these cards have, 0 without one."""
        holds = (self.prospect(play).hold for play in self._plays if play.category == category and not play.mask & ~cards)
        return max(holds, default=0.0)

    def _goes_out(self, cards: int) -> bool:
        """Whether these cards are plays of which at most one can be covered; not found out where there are very many ways."""
        found = self._out.get(cards)
        if found is None:
            found = cards in self._whole
            if not found and len(self._out) < self.most_sets:
                self._out[cards] = False
                found = any(not sure & ~cards and self._goes_out(cards ^ sure) for sure in self._sure)
            self._out[cards] = found
        return found
