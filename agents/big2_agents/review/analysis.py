"""A whole game judged: its decisions, what was proven of its end, each seat's prospects, and what that comes to by seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from big2_agents.review.decision import Decision, Mark
from big2_agents.review.judge import Judge
from big2_agents.review.proofs import Proof, proof_of
from big2_agents.review.prospects import OpenPlayouts, Prospect, payoff_unit
from big2_env.climbing.game import Game
from big2_env.notation.replay import replay
from big2_env.runs.intervals import NORMAL_95


class Appraiser(Protocol):
    """What tells each seat's prospects."""

    def prospect(self, game: Game) -> Prospect:
        """What each seat can expect from where a game stands."""
        ...


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
    """By the acts made before, what is proven of the position with all hands open."""
    seats: tuple[SeatSummary, ...]
    """The summary of each seat that was judged."""

    def mark(self, ply: int) -> Mark:
        """The mark of the act made after so many others."""
        decision = self.decisions[ply] if ply < len(self.decisions) else None
        return Mark.NONE if decision is None else decision.mark(self.unit_at(ply))

    def unit_at(self, ply: int) -> float:
        """The unit of the losses at a moment: that of the ruleset, or what is at stake there if that is more."""
        return _unit_at(self.unit, self.prospects, ply)

    def gave_away(self, ply: int) -> bool:
        """True if the act made after so many others lost a win that was forced with all hands open."""
        if ply + 1 >= len(self.proofs):
            return False
        before, after, decision = self.proofs[ply], self.proofs[ply + 1], self.decisions[ply]
        if before is None or after is None or decision is None:
            return False
        return decision.seat in before.team and decision.seat not in after.team


def review(
    game: Game,
    judge: Judge,
    name: str,
    *,
    seats: Collection[int] | None = None,
    seed: int = 0,
    appraiser: Appraiser | None = None,
    unit: float | None = None,
    has_prospects: bool = True,
    progress: Callable[[int], object] = lambda number: None,
) -> Review:
    """A game judged act by act; Ctrl-C ends it, and what was judged so far is kept.

    The judge knows at each decision what the seat knew. The prospects, and the proofs, know all cards.

    Args:
        game: a game, over or not.
        judge: who judges.
        name: how the judge is called.
        seats: whose decisions are judged; by default everybody's.
        seed: what all sampled deals follow from.
        appraiser: what tells the prospects; by default open play-outs.
        unit: the unit of the losses; by default that of the ruleset.
        has_prospects: False if no prospects and no proofs are wanted, which would tell of hidden cards.
        progress: called with 1 for each moment of the game that is done.
    """
    judge.reset(seed)
    unit = payoff_unit(game.ruleset, game.num_players) if unit is None else unit
    if appraiser is None and has_prospects:
        appraiser = OpenPlayouts(game.ruleset, game.num_players, seed)
    wanted = range(game.num_players) if seats is None else seats
    decisions: list[Decision | None] = []
    prospects: list[Prospect] = []
    proofs: list[Proof | None] = []
    with suppress(KeyboardInterrupt):
        for frame in replay(game):
            here, turn = frame.game, frame.position.turn
            decision = None
            if not here.is_over and turn in wanted:
                decision = _judged(here, judge, None if frame.move is None else frame.move.play)
            if has_prospects and appraiser is not None:
                prospect = appraiser.prospect(here)
                last = here.history[-1].seat if here.history else None
                proof = proof_of(here, proofs[-1] if proofs else None, last)
                prospects.append(prospect)
                proofs.append(proof)
            decisions.append(decision)
            progress(1)
    del prospects[len(decisions) :], proofs[len(decisions) :]  # an interrupt may come between
    upto = max(0, len(decisions) - 1)
    summaries = tuple(_summary(seat, unit, decisions, prospects) for seat in sorted(wanted))
    return Review(name, unit, upto, tuple(decisions), tuple(prospects), tuple(proofs), summaries)


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
