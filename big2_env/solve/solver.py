"""Endgame solver with plays as input and output: verdict, payoff, best line, and an answer to every defense."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from big2_env.base.errors import ConfigError
from big2_env.base.one_call import OneCall, one_at_a_time
from big2_env.climbing.game import Game, Move
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import PassLock, Rest, RuleSet, pattern_rules
from big2_env.climbing.settlement import team_of
from big2_env.kernels.dialect.loader import load
from big2_env.kernels.switch import PATIENCE, Compilation
from big2_env.solve.ending import FIRST_PLACES, MAX_PLACES, POINTS, STAKE, Ending, Goal, Hands, State, captured_score, points_of

if TYPE_CHECKING:
    from big2_env.solve.kernels.prover import Proof, Prover

PLAIN_PIECE: Final = 256
"""Positions that plain Python searches between two checks of the clock."""
ABOVE_NOTHING: Final = sys.float_info.min
"""Smallest payoff above 0. It is not denormal, because compiled code may flush denormals to 0."""


def _compile_search() -> None:
    """Compile the search, or load it from numba's cache."""
    from big2_env.solve.kernels.prover import Prover  # numba takes a second to load

    rules = RuleSet("ending", "ending", pattern_rules("single"), min_players=2, rest=Rest.ASIDE)
    ending = Ending(Game.from_hands(rules, ["C[3]", "C[4]"]), (0,), Goal.FIRST_OUT)
    search = Prover(ending.tables, ending.num_cards)
    search.ask(State(0, 0, 0, 0, 0), (1, 1), [True] * len(ending.plays), ABOVE_NOTHING)
    search.run()


COMPILATION: Final = Compilation(_compile_search, what="the solver")


class Verdict(StrEnum):
    """Result of a search."""

    FORCED = "forced win"
    """A seat of the team is first out against any defense; with goal `settlement`, the team's payoff is above 0."""
    NOT_FORCED = "no forced win"
    """The opponents can prevent that."""
    OPEN = "undecided"
    """The time limit was reached."""


@dataclass(frozen=True)
class Solution:
    """Result of the solver."""

    verdict: Verdict
    team: tuple[int, ...]
    """Seats that were to win."""
    goal: Goal
    """The objective."""
    payoff: float | None
    """The team's total payoff with best play by both sides; `None` for another goal, or if the time limit was reached."""
    line: tuple[Move, ...]
    """Best play until the goal is reached or missed.

    The side that can force its aim does so. The other side resists as long as it can, or minimizes the loss. The line is
    shorter if the time limit was reached, and empty if nothing was decided.
    """
    positions: int
    seconds: float
    """Duration in seconds, including the line."""


