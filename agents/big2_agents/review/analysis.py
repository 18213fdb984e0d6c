"""Review of a whole game: its decisions, proofs about its ending, each seat's prospects, and a summary per seat.

Endings are solved with all cards open: which team can force a positive payoff, and which move gave that away. Marks depend on a
unit of the ruleset's payoffs, which was measured for the shipped rulesets.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import zip_longest
from typing import Any, Final

from big2_agents.models import models_folder
from big2_agents.review.decision import Appraiser, Decision, Judge, Mark, Prospect, prepare_many
from big2_env.agents.advice import seat_players
from big2_env.agents.seeds import agent_seed
from big2_env.base.errors import ConfigError
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.settlement import team_of
from big2_env.notation.transcript import game_at
from big2_env.runs.intervals import NORMAL_95
from big2_env.solve import Goal, Solver
from big2_env.solve.ending import gains_by_first_out

MAX_CARDS: Final = 24
"""Number of cards in all hands and the draw pile at which solving starts; usually a matter of milliseconds."""
SECONDS: Final = 2.0
"""Time after which a position stays undecided."""


@dataclass(frozen=True)
class Proof:
    """Solver result for one position with all cards open."""

    seats: tuple[int, ...]
    """Seats that, with their team, can force a positive payoff against any play, ascending.

    If only the first seat out and its team are paid, as in most games, that is at most one team.
    """


def proof_of(
    game: Game, before: Proof | None = None, actor: int | None = None, plain_positions: int | None = None
) -> Proof | None:
    """Return the seats that can force a positive payoff; `None` if the solver does not decide the position.

    It does not if the position is too large, is of an unsupported kind, or takes too long.

    Args:
        game: The game at the position.
        before: Proof of the position before the last move.
        actor: Seat that made the last move. Only its team can lose a forced payoff by it, and its team cannot gain one.
        plain_positions: Maximum number of positions that plain Python examines, as in `solve`.
    """
    position = game.position
    cards = sum(hand.bit_count() for hand in position.hands) + len(position.pile)
    if game.is_over or position.bidding or cards > MAX_CARDS:
        return None
    teams = sorted({team_of(seat, position.landlord, game.num_players) for seat in range(game.num_players)})
    found: list[tuple[int, ...]] = []
    if before is not None:
        found = [team for team in teams if team[0] in before.seats and actor not in team]
        teams = [team for team in teams if team not in found and (actor in team) == (team[0] in before.seats)]
    try:
        alone = gains_by_first_out(game.ruleset)  # one team at most is paid
        goal = Goal.FIRST_OUT if alone else Goal.SETTLEMENT
        if before is not None and (not teams or (alone and found)):
            return before
        for team in teams:
            if alone and found:
                break
            gains = Solver(game, team[0], goal=goal, plain_positions=plain_positions).gains(SECONDS)
            if gains is None:
                return None
            if gains:
                found.append(team)
    except ConfigError:  # too many cards in a hand, or a settlement of somebody's own
        return None
    return Proof(tuple(sorted(seat for team in found for seat in team)))


@lru_cache(maxsize=1)
def measured() -> dict[tuple[str, int], float]:
    """Return the results of `prospects.measured_unit` by ruleset and number of players; a test repeats the measurement."""
    by_ruleset = json.loads((models_folder() / "payoff_units.json").read_text(encoding="utf-8"))
    return {(name, int(number)): unit for name, units in by_ruleset.items() for number, unit in units.items()}


def known_unit(ruleset: RuleSet, num_players: int) -> float | None:
    """Return the stored unit of losses; `None` for rulesets that are not shipped, and in a browser."""
    if available_rulesets().get(ruleset.name) != ruleset:
        return None
    with suppress(OSError):
        return measured().get((ruleset.name, num_players))
    return None


def payoff_unit(ruleset: RuleSet, num_players: int) -> float:
    """Return the unit of losses: the standard deviation of a seat's payoff in games of rule-based agents over many deals.

    Shipped rulesets have stored values. For other rulesets it is measured, which compiles playouts.

    Raises:
        ConfigError: The ruleset is not shipped and cannot be compiled.
    """
    known = known_unit(ruleset, num_players)
    if known is not None:
        return known
    from big2_agents.review.prospects import measured_unit  # compiles play-outs

    return measured_unit(ruleset, num_players)


@dataclass(frozen=True)
class SeatSummary:
    """Summary of a game for one seat; `start - loss + rest = now` holds exactly."""

    seat: int
    decisions: int
    """Number of judged decisions with a choice."""
    loss: float
    """Sum of the losses of its own decisions, given what the seat could know at each."""
    loss_half_width: float
    """Upper bound on half the width of the sum's 95% interval."""
    marks: Counter[Mark]
    """Number of its moves with each mark."""
    start: float | None
    """Its prospect at the start, the value of the deal. `None` if no prospects were computed."""
    now: float | None
    """Its prospect at the last judged moment; the payoff, if that was the end of the game."""

    @property
    def rest(self) -> float | None:
        """The part of the result not explained by its own decisions: `now - start + loss`.

        It contains the hidden cards, good and bad moves of the others, and the error of the estimates. The luck of the deal is
        in `start`.
        """
        return None if self.start is None or self.now is None else self.now - self.start + self.loss


