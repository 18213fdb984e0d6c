"""What a team can force with all hands open, as plays: the verdict, a line, an answer to every defence."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from big2_env.climbing.game import Game, Move
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import PassLock
from big2_env.climbing.settlement import team_of
from big2_env.errors import ConfigError
from big2_env.solve import tree_search
from big2_env.solve.ending import Ending

Flags: TypeAlias = NDArray[np.bool_]

FIRST_PLACES: Final = 1 << 11
"""Places of the table at first; it grows by factors of 4."""
MAX_PLACES: Final = 1 << 23
"""Places that it has at most where nothing else is said: 400 MB in games of four."""
PIECE: Final = 50_000
"""Positions between two looks at the clock."""


class Verdict(StrEnum):
    """What is known of a position."""

    FORCED = "forced win"
    """Whatever the others do, a seat of the team is out first."""
    NOT_FORCED = "no forced win"
    """The others can see to it that one of them is."""
    OPEN = "undecided"
    """The time was over."""


@dataclass(frozen=True)
class Solution:
    """What the solver found."""

    verdict: Verdict
    team: tuple[int, ...]
    """The seats that were to win."""
    line: tuple[Move, ...]
    """Best play to the end: whoever can force it does so, the others resist as long as they can. It breaks off where the time
    was over, and is empty where nothing is decided."""
    positions: int
    """How many positions were looked at."""
    seconds: float
    """How long that took, the line included."""


class Solver:
    """A position being solved: its tables, what has been proved so far, and so an answer to every defence.

    Args:
        game: a game that goes on, its cards all dealt; it is not changed.
        seat: the seat that is to be out first, or anybody on its team; by default the one to move.
        max_places: the table's places at most, a power of two; each takes 8 bytes for each seat and 16 more.

    Raises:
        ConfigError: a position that cannot be solved, no such seat, or a table of another size.

    >>> from big2_env.climbing.rulesets import BIG2
    >>> game = Game.from_hands(BIG2, ["C[3] C[7] S[2]", "C[9] D[9]", "H[9] H[10]", "C[K] C[A]"])
    >>> solver = Solver(game)
    >>> solver.solve().verdict
    <Verdict.FORCED: 'forced win'>
    >>> str(solver.answer(game))
    'single C[3]'
    >>> for play in ("C[3]", "", "H[9]", "C[K]"):  # one of many defences
    ...     _ = game.play(play)
    >>> str(solver.answer(game))
    'single S[2]'
    """

    def __init__(self, game: Game, seat: int | None = None, *, max_places: int = MAX_PLACES) -> None:
        number = game.num_players
        if seat is not None and not 0 <= seat < number:
            raise ConfigError(f"seat {seat}: allowed is 0 to {number - 1}")
        if not FIRST_PLACES <= max_places == 1 << max_places.bit_length() - 1:
            raise ConfigError(f"a table of {max_places} places: allowed are powers of two from {FIRST_PLACES}")
        self.game = game.copy()
        self.team = team_of(game.turn if seat is None else seat, game.position.landlord, number)
        """The seats that are to win."""
        self._ending = Ending(game, self.team)
        tables = self._ending.tables
        depth = number * sum(hand.bit_count() for hand in game.position.hands) + 2  # each play passed by all others
        self._levels = np.zeros((depth, tree_search.LEVEL), np.int64)
        self._hands = np.zeros((depth, number), np.uint64)
        self._acts = np.zeros((depth, int(np.diff(tables.first).max()) + 1), np.int32)
        self._anything = np.ones(len(tables.code), np.bool_)
        self._table = np.zeros((FIRST_PLACES, number + 2), np.uint64)
        self._old = self._table[:0]
        """A table that the present one takes the place of."""
        self._most = max_places
        self._kept = 0
        """How many results the table has."""
        self.positions = 0
        """How many positions have been looked at."""
        # Loads the search, and compiles it where it has to: that is no part of the time that solving takes.
        self._search(self._enter(game), np.zeros(tree_search.CONTROL, np.int64), -1)
        self.positions = 0

    def solve(self, seconds: float | None = None, progress: Callable[[int], None] | None = None) -> Solution:
        """The verdict with a line, or `Verdict.OPEN` after so many seconds.

        `progress` is called from time to time with the number of positions looked at.

        Raises:
            ConfigError: a limit that is not above 0.
        """
        if seconds is not None and not seconds > 0:
            raise ConfigError(f"a limit of {seconds} seconds: allowed is more than 0")
        begin = time.perf_counter()
        deadline = None if seconds is None else begin + seconds
        before = self.positions
        game = self.game.copy()
        proof = self._prove(game, deadline, progress)
        if proof is None:
            return Solution(Verdict.OPEN, self.team, (), self.positions - before, time.perf_counter() - begin)
        start = len(game.history)
        while not game.position.finished and (play := self._answer(game, deadline, progress)) is not None:
            game.push(play)
        verdict = Verdict.FORCED if proof[0] else Verdict.NOT_FORCED
        line = tuple(game.history[start:])
        return Solution(verdict, self.team, line, self.positions - before, time.perf_counter() - begin)

    def answer(self, game: Game) -> Play:
        """What the seat to move does in a game that went on from the solver's.

        That is what wins, if its team can force that, or what resists longest against how the others would win.

        Raises:
            ConfigError: somebody is out, or the game is not one that went on from the solver's.
        """
        past = self.game.history
        if game.position.finished or game.start != self.game.start or game.history[: len(past)] != past:
            raise ConfigError("an answer in another game: allowed is one that went on from the solver's, with nobody out")
        found = self._answer(game, None, None)
        assert found is not None
        return found

    def _answer(self, game: Game, deadline: float | None, progress: Callable[[int], None] | None) -> Play | None:
        """As `answer`; `None` where the time is over."""
        if next(iter(game.legal_plays())) == PASS:
            return PASS
        proof = self._prove(game, deadline, progress)
        return None if proof is None else self._ending.play(proof[1], game)

    def _prove(self, game: Game, deadline: float | None, progress: Callable[[int], None] | None) -> tuple[bool, int] | None:
        """Whether the team wins from a game's present position, and the number of the act to do; `None`: the time is over."""
        opening = self._enter(game)
        control = np.zeros(tree_search.CONTROL, np.int64)
        while True:
            status = self._search(opening, control, PIECE)
            if status == tree_search.DONE:
                return bool(control[tree_search.VALUE]), int(control[tree_search.BEST])
            if status == tree_search.FULL:
                self._old, self._table = self._table, np.zeros((4 * len(self._table), self._table.shape[1]), np.uint64)
                self._kept = 0
            if progress is not None:
                progress(self.positions)
            if deadline is not None and time.perf_counter() > deadline:
                return None

    def _search(self, opening: Flags, control: NDArray[np.int64], budget: int) -> int:
        """What `search` returns, with what it counts added up."""
        control[tree_search.NODES], control[tree_search.COUNT] = 0, self._kept
        tables, old, self._old = self._ending.tables, self._old, self._table[:0]
        status: int = tree_search.search(
            *(tables, self._levels, self._hands, self._acts, opening, self._anything, old, self._table, self._most),
            *(control, budget),
        )
        self.positions += int(control[tree_search.NODES])
        self._kept = int(control[tree_search.COUNT])
        return status

    def _enter(self, game: Game) -> Flags:
        """Write a game's present position over level 0; returns which plays may open it."""
        position, ending, level = game.position, self._ending, self._levels[0]
        for seat, hand in enumerate(position.hands):
            self._hands[0, seat] = ending.code(seat, hand)
        locked = game.ruleset.pass_lock is PassLock.ROUND
        level[tree_search.TURN] = position.turn
        level[tree_search.TOP] = ending.rung(position.top)
        level[tree_search.TOP_SEAT] = position.top_seat if position.top is not None else 0
        level[tree_search.PASSED] = position.passed
        level[tree_search.LEAD_OVER] = ending.rung(position.lead_over) if locked and position.top is None else 0
        if not position.obligation:
            return self._anything
        legal, opening = game.legal_plays(), self._anything.copy()
        for number in range(*ending.tables.first[position.turn : position.turn + 2]):
            opening[number] = ending.plays[number] in legal
        return opening


def solve(
    game: Game,
    seat: int | None = None,
    *,
    seconds: float | None = None,
    progress: Callable[[int], None] | None = None,
) -> Solution:
    """Whether a team can force, with all hands open, that one of its seats is out first.

    A team is a landlord, the seats that play against one, or a seat that plays alone: then all others are taken to stand
    together against it.

    Args:
        game: a game that goes on, its cards all dealt.
        seat: anybody of the team; by default the seat to move.
        seconds: time after which it stays undecided; `None` for no limit.
        progress: called from time to time with the number of positions looked at.

    Raises:
        ConfigError: a position that cannot be solved, no such seat, or a limit that is not above 0.

    >>> from big2_env.climbing.rulesets.dou_dizhu import DOU_DIZHU
    >>> game = Game.from_hands(DOU_DIZHU, ["C[3] C[A] D[A]", "C[5] C[K]", "C[7] D[7] H[7]"])
    >>> found = solve(game)
    >>> found.verdict, found.team, [str(move.play) for move in found.line]
    (<Verdict.FORCED: 'forced win'>, (0,), ['pair C[A] D[A]', 'pass', 'pass', 'single C[3]'])
    """
    return Solver(game, seat).solve(seconds, progress)