class Solver:
    """Solver of one position, which keeps its proofs and so can answer every defense.

    Args:
        game: A running game; it is not changed. The draw pile, if any, is open as well.
        seat: Any seat of the team that is to win; by default the seat to move.
        goal: To be first out, or to be paid as much as can be forced.
        max_places: Maximum number of memo slots of the compiled search, a power of two. Each takes 8 bytes per seat plus
            16, or plus 40 if the payoff depends on more than the hands.
        plain_positions: Number of positions to search in plain Python before compiling. By default compiled code takes over
            once it is ready, or once plain Python has taken `kernels.switch.PATIENCE` seconds in the process.
        compiles: False to give up after the plain positions instead of compiling. The same questions in the same order then
            have the same answers everywhere.

    Raises:
        ConfigError: If the position cannot be solved, or an argument is invalid.

    >>> from big2_env.climbing.rulesets import BIG2
    >>> game = Game.from_hands(BIG2, ["C[3] C[7] S[2]", "C[9] D[9]", "H[9] H[10]", "C[K] C[A]"])
    >>> solver = Solver(game)
    >>> solver.solve().verdict
    <Verdict.FORCED: 'forced win'>
    >>> str(solver.answer(game))
    'single C[3]'
    >>> for play in ("C[3]", "", "H[9]", "C[K]"):  # one of many defenses
    ...     _ = game.play(play)
    >>> str(solver.answer(game))
    'single S[2]'
    """

    def __init__(
        self,
        game: Game,
        seat: int | None = None,
        *,
        goal: Goal = Goal.FIRST_OUT,
        max_places: int = MAX_PLACES,
        plain_positions: int | None = None,
        compiles: bool = True,
    ) -> None:
        number = game.num_players
        if seat is not None and not 0 <= seat < number:
            raise ConfigError(f"expected a seat of 0 to {number - 1}, got {seat}")
        if not FIRST_PLACES <= max_places == 1 << max_places.bit_length() - 1:
            raise ConfigError(f"expected max_places to be a power of two from {FIRST_PLACES:,}, got {max_places}")
        if not isinstance(goal, Goal):
            raise ConfigError(f"expected a goal of {', '.join(f'Goal.{one.name}' for one in Goal)}, got {goal!r}")
        self.one_call = OneCall()
        self.game = game.copy()
        self.team = team_of(game.turn if seat is None else seat, game.position.landlord, number)
        """Seats that are to win."""
        self.goal = goal
        """Their objective."""
        self._ending = Ending(game, self.team, goal)
        prover = load(frozenset()).module("big2_env.solve.kernels.prover").Prover
        self._search: Prover = prover(self._ending.tables, self._ending.num_cards)
        self._plain_positions = plain_positions
        self.compiled: Prover | None = None
        """The compiled search, if plain Python could not decide everything."""
        self._max_places = max_places
        self._compiles = compiles
        self._loading = 0.0

    @property
    def positions(self) -> int:
        """Number of positions searched so far."""
        return self._search.positions

    @one_at_a_time
    def solve(self, seconds: float | None = None, progress: Callable[[int], None] | None = None) -> Solution:
        """Return the verdict with a line of play.

        Args:
            seconds: Time limit, after which the verdict is `Verdict.OPEN`; `None` for no limit.
            progress: Called from time to time with the number of positions searched.

        Raises:
            ConfigError: If the limit is not above 0.
        """
        if seconds is not None and not seconds > 0:
            raise ConfigError(f"expected a limit of more than 0 seconds, got {seconds}")
        begin = self._clock()
        deadline = None if seconds is None else begin + seconds
        before = self.positions
        game = self.game.copy()
        first = self._prove(game, ABOVE_NOTHING, deadline, progress)
        start, payoff = len(game.history), None
        if first is not None:
            if self.goal is Goal.SETTLEMENT:
                payoff = self._payoff(game, deadline, progress)
            while not self._is_over(game) and (play := self._answer(game, deadline, progress)) is not None:
                game.push(play)
        verdict = Verdict.OPEN if first is None else Verdict.FORCED if first.reached else Verdict.NOT_FORCED
        line = tuple(game.history[start:])
        return Solution(verdict, self.team, self.goal, payoff, line, self.positions - before, self._clock() - begin)

    @one_at_a_time
    def gains(self, seconds: float | None = None, game: Game | None = None) -> bool | None:
        """Return whether the team can force its goal, without a line; `None` if a limit was reached.

        Args:
            seconds: Time limit in seconds; `None` for no limit.
            game: A continuation of the solver's game with an undecided goal; by default the solver's game itself.

        Raises:
            ConfigError: If the game is another one, or its goal is already decided.
        """
        game = game or self.game
        self._check(game)
        proof = self._prove(game, ABOVE_NOTHING, None if seconds is None else self._clock() + seconds, None)
        return None if proof is None else proof.reached

    def moves(self, game: Game) -> list[Play]:
        """Return the legal moves of the seat to move, one of each set of moves of equal worth.

        Args:
            game: A continuation of the solver's game.
        """
        code = self._ending.code
        kinds = {(play.pattern, play.power, code(game.turn, play.mask)): play for play in reversed(list(game.legal_plays()))}
        return list(kinds.values())[::-1]

    @one_at_a_time
    def answer(self, game: Game) -> Play:
        """Return the best play of the seat to move in a game that continues from the solver's position.

        It wins if its team can force that, and otherwise resists longest. With goal `settlement` it is the play with the
        best payoff for its side.

        Args:
            game: A continuation of the solver's game.

        Raises:
            ConfigError: If the goal is already decided, the game does not continue the solver's, or a solver that does not
                compile has searched all its positions.
        """
        self._check(game)
        found = self._answer(game, None, None)
        if found is None:
            raise ConfigError("expected a position that the plain search decides, got a larger one")
        return found

    def _check(self, game: Game) -> None:
        """Reject a game that does not continue the solver's game, or whose goal is decided."""
        past = self.game.history
        if self._is_over(game) or game.start != self.game.start or game.history[: len(past)] != past:
            raise ConfigError("expected a continuation of the solver's game with an undecided goal")

    def _is_over(self, game: Game) -> bool:
        return game.is_over if self.goal is Goal.SETTLEMENT else bool(game.position.finished)

    def _answer(self, game: Game, deadline: float | None, progress: Callable[[int], None] | None) -> Play | None:
        """Return the result of `answer`, or `None` if the time limit was reached."""
        if next(iter(game.legal_plays())) == PASS:
            return PASS
        target = ABOVE_NOTHING
        if self.goal is Goal.SETTLEMENT:
            payoff = self._payoff(game, deadline, progress)
            if payoff is None:
                return None
            target = payoff if game.turn in self.team else _above(payoff)
        proof = self._prove(game, target, deadline, progress)
        return None if proof is None else self._ending.play(proof.move, game)

    def _payoff(self, game: Game, deadline: float | None, progress: Callable[[int], None] | None) -> float | None:
        """Return the team's payoff with best play from a game's current position; `None` if the time limit was reached.

        Each proof gives a bound, and the next one asks whether it is the best (MTD(f), by Plaat and others, 1996).
        """
        least, most, target = -math.inf, math.inf, ABOVE_NOTHING
        while least < most:
            proof = self._prove(game, target, deadline, progress)
            if proof is None:
                return None
            if proof.reached:
                least, target = proof.bound, _above(proof.bound)
            else:
                most = target = proof.bound
        return least

    def _prove(self, game: Game, target: float, deadline: float | None, progress: Callable[[int], None] | None) -> Proof | None:
        """Return the proof for a target payoff from a game's current position; `None` if the time limit was reached."""
        question = *self._state(game), target
        self._search.ask(*question)
        while (proof := self._looked() if self.compiled is None else self._search.run()) is None:
            if progress is not None:
                progress(self.positions)
            if deadline is not None and self._clock() > deadline:
                return None
            if self.compiled is None and self._is_long and not self._compile(*question) and self._plain_positions is not None:
                return None
        return proof

    @property
    def _is_long(self) -> bool:
        """True if compiled code is to take over."""
        if self._plain_positions is None:
            return COMPILATION.is_ready or COMPILATION.spent >= PATIENCE
        return self.positions >= self._plain_positions

    def _looked(self) -> Proof | None:
        """Search some positions in plain Python, by default none once compiled code is ready."""
        piece, most = PLAIN_PIECE - self.positions % PLAIN_PIECE, self._plain_positions
        if most is not None:
            return self._search.run(min(piece, most - self.positions))
        if self._compiles and COMPILATION.is_ready:
            return None
        with COMPILATION.timed() if self._compiles else nullcontext():
            return self._search.run(piece)

    def _compile(self, state: State, hands: Hands, opening: list[bool], target: float) -> bool:
        """Switch to the compiled search. The clock is stopped meanwhile. Return False if there is none, as in a browser."""
        begin = time.perf_counter()
        if self._compiles:
            COMPILATION.finish()
        if self._compiles and COMPILATION.is_ready:
            # Imported where it is used: numba takes a second to load.
            from big2_env.solve.kernels.prover import Prover

            search = Prover(self._ending.tables, self._ending.num_cards, self._max_places)
            search.ask(state, hands, opening, target)
            search.resume_from(self._search)
            self._search = self.compiled = search
        self._loading += time.perf_counter() - begin
        return self.compiled is not None

    def _clock(self) -> float:
        """Return the time in seconds, without time spent on loading."""
        return time.perf_counter() - self._loading

    def _state(self, game: Game) -> tuple[State, Hands, list[bool]]:
        """Return a game's current position in the form of the search, and which plays may open it."""
        position, ending = game.position, self._ending
        hands = tuple(ending.code(seat, hand) for seat, hand in enumerate(position.hands))
        locked = game.ruleset.pass_lock is PassLock.ROUND
        top_seat = position.top_seat if position.top is not None and position.top_seat is not None else 0
        lead_over = ending.rung(position.lead_over) if locked and position.top is None else 0
        state = State(
            position.turn,
            ending.rung(position.top),
            top_seat,
            position.passed,
            lead_over,
            pile=len(position.pile),
            out=position.finished[0] + 1 if position.finished else 0,
            **self._tally(game),
        )
        opening = [True] * len(ending.plays)
        if position.obligation:
            legal = game.legal_plays()
            for number in range(*ending.tables.first[position.turn : position.turn + 2]):
                opening[number] = ending.plays[number] in legal
        return state, hands, opening

    def _tally(self, game: Game) -> dict[str, int]:
        """Return the fields of `State` that settlements need besides hands and seats: plays and multipliers, or points."""
        position, form = game.position, self._ending.tables.pay.form
        if form == STAKE and position.landlord is not None:
            acted = position.acted[position.landlord]
            others = sum(position.acted) - acted
            return {"factor": position.factor // self.game.position.factor, "acted": min(acted, 2) | (4 if others else 0)}
        if form == POINTS:
            rules = game.ruleset
            trick = points_of(rules, position.trick)
            return {"score": captured_score(rules, position.captured, self.team), "trick": trick}
        return {}


def _above(payoff: float) -> float:
    """Return the next larger payoff."""
    return ABOVE_NOTHING if payoff == 0 else math.nextafter(payoff, math.inf)


def solve(
    game: Game,
    seat: int | None = None,
    *,
    goal: Goal = Goal.FIRST_OUT,
    seconds: float | None = None,
    progress: Callable[[int], None] | None = None,
    plain_positions: int | None = None,
) -> Solution:
    """Return what a team can force with all cards open: to be first out, or its best payoff.

    A team is a landlord, the opponents of a landlord, or a single seat. All other seats are assumed to cooperate against
    it.

    Args:
        game: A running game. The draw pile, if any, is open as well.
        seat: Any seat of the team; by default the seat to move.
        goal: To be first out, or to be paid as much as can be forced.
        seconds: Time limit in seconds; `None` for no limit.
        progress: Called from time to time with the number of positions searched.
        plain_positions: As for `Solver`.

    Raises:
        ConfigError: If the position cannot be solved, or an argument is invalid.

    >>> from big2_env.climbing.rulesets.dou_dizhu import DOU_DIZHU
    >>> game = Game.from_hands(DOU_DIZHU, ["C[3] C[A] D[A]", "C[5] C[K]", "C[7] D[7] H[7]"])
    >>> found = solve(game)
    >>> found.verdict, found.team, [str(move.play) for move in found.line]
    (<Verdict.FORCED: 'forced win'>, (0,), ['pair C[A] D[A]', 'pass', 'pass', 'single C[3]'])
    >>> solve(game, goal=Goal.SETTLEMENT).payoff
    4.0
    """
    return Solver(game, seat, goal=goal, plain_positions=plain_positions).solve(seconds, progress)
