"""Certain wins: one fixed order of plays that empties a hand, whatever cards the others hold and however they play.

Each play of the order but the last either cannot be beaten by unseen cards, or the next one beats everything that beats it.
No opponent may empty a hand by beating the plays of the order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from big2_env.base.cards import iter_cards
from big2_env.climbing.parts import LastCard
from big2_env.climbing.play import Play
from big2_env.climbing.settlement import CapturedPoints
from big2_env.climbing.view import View

MOST_PLAYS: Final = 600
"""Maximum number of plays in a hand that is searched."""
MOST_NODES: Final = 1_500
"""Maximum number of steps of a search."""


def certain_win(view: View) -> tuple[Play, ...]:
    """Return an order of plays that wins for certain; empty if none is found, in an auction, or if cards are drawn or counted.

    Of several orders, the one that raises the stake most is returned, then one in which the fewest plays can be beaten, then
    the shortest. An order may be missed in a hand with more than `MOST_PLAYS` plays.
    """
    if view.bidding or view.pile_left or isinstance(view.ruleset.scoring, CapturedPoints) or not view.is_on_turn:
        return ()
    return _Search(view).found()


class _Search:
    """Search for the certain wins of one view."""

    def __init__(self, view: View) -> None:
        self._view, self._table = view, view.ruleset.table
        others = [seat for seat in range(view.num_players) if seat != view.seat and view.cards_left[seat]]
        self._most = max((view.cards_left[seat] for seat in others), default=0)
        self._most_now = max((view.cards_left[seat] for seat in others if not view.passed >> seat & 1), default=0)
        self._left = [view.cards_left[seat] for seat in others]
        self._rivals = {view.cards_left[seat] for seat in others if seat not in view.team}
        self._bombs = {rule.pattern.name for rule in view.ruleset.patterns if rule.bomb or rule.bomb_per_card}
        self._safe: dict[tuple[int, int, int], bool] = {}
        self._nodes = MOST_NODES
        self._plays: dict[int, list[Play]] = {}
        self._safe_cards = 0  # cards in plays that cannot be beaten

    def found(self) -> tuple[Play, ...]:
        """Return the best order."""
        view, hand = self._view, self._view.hand
        legal = [play for play in view.legal_plays() if play]
        orders: list[tuple[Play, ...]] = [(play,) for play in legal if play.mask == hand]
        plays = list(islice(self._table.plays(hand, with_early=True), MOST_PLAYS + 1))
        if len(plays) > MOST_PLAYS:
            return min(orders, key=self._cost, default=())
        for play in sorted(plays, key=len, reverse=True):
            self._plays.setdefault(play.mask & -play.mask, []).append(play)
            self._safe_cards |= play.mask if self._is_safe(play, self._most) else 0
        for first in legal:
            is_safe = self._is_safe(first, self._most_now)
            if first.mask != hand and (is_safe or self._safe_cards & ~first.mask):
                orders += self._orders(first, is_safe)
        return min(orders, key=self._cost, default=())

    def _orders(self, first: Play, is_safe: bool) -> Iterator[tuple[Play, ...]]:
        """Yield winning orders that begin with a legal play."""
        for others in self._partitions(self._view.hand & ~first.mask, int(not is_safe)):
            safe = sorted((play for play in others if self._is_safe(play, self._most)), key=lambda play: -play.power)
            rest = [play for play in others if play not in safe]
            ends: list[Play | None] = [*rest] or [None]
            for last in ends:
                beaten = [*([] if is_safe else [first]), *(play for play in rest if play is not last)]
                stoppers = self._matched(beaten, safe)
                if stoppers is None or self._lets_out(beaten):
                    continue
                pairs = list(zip(beaten, stoppers, strict=True))
                order = [first] if is_safe else [*pairs.pop(0)]
                order += [play for play in safe if play not in stoppers]
                for pair in pairs:
                    order += pair
                order += [] if last is None else [last]
                if self._is_allowed(order):
                    yield tuple(order)

    def _partitions(self, rest: int, beaten: int) -> Iterator[list[Play]]:
        """Yield the ways to split cards into plays of which few enough can be beaten.

        Args:
            rest: The cards.
            beaten: Number of plays before these that can be beaten.
        """
        self._nodes -= 1
        for play in self._plays.get(rest & -rest, ()):
            if self._nodes <= 0:
                return
            if play.mask & ~rest:
                continue
            is_safe = self._is_safe(play, self._most)
            left, open_ = rest & ~play.mask, beaten + (not is_safe) - is_safe
            if open_ - 1 > (left & self._safe_cards).bit_count():
                continue
            if not left:
                yield [play]
                continue
            for others in self._partitions(left, open_):
                yield [play, *others]

    def _matched(self, beaten: Sequence[Play], stoppers: Sequence[Play]) -> list[Play] | None:
        """Return for each play that can be beaten another one that beats whatever beats it; `None` if there are too few."""
        if not beaten:
            return []
        for number, stopper in enumerate(stoppers):
            if self._stops(beaten[0], stopper):
                others = self._matched(beaten[1:], [*stoppers[:number], *stoppers[number + 1 :]])
                if others is not None:
                    return [stopper, *others]
        return None

    def _is_safe(self, play: Play, most: int) -> bool:
        """Return True if no `most` unseen cards beat a play; False if it is legal only as the last one."""
        key = play.category, play.power, most
        if key not in self._safe:
            beaten = any(self._table.holds(self._view.unseen, category, above) for category, above in self._beating(play, most))
            self._safe[key] = self._table.is_final(play) or not (beaten or self._table.categories[play.category].last)
        return self._safe[key]

    def _stops(self, play: Play, stopper: Play) -> bool:
        """Return True if one play beats every play of unseen cards that beats another."""
        table = self._table
        for category, above in self._beating(play, self._most):
            if stopper.category in table.beaters[category]:
                continue
            if stopper.category in table.rivals[category]:
                above = max(above, stopper.power - 1)
            if table.holds(self._view.unseen, category, above):
                return False
        return True

    def _beating(self, play: Play, most: int) -> Iterator[tuple[int, int]]:
        """Yield the categories of at most `most` cards that may beat a play, each with the power that they must exceed."""
        table = self._table
        for category, each in enumerate(table.categories):
            if each.size > most:
                continue
            if category in table.beaters[play.category]:
                yield category, -1
            elif category in table.rivals[play.category]:
                yield category, play.power

    def _lets_out(self, beaten: Sequence[Play]) -> bool:
        """Return True if an opponent may empty a hand by beating some of the plays."""
        table, unseen = self._table, self._view.unseen
        sums, cards = {0}, 0
        for play in beaten:
            sizes = set()
            for category, above in self._beating(play, self._most):
                if table.holds(unseen, category, above):
                    sizes.add(table.categories[category].size)
            sums |= {number + size for number in sums for size in sizes}
            if sizes == {1}:
                cards |= sum(1 << card for card in iter_cards(unseen) if next(table.plays(1 << card, play), None))
            elif sizes:
                cards = unseen
        return any(left in sums and left <= cards.bit_count() for left in self._rivals)

    def _is_allowed(self, order: Sequence[Play]) -> bool:
        """Return False if a play may not be made yet, or if a single may have to be the highest one, and is not."""
        if any(self._table.categories[play.category].last for play in order[:-1]):
            return False
        if self._view.ruleset.last_card is LastCard.NONE or min(self._left) > len(order):
            return True
        rest = self._view.hand
        for play in order:
            if len(play) == 1 and any(len(one) == 1 for one in self._table.plays(rest, play)):
                return False
            rest &= ~play.mask
        return True

    def _cost(self, order: Sequence[Play]) -> tuple[int, ...]:
        """Return what is less for a better order."""
        bombs = sum(play.pattern in self._bombs for play in order) if self._view.ruleset.auction is not None else 0
        return -bombs, sum(not self._is_safe(play, self._most) for play in order[:-1]), len(order)
