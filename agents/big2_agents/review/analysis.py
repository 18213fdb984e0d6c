"""A whole game judged: its decisions, what was proven of its end, each seat's prospects, and what that comes to by seat.

An end is proven with all cards open: who can force to be paid, and who gave that away. Losses get their marks by the unit of a
ruleset's payoffs, which has been measured for the games that are shipped.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from big2_agents.models import models_folder
from big2_agents.review.decision import Appraiser, Decision, Judge, Mark, Prospect, prepare_many
from big2_env.agent_seeds import agent_seed
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.settlement import team_of
from big2_env.errors import ConfigError
from big2_env.notation.transcript import replay
from big2_env.runs.intervals import NORMAL_95
from big2_env.solve import Goal, Solver
from big2_env.solve.ending import gains_by_first_out

MAX_CARDS: Final = 24
"""Cards in all hands and the draw pile from which on a position is solved: mostly a matter of milliseconds."""
SECONDS: Final = 2.0
"""After so long a position stays undecided."""


@dataclass(frozen=True)
class Proof:
    """What the solver has proven of one position, all cards open."""

    seats: tuple[int, ...]
    """The seats that, with their team, are paid more than nothing whatever the others do, ascending. Where only the first seat
    out and its team are paid, as in most games, that is one team at most."""


def proof_of(
    game: Game, before: Proof | None = None, actor: int | None = None, plain_positions: int | None = None
) -> Proof | None:
    """Who can force to be paid in a position; `None` where it is too large, undecided, or of a kind that is not solved.

    Args:
        game: the game as it stands.
        before: what was proven of the position before the last act.
        actor: who made the last act: nobody else can lose what is forced by it, and its team gains nothing by acting.
        plain_positions: how many positions plain Python looks at, as `solve` takes it.
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
    """What `prospects.measured_unit` found, by ruleset and number of players; a test measures it again."""
    by_ruleset = json.loads((models_folder() / "payoff_units.json").read_text(encoding="utf-8"))
    return {(name, int(number)): unit for name, units in by_ruleset.items() for number, unit in units.items()}


def payoff_unit(ruleset: RuleSet, num_players: int) -> float:
    """What a game is about: the standard deviation of what a seat is paid, in games of rule players from many deals.

    Measuring compiles play-outs, so it is done for rulesets alone that are not shipped as they are.

    Raises:
        ConfigError: a ruleset that is not shipped and cannot be compiled.
    """
    known = measured().get((ruleset.name, num_players))
    if known is not None and available_rulesets().get(ruleset.name) == ruleset:
        return known
    from big2_agents.review.prospects import measured_unit  # compiles play-outs

    return measured_unit(ruleset, num_players)


@dataclass(frozen=True)
class SeatSummary:
    """What a game came to for one seat. `start - loss + rest = now`, exactly."""

    seat: int
    decisions: int
    """How many of its decisions were judged, those without a choice left out."""
    loss: float
    """What its own decisions cost it: the sum of their losses, by what the seat could know at each."""
    loss_half_width: float
    """Half the width of the sum's 95 % interval at most."""
    marks: Counter[Mark]
    """How many of its acts have each mark."""
    start: float | None
    """Its prospect at the start: what the deal was worth. `None` where no prospects were asked for."""
    now: float | None
    """Its prospect at the last moment that was judged; what the game paid, if that was its end."""

    @property
    def rest(self) -> float | None:
        """What its own decisions do not explain: `now - start + loss`.

        That is luck in the widest sense: how the hidden cards lay, what the others did, well or badly, and the error of the
        estimates. The luck of the deal is in `start`.
        """
        return None if self.start is None or self.now is None else self.now - self.start + self.loss


@dataclass(frozen=True)
class Review:
    """A game judged, up to some move."""

    judge: str
    """Who judged, as it was named."""
    unit: float
    """The unit of the losses, by the ruleset: marks begin at fixed parts of it."""
    upto: int
    """Up to how many acts the game was judged: all of them, unless it was interrupted."""
    decisions: tuple[Decision | None, ...]
    """By the acts made before, the decisions; `None` where the seat's decisions were not asked for."""
    prospects: tuple[Prospect, ...]
    """By the acts made before, what each seat could expect; empty where that was not asked for."""
    proofs: tuple[Proof | None, ...]
    """By the acts made before, what is proven of the position with all cards open."""
    seats: tuple[SeatSummary, ...]
    remark: str = ""
    """A text of the catalogue's file `review` that a reader should know about the judge."""

    def mark(self, ply: int) -> Mark:
        """The mark of the act made after so many others."""
        decision = self.decisions[ply] if ply < len(self.decisions) else None
        return Mark.NONE if decision is None else decision.mark(self.unit_at(ply))

    def unit_at(self, ply: int) -> float:
        """The unit of the losses at a moment: that of the ruleset, or what is at stake there if that is more."""
        return _unit_at(self.unit, self.prospects, ply)

    def given_away(self, ply: int) -> tuple[int, ...]:
        """The seats that could force to be paid with all cards open, and no longer after the act made after so many others."""
        if ply + 1 >= len(self.proofs):
            return ()
        before, after, decision = self.proofs[ply], self.proofs[ply + 1], self.decisions[ply]
        if before is None or after is None or decision is None:
            return ()
        return tuple(seat for seat in before.seats if seat not in after.seats)


