"""A whole game judged: its decisions, what was proven of its end, each seat's prospects, and what that comes to by seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from big2_agents.review.appraiser import Appraiser, Prospect
from big2_agents.review.decision import Decision, Mark
from big2_agents.review.judge import Judge, prepare_many
from big2_agents.review.payoff_units import payoff_unit
from big2_agents.review.proofs import Proof, proof_of
from big2_env.agent_seeds import agent_seed
from big2_env.climbing.game import Game
from big2_env.notation.replay import replay
from big2_env.runs.intervals import NORMAL_95


@dataclass(frozen=True)
class SeatSummary:
    """What a game came to for one seat. `start - loss + rest = now`, exactly."""

    seat: int
    """Which seat."""
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
    """The summary of each seat that was judged."""
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
