"""The search of `tree_search` in plain Python: it decides small endings at once, for which compiling would take seconds.

What is proved of a position is that the team is paid at least so much, or that it is not: the seat to move has an act after
which its side has its way, or all its acts have been refuted. The order of acts, and so the line, is that of the compiled
search.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from big2_env.solve.ending import Tables
from big2_env.solve.plain_moves import PASS, Hands, PlainMoves, State

PIECE: Final = 256
"""Positions between two looks at the clock."""
PLAIN_POSITIONS: Final = 20_000
"""Positions that plain Python looks at in one process, half a second's worth, before the rest is left to compiled code."""


class Proof(NamedTuple):
    """What is known of a position."""

    reached: bool
    """True if the team is paid at least what was asked for."""
    bound: float
    """What it is paid at least, where it reaches that, and at most otherwise."""
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
        self._moves = PlainMoves(tables)
        self._plays = [range(first[seat], first[seat + 1]) for seat in range(len(first) - 1)]
        self._code, self._rung, self._merit = tables.code, tables.rung, tables.merit
        self._guard, self._team, self._covers = tables.guard, tables.team, tables.covers
        self._must_cover, self._ends_at_once = tables.must_cover, tables.ends_at_once
        self._budget = budget
        self._goes_on: Callable[[], bool] = lambda: True
        self._proved: dict[tuple[State, Hands], Proof] = {}
        self._target = 0.0
        self.positions = 0
        """How many positions have been looked at."""

    def prove(
        self,
        state: State,
        hands: Hands,
        opening: Sequence[bool],
        target: float,
        goes_on: Callable[[], bool] = lambda: True,
    ) -> Proof:
        """Whether the team is paid so much from a position, and by which act; `opening` says which plays may be made there.

        Raises:
            BudgetSpentError: it is not known yet.
            TimeOverError: the same; `goes_on`, which is asked from time to time, said no.
        """
        self._goes_on, self._target = goes_on, target
        return self._prove(state, hands, None if all(opening) else opening)

    def _prove(self, state: State, hands: Hands, opening: Sequence[bool] | None = None) -> Proof:
        moves, target = self._moves, self._target
        state, hands, acts, ends = self._acts(state, hands, opening)
        if ends:
            paid = float(self._team[state.turn])
            return Proof(paid >= target, paid, 1, acts[0])
        if not acts:
            paid = moves.paid(state, hands)
            return Proof(paid >= target, paid, 0, PASS)
        found = self._proved.get((state, hands))
        if found is not None and found.reached == (found.bound >= target):
            return found
        self.positions += 1
        self._budget.positions -= 1
        if self._budget.positions < 0:
            raise BudgetSpentError
        if self.positions % PIECE == 0 and not self._goes_on():
            raise TimeOverError
        side = bool(self._team[state.turn])
        longest, stubborn, best = 0, PASS, -math.inf if side else math.inf
        for act in self._sorted(state, hands, acts):
            reached, bound, distance, _ = self._prove(*moves.after(state, hands, act))
            if reached == side:
                found = Proof(reached, bound, distance + 1, act)
                break
            best = max(best, bound) if side else min(best, bound)
            if distance > longest:
                longest, stubborn = distance, act
        else:
            found = Proof(not side, best, longest + 1, stubborn)
        if opening is None:
            self._proved[state, hands] = found
        return found

    def _acts(self, state: State, hands: Hands, opening: Sequence[bool] | None) -> tuple[State, Hands, list[int], bool]:
        """The position in which a seat has a choice, its acts, and whether the first of them ends the game.

        Those that have none pass; where the game is over there are no acts.
        """
        while not self._moves.is_over(state, hands):
            hand, guard, covered = hands[state.turn], self._guard[state.turn], self._covers[state.top]
            acts = []
            for play in self._plays[state.turn]:
                code = self._code[play]
                fits = ((hand | guard) - code) & guard == guard and covered[self._rung[play]]
                if fits and (opening is None or opening[play]):
                    if code == hand and self._ends_at_once:
                        return state, hands, [play], True
                    acts.append(play)
            if acts:
                if state.top and not self._must_cover:
                    acts.append(PASS)
                return state, hands, acts, False
            state, hands = self._moves.after(state, hands, PASS)
        return state, hands, [], False

    def _sorted(self, state: State, hands: Hands, acts: list[int]) -> list[int]:
        """The acts, those to be tried first in front.

        Those are plays of the whole hand, leads with many cards and the weakest answers; the pass comes last, but first where
        one's own team is on top.
        """
        own = state.top > 0 and self._team[state.top_seat] == self._team[state.turn]
        hand = hands[state.turn]

        def order(act: int) -> int:
            if act == PASS:
                return -1 << 40 if own else 1 << 40
            if self._code[act] == hand:
                return -1 << 50
            return int(self._rung[act]) - (0 if state.top else self._merit[act] << 20)

        return sorted(acts, key=order)
