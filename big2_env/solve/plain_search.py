"""The search of `tree_search` in plain Python: it decides small endings at once, for which compiling would take seconds.

A position is proved when the seat to move has an act after which its team wins, or when all its acts have been refuted. The
order of acts, and so the line, is that of the compiled search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from big2_env.climbing.ruleset import PassLock
from big2_env.solve.ending import Tables

PASS: Final = -1
PIECE: Final = 256
"""Positions between two looks at the clock."""
PLAIN_POSITIONS: Final = 20_000
"""Positions that plain Python looks at in one process, half a second's worth, before the rest is left to compiled code."""
Hands: TypeAlias = tuple[int, ...]
"""Of each seat, the cards as `Ending.code` writes them."""


class State(NamedTuple):
    """A position but for the hands; rungs stand for plays, 0 for none."""

    turn: int
    top: int
    top_seat: int
    passed: int
    lead_over: int


class Proof(NamedTuple):
    """What is known of a position."""

    wins: bool
    """True if the team that is to win does."""
    distance: int
    """After how many choices."""
    act: int
    """By which act."""


class Budget:
    """How many positions may be looked at in plain Python."""

    def __init__(self, positions: int = PLAIN_POSITIONS) -> None:
        self.positions = positions


class BudgetSpentError(Exception):
    """The position is not proved: too many positions were looked at."""


class TimeOverError(Exception):
    """The position is not proved: whoever asked has waited long enough."""


SHARED: Final = Budget()
"""The budget of this process."""


class PlainSearch:
    """A position being proved, with all that has been proved so far."""

    def __init__(self, tables: Tables, budget: Budget = SHARED) -> None:
        first = tables.first
        self._plays = [range(first[seat], first[seat + 1]) for seat in range(len(first) - 1)]
        self._code, self._rung, self._merit = tables.code, tables.rung, tables.merit
        self._skips, self._guard, self._team = tables.skips, tables.guard, tables.team
        self._covers = tables.covers
        self._lock, self._must_cover = tuple(PassLock)[tables.lock], tables.must_cover
        self._budget = budget
        self._goes_on: Callable[[], bool] = lambda: True
        self._proved: dict[tuple[State, Hands], Proof] = {}
        self.positions = 0
        """How many positions have been looked at."""

    def prove(self, state: State, hands: Hands, opening: Sequence[bool], goes_on: Callable[[], bool] = lambda: True) -> Proof:
        """Whether the team wins from a position, and by which act; `opening` says which plays may be made there.

        Raises:
            BudgetSpentError: it is not known yet.
            TimeOverError: the same; `goes_on`, which is asked from time to time, said no.
        """
        self._goes_on = goes_on
        return self._prove(state, hands, None if all(opening) else opening)

    def _prove(self, state: State, hands: Hands, opening: Sequence[bool] | None = None) -> Proof:
        state, acts, ends = self._acts(state, hands, opening)
        side = self._team[state.turn]
        if ends:
            return Proof(bool(side), 1, acts[0])
        found = self._proved.get((state, hands))
        if found is not None:
            return found
        self.positions += 1
        self._budget.positions -= 1
        if self._budget.positions < 0:
            raise BudgetSpentError
        if self.positions % PIECE == 0 and not self._goes_on():
            raise TimeOverError
        longest, stubborn = 0, PASS
        for act in self._sorted(state, acts):
            wins, distance, _ = self._prove(*self._after(state, hands, act))
            if wins == side:
                found = Proof(wins, distance + 1, act)
                break
            if distance > longest:
                longest, stubborn = distance, act
        else:
            found = Proof(not side, longest + 1, stubborn)
        if opening is None:
            self._proved[state, hands] = found
        return found

    def _acts(self, state: State, hands: Hands, opening: Sequence[bool] | None) -> tuple[State, list[int], bool]:
        """The seat that has a choice, its acts, and whether the first of them ends the game. Those that have none pass."""
        while True:
            hand, guard, covered = hands[state.turn], self._guard[state.turn], self._covers[state.top]
            acts = []
            for play in self._plays[state.turn]:
                code = self._code[play]
                fits = ((hand | guard) - code) & guard == guard and covered[self._rung[play]]
                if fits and (opening is None or opening[play]):
                    if code == hand:
                        return state, [play], True
                    acts.append(play)
            if acts:
                break
            state = self._next(state._replace(passed=state.passed | 1 << state.turn))
        if state.top and not self._must_cover:
            acts.append(PASS)
        return state, acts, False

    def _sorted(self, state: State, acts: list[int]) -> list[int]:
        """The acts, those to be tried first in front.

        Those are leads with many cards and the weakest answers; the pass comes last, but first where one's own team is on top.
        """
        own = state.top > 0 and self._team[state.top_seat] == self._team[state.turn]

        def order(act: int) -> int:
            if act == PASS:
                return -1 << 40 if own else 1 << 40
            return int(self._rung[act]) - (0 if state.top else self._merit[act] << 20)

        return sorted(acts, key=order)

    def _after(self, state: State, hands: Hands, act: int) -> tuple[State, Hands]:
        """The position after an act of the seat to move."""
        turn = state.turn
        if act == PASS:
            return self._next(state._replace(passed=state.passed | 1 << turn)), hands
        hands = (*hands[:turn], hands[turn] - self._code[act], *hands[turn + 1 :])
        rung = self._rung[act]
        goes_on = bool(state.top or (state.lead_over and self._covers[state.lead_over][rung]))
        frees = self._lock is PassLock.NONE or (self._lock is PassLock.ROUND and not goes_on)
        state = State(turn, rung, turn, 0 if frees else state.passed, 0)
        return self._trick_ended(state) if self._skips[act] else self._next(state), hands

    def _next(self, state: State) -> State:
        """The turn goes to the next seat that may act; when there is none but the top player, the trick ends."""
        seat, seats = state.turn, len(self._plays)
        for _ in range(seats - 1):
            seat = (seat + 1) % seats
            if seat == state.top_seat:
                break
            if not state.passed >> seat & 1:
                return state._replace(turn=seat)
        return self._trick_ended(state)

    def _trick_ended(self, state: State) -> State:
        """The top player leads."""
        leader, locks = state.top_seat, self._lock is PassLock.ROUND
        return State(leader, 0, 0, state.passed & ~(1 << leader) if locks else 0, state.top if locks else 0)
