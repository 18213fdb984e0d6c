"""What may become of a play: who may cover it, how likely somebody can, and what that would cost."""

from __future__ import annotations

import math
from typing import NamedTuple

from big2_agents.formula import Weights, near
from big2_agents.plain.unseen_plays import Shapes, UnseenPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import PassLock
from big2_env.climbing.view import View


class Prospect(NamedTuple):
    """What may become of a play."""

    hold: float
    """The chance that nobody covers it, as `big2_agents.formula` has it."""
    utility: float
    """What it is worth to have it, in turns."""
    danger: float
    """What it costs that covering plays may be somebody's last."""
    sure: bool
    """True if nobody can cover it."""


class Rivals:
    """The other seats of a decision: who may cover, who is a partner, how near to going out the nearest is.

    Those who may cover a play made now are all of the other team that hold cards, but for seats that a pass lock keeps out,
    unless it keeps out every one.
    """

    def __init__(self, view: View, weights: Weights) -> None:
        turns = [(view.seat + step) % view.num_players for step in range(1, view.num_players)]
        holding = [seat for seat in turns if view.cards_left[seat]]
        partners = [seat for seat in holding if seat in view.team]
        locked = 0 if view.ruleset.pass_lock is PassLock.NONE else view.passed
        asked = [seat for seat in holding if not locked >> seat & 1] or holding
        self.left = [view.cards_left[seat] for seat in asked if seat not in partners]
        """How many cards each that may cover has left, in the order of their turns."""
        self.partners_left = [view.cards_left[seat] for seat in sorted(partners)]
        """How many cards each partner has left."""
        between = bool(asked) and asked[0] in partners
        self.first_cost = weights.danger if between else weights.block
        """What it costs that the first of them goes out; less where a partner stands between."""
        self._decay = weights.decay
        self.has_pile = view.pile_left > 0
        """True if there are cards to draw: while there are any, nobody goes out."""
        self.nearest = max(map(self.near, self.left), default=0.0)
        """How near the nearest of them is to going out."""

    def near(self, cards_left: int) -> float:
        """How near a player with this many cards is to going out: not at all while there are cards to draw."""
        return 0.0 if self.has_pile else near(cards_left, self._decay)


class _Kind(NamedTuple):
    """What the prospects of all plays of a category have in common."""

    coverers: list[tuple[list[int], float, list[tuple[float, float]]]]
    """Of each category that may cover: how many unseen plays do, by the power to cover, and as `Outlook._chance` has it."""
    above: list[int]
    """How many unseen plays of the category itself have more power, by power."""
    total: int
    """How many unseen plays of it there are."""
    hold: float
    rank: float
    turn: float
    bomb: float | None
    """The weights of its size, and those of a bomb if it is one."""


class Outlook:
    """What may become of each play of one decision."""

    def __init__(self, shapes: Shapes, weights: Weights, rivals: Rivals, unseen: int) -> None:
        self._shapes = shapes
        self._weights = weights
        self._rivals = rivals
        self._num_unseen = unseen.bit_count()
        self._unseen_plays = UnseenPlays(shapes, unseen)
        self._chances: dict[int, tuple[float, list[tuple[float, float]]]] = {}
        self._kinds: dict[int, _Kind] = {}
        self._prospects: dict[tuple[int, int], Prospect] = {}

    def prospect(self, category: int, power: int) -> Prospect:
        """What may become of a play: of one in the hand, or of the top play."""
        found = self._prospects.get((category, power))
        if found is None:
            found = self.find(category, power)
        return found

    def find(self, category: int, power: int) -> Prospect:
        """The same of a play that nobody has asked about yet."""
        kind = self._kinds.get(category) or self._kind(category)
        expected = danger = 0.0
        for numbers, share, last in kind.coverers:
            number = numbers[power]
            if number:
                expected += number * share
                for chance, cost in last:
                    danger += cost * min(1.0, number * chance)
        rank = 1.0 - kind.above[power] / kind.total if kind.total else 1.0
        hold = 1.0 / (1.0 + expected)
        utility = kind.hold * hold + kind.rank * rank * rank - kind.turn
        if kind.bomb is not None:
            utility += kind.bomb * hold
        sure = expected == 0.0
        if self._rivals.has_pile:  # it is nobody's last play
            danger, sure = 0.0, False
        found = self._prospects[category, power] = Prospect(hold, utility, danger, sure)
        return found

    def of_act(self, view: View, play: Play) -> Prospect:
        """What may become of a play that is made now: nobody answers a lead that keeps all others locked."""
        found = self.prospect(play.category, play.power)
        leads = view.ruleset.pass_lock is PassLock.ROUND and view.top is None and view.passed
        if leads and view.lead_over is not None and view.ruleset.covers(play, view.lead_over):
            return Prospect(1.0, found.utility, 0.0, not self._rivals.has_pile)
        return found

    def fed(self, category: int, power: int) -> float:
        """The chance that a partner goes out by covering a play."""
        total, shapes = 0.0, self._shapes
        for rival, number in self._unseen_plays.covering(category, power):
            size, needed = shapes.sizes[rival], shapes.needed[rival]
            for left in self._rivals.partners_left:
                if left == size:
                    total += number * float(math.comb(size, needed)) / float(math.comb(self._num_unseen, needed))
        return min(1.0, total)

    def _kind(self, category: int) -> _Kind:
        """What the prospects of all plays of a category have in common."""
        shapes, weights = self._shapes, self._weights
        coverers = []
        for rival, by_power in shapes.covering[category]:
            above, total = self._unseen_plays.counted(rival)
            if total:
                chances = self._chances.get(rival) or self._chance(rival)
                coverers.append((above if by_power else [total] * len(above), *chances))
        above, total = self._unseen_plays.counted(category)
        size = min(shapes.sizes[category], 3) - 1
        bomb = weights.bomb if shapes.ruleset.table.categories[category].bomb else None
        found = _Kind(coverers, above, total, weights.hold[size], weights.rank[size], weights.turn[size], bomb)
        self._kinds[category] = found
        return found

    def _chance(self, category: int) -> tuple[float, list[tuple[float, float]]]:
        """The chance that the unseen cards which decide on a play of a category are in one hand, summed over the rivals.

        And for each hand of exactly the play's size the same chance with what it costs: with these cards its player goes out.
        """
        size, needed = self._shapes.sizes[category], self._shapes.needed[category]
        total = 0.0
        last = []
        cost = self._rivals.first_cost
        for left in self._rivals.left:
            if size <= left:
                chance = float(math.comb(left, needed)) / float(math.comb(self._num_unseen, needed))
                total += chance
                if size == left:
                    last.append((chance, cost))
            cost = self._weights.danger
        found = self._chances[category] = total, last
        return found
