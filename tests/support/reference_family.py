"""What `reference_formula` adds where players have partners, draw, are locked for a round, or capture points."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from operator import or_

from reference_formula import Prospect, Reference, Turn
from reference_outlook import Shapes

from big2_agents.formula import Weights, near, weights_of
from big2_env.cards import iter_cards
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import PassLock, RuleSet
from big2_env.climbing.settlement import CapturedPoints
from big2_env.climbing.view import View


def has_parts(ruleset: RuleSet) -> bool:
    """Whether a ruleset has any of these parts; else the plain formula serves it."""
    locks = ruleset.pass_lock is PassLock.ROUND
    return ruleset.auction is not None or ruleset.draw_pile or locks or ruleset.scoring.captures


class FamilyReference(Reference):
    """The formula with these parts; where no weights are given, they follow from the ruleset and the view."""

    def __init__(self, ruleset: RuleSet, weights: Weights | None = None) -> None:
        super().__init__(ruleset, weights)
        self._given = weights

    def weights_of(self, view: View) -> Weights:
        """The weights for a decision."""
        found = self._given or weights_of(view.ruleset)
        return replace(found, run_out=0.0) if view.pile_left else found

    def turn(self, view: View) -> FamilyTurn:
        """The decision of a view."""
        return FamilyTurn(view, self._shapes, self.weights_of(view))


class FamilyTurn(Turn):
    """One decision in a game of these parts."""

    most_sets = 400

    def __init__(self, view: View, shapes: Shapes, weights: Weights) -> None:
        self._more = weights
        self._partners = [seat for seat in view.team if seat != view.seat and view.cards_left[seat]]
        self._points: dict[int, int] = {}
        if isinstance(view.ruleset.scoring, CapturedPoints):
            self._points = {int(rank): points for rank, points in view.ruleset.scoring.points}
        self._trick = _united(view.played) & ~_united(view.captured) if self._points else 0
        self._lead_over = view.lead_over if view.top is None and view.passed else None
        super().__init__(view, shapes, weights)

    def _find_others(self) -> list[int]:
        """How many cards each seat of the other team has left that may cover a play now made, in the order of their turns."""
        view = self._view
        turns = [(view.seat + step) % view.num_players for step in range(1, view.num_players)]
        holding = [seat for seat in turns if view.cards_left[seat]]
        locked = 0 if view.ruleset.pass_lock is PassLock.NONE else view.passed
        asked = [seat for seat in holding if not locked >> seat & 1] or holding
        if asked and asked[0] in self._partners:
            self._first_cost = self._weights.danger  # the partner stands between
        return [view.cards_left[seat] for seat in asked if seat not in self._partners]

    def near(self, cards_left: int) -> float:
        """How near a player with so many cards is to going out: not at all while there are cards to draw."""
        return 0.0 if self._view.pile_left else near(cards_left)

    def prospect_of_act(self, play: Play) -> Prospect:
        """What may become of a play that is made now: nobody answers a lead that keeps all others locked."""
        found = super().prospect_of_act(play)
        if self._lead_over is not None and self._view.ruleset.covers(play, self._lead_over):
            return Prospect(1.0, found.utility, 0.0, not self._view.pile_left)
        return found

    def prospect(self, play: Play) -> Prospect:
        """What may become of a play; while there are cards to draw it is nobody's last."""
        found = super().prospect(play)
        return found._replace(danger=0.0, sure=False) if self._view.pile_left else found

    def _of_play(self, play: Play) -> float:
        score = super()._of_play(play)
        if self._partners:
            score += self._more.feed * self._fed(play)
        if self._points:
            hold, points = self.prospect_of_act(play).hold, self._points_of(play.mask)
            score += self._more.capture * (hold * (self._points_of(self._trick) + points) - (1.0 - hold) * points)
        return score

    def _cost_of_leaving_it(self, top: Play, top_seat: int) -> float:
        """What is lost where nobody covers the top play: nothing where it is a partner's."""
        if top_seat not in self._partners:
            return super()._cost_of_leaving_it(top, top_seat)
        landlord = self._view.landlord
        assert landlord is not None
        hold = 1.0 if self._view.passed >> landlord & 1 else self.prospect(top).hold  # nobody of the other team is asked again
        return -hold * (self._more.partner + self._weights.alarm * self.near(self._view.cards_left[top_seat]))

    def _fed(self, play: Play) -> float:
        """The chance that a partner goes out by covering a play."""
        total = 0.0
        for category, number in self._outlook.covering(play.category, play.power):
            size, needed = self._outlook.sizes(category)
            for seat in self._partners:
                if self._view.cards_left[seat] == size:
                    total += number * math.comb(size, needed) / math.comb(self._num_unseen, needed)
        return min(1.0, total)

    def _points_of(self, mask: int) -> int:
        """The points of some cards."""
        return sum(self._points.get(card.rank, 0) for card in iter_cards(mask))


def _united(masks: Iterable[int]) -> int:
    return reduce(or_, masks, 0)
