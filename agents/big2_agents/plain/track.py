"""What a player remembers of a game beyond the position, from its history: as `compiled.track` has it."""

from __future__ import annotations

from big2_agents.compiled.feature_layout import MAX_CATEGORIES, SKIPS
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import PassLock
from big2_env.climbing.view import View


class Track:
    """The public memory of a game."""

    def __init__(self, view: View) -> None:
        number, rules = view.num_players, view.ruleset
        self.last: list[Play | None] = [None] * number
        """The last play of each seat."""
        self.passed_on: list[dict[int, int]] = [{} for _ in range(number)]
        """By seat: the lowest power that it passed on, by category."""
        self.led: list[set[int]] = [set() for _ in range(number)]
        """By seat: the categories that it has led."""
        self.skipped = [[0] * SKIPS for _ in range(number)]
        """By seat and category: the values left out below a lead, or between the top play and its cover, as bits."""
        everybody, passed = (1 << number) - 1, 0
        top: Play | None = None
        top_seat = 0
        for seat, play in view.history:
            if not play.mask:
                passed |= 1 << seat
                if top is not None and not are_partners(view, seat, top_seat):
                    self._note_pass(seat, top)
                continue
            self.last[seat] = play
            leads = top is None or passed | 1 << top_seat == everybody
            if leads or rules.pass_lock is PassLock.NONE:
                passed = 0
            self._note_play(seat, play, None if leads else top)
            top, top_seat = play, seat

    def _note_pass(self, seat: int, top: Play) -> None:
        if top.category < MAX_CATEGORIES:
            known = self.passed_on[seat]
            known[top.category] = min(known.get(top.category, top.power), top.power)

    def _note_play(self, seat: int, play: Play, top: Play | None) -> None:
        category, value = play.category, value_of(play.power)
        if top is None:
            lowest = 0
            if category < MAX_CATEGORIES:
                self.led[seat].add(category)
        elif category != top.category:
            return
        else:
            lowest = value_of(top.power) + 1
        if category < SKIPS and value > lowest:
            self.skipped[seat][category] |= (1 << value) - (1 << lowest)


def value_of(power: int) -> int:
    """The value that a power has within its tier."""
    return (power & 63) >> 2


def are_partners(view: View, seat: int, other: int) -> bool:
    """True if two seats play against the same landlord."""
    return view.landlord is not None and view.landlord not in (seat, other)