@dataclass(frozen=True)
class Review:
    """Review of a game, up to some move."""

    judge: str
    """Specification of the judge."""
    unit: float
    """Unit of losses for the ruleset; thresholds of marks are multiples of it."""
    upto: int
    """Number of moves judged: all, unless the review was interrupted."""
    decisions: tuple[Decision | None, ...]
    """Decisions by number of moves made before; `None` if the seat's decisions were not requested."""
    prospects: tuple[Prospect, ...]
    """Prospects by number of moves made before; empty if not requested."""
    proofs: tuple[Proof | None, ...]
    """Proofs by number of moves made before, with all cards open."""
    seats: tuple[SeatSummary, ...]
    remark: str = ""
    """Key of a note about the judge, in the catalogue's file `review`."""

    def mark(self, ply: int) -> Mark:
        """Return the mark of the move made after `ply` others."""
        decision = self.decisions[ply] if ply < len(self.decisions) else None
        return Mark.NONE if decision is None else decision.mark(self.unit)

    def given_away(self, ply: int) -> tuple[int, ...]:
        """Return the seats that lost a forced payoff (all cards open) by the move made after `ply` others."""
        if ply + 1 >= len(self.proofs):
            return ()
        before, after, decision = self.proofs[ply], self.proofs[ply + 1], self.decisions[ply]
        if before is None or after is None or decision is None:
            return ()
        return tuple(seat for seat in before.seats if seat not in after.seats)


class GameReview:
    """Review in progress: the moments in order, single decisions before their turn on request.

    The judge knows only what the seat knew at each decision. Prospects and proofs use all cards.

    Args:
        game: A game, over or not.
        judge: The judge.
        name: Its name in the review.
        seats: Seats whose decisions are judged, all by default.
        salt: Seed of the random choices of judge and appraiser; see `big2_env.agents.seeds`.
        players: Name of the agent in each seat, `None` for a person; see `advice.seat_players`.
        appraiser: Estimator of the prospects, playouts with open cards by default.
        unit: Unit of losses, the ruleset's by default.
        has_prospects: Compute prospects; they reveal hidden cards.
        has_proofs: Compute proofs; they do so too. By default as `has_prospects`.
        proof_positions: Maximum number of positions that plain Python examines for a proof; by default, the maximum of `solve`.
        remark: Key of a note about the judge, as in `Review`.

    Raises:
        ConfigError: Prospects or unit have their defaults, and the ruleset cannot be compiled.
    """

    def __init__(
        self,
        game: Game,
        judge: Judge,
        name: str,
        *,
        seats: Collection[int] | None = None,
        players: Sequence[str | None] = (),
        salt: int = 0,
        appraiser: Appraiser | None = None,
        unit: float | None = None,
        has_prospects: bool = True,
        has_proofs: bool | None = None,
        proof_positions: int | None = None,
        remark: str = "",
    ) -> None:
        self._salt = salt
        self._game, self._judge_of_moves, self._name, self._remark = game, judge, name, remark
        self._is_prepared = False
        self._unit = payoff_unit(game.ruleset, game.num_players) if unit is None else unit
        self._appraiser = (appraiser or _usual_appraiser(game, salt)) if has_prospects else None
        self._has_proofs = has_prospects if has_proofs is None else has_proofs
        self._proof_positions, self._players = proof_positions, players
        self._wanted = range(game.num_players) if seats is None else seats
        self._decisions: dict[int, Decision | None] = {}
        self.done = 0
        """Number of moments already judged."""
        self._prospects: list[Prospect] = []
        self._proofs: list[Proof | None] = []

    @property
    def moments(self) -> int:
        """Number of moments to judge, one more than moves."""
        return len(self._game.history) + 1

    def decide(self, ply: int) -> None:
        """Judge the decision after some moves, unless it is judged already.

        Args:
            ply: Number of moves before it.
        """
        if ply not in self._decisions:
            self._judge(game_at(self._game, ply))

    def _judge(self, here: Game) -> None:
        """Judge the decision at the current position of a game, if there is one to judge."""
        ply, decision = len(here.history), None
        if not here.is_over and here.turn in self._wanted:
            if not self._is_prepared:
                prepare_many(self._judge_of_moves, here.view())
                seat_players(self._judge_of_moves, self._players)
                self._is_prepared = True
            self._judge_of_moves.reset(agent_seed(here.view(), salt=self._salt))
            moves = self._game.history
            decision = _judged(here, self._judge_of_moves, moves[ply].play if ply < len(moves) else None)
        self._decisions[ply] = decision

    def step(self) -> None:
        """Judge the next moment; do nothing if all are judged."""
        if self.done == self.moments:
            return
        here = game_at(self._game, self.done)
        if self.done not in self._decisions:
            self._judge(here)
        prospects = [] if self._appraiser is None else [self._appraiser.prospect(here)]
        if self._has_proofs:
            last = here.history[-1].seat if here.history else None
            before = self._proofs[-1] if self._proofs else None
            self._proofs.append(proof_of(here, before, last, self._proof_positions))
        self._prospects += prospects
        self.done += 1

    def found(self) -> Review:
        """Return the review so far."""
        number = self.done
        decisions = [self._decisions.get(ply) for ply in range(max(number, max(self._decisions, default=-1) + 1))]
        prospects, proofs = self._prospects[:number], self._proofs[:number]  # an interrupt may come between
        counted = decisions[: number - 1] if number else decisions
        summaries = tuple(_summary(seat, self._unit, counted, prospects) for seat in sorted(self._wanted))
        return Review(
            judge=self._name,
            unit=self._unit,
            upto=max(0, number - 1),
            decisions=tuple(decisions),
            prospects=tuple(prospects),
            proofs=tuple(proofs),
            seats=summaries,
            remark=self._remark,
        )