class GameReview:
    """A game that is being judged, one moment at a time.

    The judge knows at each decision what the seat knew. The prospects, and the proofs, know all cards.

    Args:
        game: a game, over or not.
        judge: who judges.
        name: how the judge is called.
        seats: whose decisions are judged; by default everybody's.
        salt: A number that changes all random choices of judge and appraiser; see `big2_env.agent_seeds`.
        appraiser: what tells the prospects; by default open play-outs.
        unit: the unit of the losses; by default that of the ruleset.
        has_prospects: False if no prospects and no proofs are wanted, which would tell of hidden cards.
        proof_positions: how many positions plain Python looks at for a proof; by default as many as `solve` allows.
        remark: as `Review.remark`.

    Raises:
        ConfigError: a ruleset that cannot be compiled, where the prospects or the unit are those by default.
    """

    def __init__(
        self,
        game: Game,
        judge: Judge,
        name: str,
        *,
        seats: Collection[int] | None = None,
        salt: int = 0,
        appraiser: Appraiser | None = None,
        unit: float | None = None,
        has_prospects: bool = True,
        proof_positions: int | None = None,
        remark: str = "",
    ) -> None:
        self._salt = salt
        self._game, self._judge, self._name, self._remark = game, judge, name, remark
        self._unit = payoff_unit(game.ruleset, game.num_players) if unit is None else unit
        self._appraiser = (appraiser or _usual_appraiser(game, salt)) if has_prospects else None
        self._proof_positions = proof_positions
        self._wanted = range(game.num_players) if seats is None else seats
        self._frames = replay(game)
        self._decisions: list[Decision | None] = []
        self._prospects: list[Prospect] = []
        self._proofs: list[Proof | None] = []

    @property
    def moments(self) -> int:
        """How many moments there are to judge: one more than acts."""
        return len(self._game.history) + 1

    @property
    def done(self) -> int:
        """How many of them are judged."""
        return len(self._decisions)

    def step(self) -> None:
        """Judge the next moment; nothing where all are judged."""
        frame = next(self._frames, None)
        if frame is None:
            return
        here, turn = frame.game, frame.position.turn
        decision = None
        if not self._decisions:
            prepare_many(self._judge, here.view())
        if not here.is_over and turn in self._wanted:
            self._judge.reset(agent_seed(here.view(), salt=self._salt))
            decision = _judged(here, self._judge, None if frame.move is None else frame.move.play)
        if self._appraiser is not None:
            prospect = self._appraiser.prospect(here)
            last = here.history[-1].seat if here.history else None
            before = self._proofs[-1] if self._proofs else None
            proof = proof_of(here, before, last, self._proof_positions)
            self._prospects.append(prospect)
            self._proofs.append(proof)
        self._decisions.append(decision)

    def found(self) -> Review:
        """The game judged as far as it has come."""
        number = len(self._decisions)
        decisions = self._decisions
        prospects, proofs = self._prospects[:number], self._proofs[:number]  # an interrupt may come between
        summaries = tuple(_summary(seat, self._unit, decisions, prospects) for seat in sorted(self._wanted))
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
    """A game judged act by act; Ctrl-C ends it, and what was judged so far is kept.

    Args:
        game: a game, over or not.
        judge: who judges.
        name: how the judge is called.
        progress: called with 1 for each moment of the game that is done.
        options: further arguments of `GameReview`.
    """
    judging = GameReview(game, judge, name, **options)
    with suppress(KeyboardInterrupt):
        while judging.done < judging.moments:
            judging.step()
            progress(1)
    return judging.found()


def _usual_appraiser(game: Game, seed: int) -> Appraiser:
    # Imported where it is used: compiled code takes seconds to load, and a browser has none.
    from big2_agents.review.prospects import OpenPlayouts

    return OpenPlayouts(game.ruleset, game.num_players, seed)


def _unit_at(unit: float, prospects: Sequence[Prospect], ply: int) -> float:
    return max(unit, prospects[ply].size) if ply < len(prospects) else unit


def _judged(game: Game, judge: Judge, played: object) -> Decision:
    """The decision at which a game stands."""
    view = game.view()
    legal = view.legal_plays()
    act = next((play for play in legal if play == played), None)
    advice = judge.judge(view, legal, [] if act is None else [act]) if len(legal) > 1 else []
    return Decision(len(game.history), view.seat, act, tuple(advice))


def _summary(seat: int, unit: float, decisions: Sequence[Decision | None], prospects: Sequence[Prospect]) -> SeatSummary:
    """What a game came to for a seat. The act at the last moment that was judged leads beyond it, and does not count."""
    own = [one for one in decisions[:-1] if one is not None and one.seat == seat and one.advice]
    judged = [one for one in own if one.loss is not None]
    given = (one.mark(_unit_at(unit, prospects, one.ply)) for one in judged)
    marks: Counter[Mark] = Counter(mark for mark in given if mark is not Mark.NONE)
    error = sum(one.loss_error**2 for one in judged) ** 0.5
    ends = (prospects[0].means[seat], prospects[-1].means[seat]) if prospects else (None, None)
    loss = float(sum(one.loss or 0.0 for one in judged))
    return SeatSummary(seat, len(judged), loss, NORMAL_95 * error, marks, *ends)