def review(
    game: Game, judge: Judge, name: str, *, progress: Callable[[int], object] = lambda number: None, **options: Any
) -> Review:
    """Review a game move by move; Ctrl-C ends it early and keeps the results so far.

    Args:
        game: A game, over or not.
        judge: The judge.
        name: Its name in the review.
        progress: Called with 1 after each moment.
        **options: Further arguments of `GameReview`.
    """
    judging = GameReview(game, judge, name, **options)
    with suppress(KeyboardInterrupt):
        while judging.done < judging.moments:
            judging.step()
            progress(1)
    return judging.found()


def overlaid(below: Review, above: Review) -> Review:
    """Return a better review's results, completed by another review's results.

    Args:
        below: The other review.
        above: The better one. Its decisions, judge and unit count, and its prospects if it has at least as many.
    """
    decisions = [old if new is None else new for old, new in zip_longest(below.decisions, above.decisions)]
    longer = above if len(above.prospects) >= len(below.prospects) else below
    counted = decisions[: longer.upto] if longer.prospects else decisions
    seats = [one.seat for one in longer.seats]
    return replace(
        above,
        upto=longer.upto,
        decisions=tuple(decisions),
        prospects=longer.prospects,
        proofs=longer.proofs,
        seats=tuple(_summary(seat, above.unit, counted, longer.prospects) for seat in seats),
    )


def _usual_appraiser(game: Game, seed: int) -> Appraiser:
    # Imported where it is used: compiled code takes seconds to load, and a browser has none.
    from big2_agents.review.prospects import OpenPlayouts

    return OpenPlayouts(game.ruleset, game.num_players, seed)


def _judged(game: Game, judge: Judge, played: Play | None) -> Decision:
    """Return the decision at the current position of a game."""
    view = game.view()
    legal = view.legal_plays()
    move = legal.listed(played)
    advice = judge.judge(view, legal, [] if move is None else [move]) if len(legal) > 1 else []
    return Decision(len(game.history), view.seat, move, tuple(advice))


def _summary(seat: int, unit: float, decisions: Sequence[Decision | None], prospects: Sequence[Prospect]) -> SeatSummary:
    """Return the summary of a game for a seat.

    The move at the last moment with a prospect leads beyond it and is not among the decisions.
    """
    own = [one for one in decisions if one is not None and one.seat == seat and one.advice]
    judged = [one for one in own if one.loss is not None]
    given = (one.mark(unit) for one in judged)
    marks: Counter[Mark] = Counter(mark for mark in given if mark is not Mark.NONE)
    error = sum(one.loss_error**2 for one in judged) ** 0.5
    ends = (prospects[0].means[seat], prospects[-1].means[seat]) if prospects else (None, None)
    loss = float(sum(one.loss or 0.0 for one in judged))
    return SeatSummary(seat, len(judged), loss, NORMAL_95 * error, marks, *ends)
