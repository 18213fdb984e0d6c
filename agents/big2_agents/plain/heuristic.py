"""The formula of the heuristic (`big2_agents.formula`) for every ruleset, in plain Python.

It is slower than `compiled.heuristic`, chooses the same act, tie for tie, and serves rulesets that do not compile as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from big2_agents.formula import CERTAIN, Weights
from big2_agents.plain.bidding import score_call, usual
from big2_agents.plain.candidates import Candidate, candidate_of, list_candidates
from big2_agents.plain.outlook import Outlook, Rivals
from big2_agents.plain.rank_decompositions import RankDecompositions
from big2_agents.plain.rank_plays import RankRow, RankRows
from big2_agents.plain.slot_decompositions import SlotDecompositions
from big2_agents.plain.slot_rows import SlotRows
from big2_agents.plain.unseen_plays import Shapes
from big2_agents.weights import weights_of
from big2_env.cards import iter_cards
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.settlement import CapturedPoints, PairwiseDifference, PenaltySettlement
from big2_env.climbing.view import View


class PlainHeuristic:
    """The heuristic for views of one ruleset."""

    def __init__(self, ruleset: RuleSet, weights: Weights | None = None) -> None:
        self.ruleset = ruleset
        self.weights = weights or weights_of(ruleset)
        self.shapes = Shapes(ruleset)
        """The ruleset's shapes as counting needs them."""
        self.rows = RankRows(self.shapes) if ruleset.ranks_only else None
        """The same by ranks, where actions are ranks."""
        self.listing = self.rows or SlotRows(self.shapes)
        """The shapes as candidates are listed by them."""
        self.usual: dict[int, tuple[float, float]] = {}
        """Mean and standard deviation of what hands of so many cards are worth in an auction, where they have been measured."""

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The act with the highest score: by places, and in an auction, the first of equals in the order of the legal list.

        By ranks one play of each shape is scored, with those kickers that the hand needs least.
        """
        if self.rows is not None and not view.bidding:
            candidates = list_candidates(self.rows, view)
            best = candidates[0]
            if len(candidates) > 1:
                rated = self.rated(view, candidates)
                best = rated.candidates[rated.best]
            return legal.verify_reading(best.play) if best.play else PASS
        acts = list(legal)
        if len(acts) == 1:
            return acts[0]
        if not view.pile_left and not view.bidding:
            for play in acts:
                if play.mask == view.hand:
                    return play
        scores = self(view, acts)
        return acts[scores.index(max(scores))]

    def __call__(self, view: View, acts: Sequence[Play]) -> list[float]:
        """The score of each of these legal acts of the seat to move."""
        if view.bidding:
            strength = self.strength(view)
            return [score_call(view, self.weights, strength, max(act.power, 0)) for act in acts]
        return Turn(self, view).scores(acts)

    def strength(self, view: View) -> float:
        """How much better than usual the hand of the seat to move is, in standard deviations; all others may have any cards."""

        def value(hand: int) -> float:
            return self.think(Rivals(view, self.weights), hand, self.ruleset.deck.mask & ~hand)[1].best(hand)[0]

        held = view.hand.bit_count()
        if held not in self.usual:
            self.usual[held] = usual(self.ruleset, held, value)
        mean, deviation = self.usual[held]
        return (value(view.hand) - mean) / deviation

    def think(self, rivals: Rivals, hand: int, unseen: int) -> tuple[Outlook, SlotDecompositions | RankDecompositions]:
        """What the acts of a hand share: the outlook of plays, and the hand's decompositions."""
        outlook = Outlook(self.shapes, self.weights, rivals, unseen)
        if self.rows is None:
            return outlook, SlotDecompositions(self.shapes, outlook, hand)
        return outlook, RankDecompositions(self.rows, outlook, hand)

    def rated(self, view: View, candidates: Sequence[Candidate]) -> Rated:
        """Candidates of the seat to move, two or more, with those kickers that the hand needs least, and their scores."""
        if view.bidding:
            strength = self.strength(view)
            scores = [score_call(view, self.weights, strength, max(one.play.power, 0)) for one in candidates]
            return Rated(candidates, scores, scores.index(max(scores)), None)
        out = next((i for i, one in enumerate(candidates) if one.play.mask == view.hand and not view.pile_left), -1)
        if out >= 0:
            return Rated(candidates, None, out, None)
        turn = Turn(self, view)
        refined = [self._refined(view, turn, one) for one in candidates]
        scores = turn.scores(one.play for one in refined)

        def order(i: int) -> tuple[float, bool, int]:
            row = refined[i].row
            return -scores[i], row is None, 0 if row is None else row.place

        return Rated(refined, scores, min(range(len(refined)), key=order), turn)

    def _refined(self, view: View, turn: Turn, one: Candidate) -> Candidate:
        """A candidate with the kickers that the hand needs least, where it carries any."""
        row, hand = one.row, turn.decompositions
        if not isinstance(row, RankRow) or not row.carried or view.obligation:
            return one
        assert self.rows is not None
        assert isinstance(hand, RankDecompositions)
        cards = self.rows.lowest(row.body + hand.kickers(row, row.carried), view.hand)
        return candidate_of(self.rows, row, cards, row.power)


class Rated(NamedTuple):
    """Candidates of one decision with the heuristic's opinion."""

    candidates: Sequence[Candidate]
    scores: list[float] | None
    """Of each; `None` where one puts down the whole hand: then nothing is scored."""
    best: int
    """The one with the highest score, of equals that which the ruleset lists first."""
    turn: Turn | None
    """What their scores share; `None` in an auction, and where nothing is scored."""


class Turn:
    """One decision: everything that its acts share."""

    def __init__(self, heuristic: PlainHeuristic, view: View) -> None:
        self._view = view
        self._weights = heuristic.weights
        self.rivals = Rivals(view, heuristic.weights)
        """The other seats."""
        self.outlook, self.decompositions = heuristic.think(self.rivals, view.hand, view.unseen)
        scoring = view.ruleset.scoring
        self._points = {int(rank): points for rank, points in scoring.points} if isinstance(scoring, CapturedPoints) else {}
        trick = 0
        for played in view.played if self._points else ():
            trick |= played
        for captured in view.captured if self._points else ():
            trick &= ~captured
        self._trick = trick

    @property
    def value(self) -> float:
        """What the hand is worth, parted as well as it can be."""
        return self.decompositions.best(self._view.hand)[0]

    def scores(self, acts: Iterable[Play]) -> list[float]:
        """The score of each act."""
        return [self.of_play(act) if act else self.of_pass() for act in acts]

    def of_play(self, play: Play) -> float:
        """The score of a play."""
        weights, hand = self._weights, self._view.hand
        hold, _, danger, sure = self.outlook.of_act(self._view, play)
        rest = hand & ~play.mask
        value, run = self.decompositions.best(rest)
        if sure and self.decompositions.goes_out(rest):
            return CERTAIN + value
        run_out = 0.0 if self.rivals.has_pile else weights.run_out
        score = value + hold * (weights.lead + run_out * run)
        score += weights.hurry * len(play) * self.rivals.nearest - danger
        if hold < 1.0:
            score += weights.again * (1.0 - hold) * self.decompositions.best_hold(play.category, rest)
        if self.rivals.partners_left:
            score += weights.feed * self.outlook.fed(play.category, play.power)
        if weights.pay or weights.relief or weights.loss:
            left_to_pay = self._cost(rest)
            score += (weights.pay * self.rivals.nearest + weights.relief) * (self._cost(hand) - left_to_pay)
            score -= weights.loss * danger * left_to_pay
        if self._points:
            points = self._points_of(play.mask)
            score += weights.capture * (hold * (self._points_of(self._trick) + points) - (1.0 - hold) * points)
        return score

    def of_pass(self) -> float:
        """The score of passing."""
        view, weights = self._view, self._weights
        score = self.value + weights.patience
        score -= weights.cheap_lead * view.passed.bit_count() + weights.full * view.hand.bit_count()
        if view.top is None or view.top_seat is None or not view.cards_left[view.top_seat]:
            return score
        hold, near = (
            self.outlook.prospect(view.top.category, view.top.power).hold,
            self.rivals.near(view.cards_left[view.top_seat]),
        )
        if view.top_seat == view.seat or view.top_seat not in view.team:
            score -= weights.alarm * hold * near
            return score - weights.loss * weights.alarm * hold * near * self._cost(view.hand) if weights.loss else score
        assert view.landlord is not None
        if view.passed >> view.landlord & 1:
            hold = 1.0  # nobody of the other team is asked again
        return score + hold * (weights.partner + weights.alarm * near)

    def _cost(self, hand: int) -> float:
        """What the cards left of a hand cost in the end, where one seat wins; 0 for none."""
        scoring = self._view.ruleset.scoring
        if not hand:
            return 0.0
        if isinstance(scoring, PairwiseDifference):
            return scoring.value(hand)
        return scoring.penalty(hand.bit_count(), self._view.num_players) if isinstance(scoring, PenaltySettlement) else 0.0

    def _points_of(self, mask: int) -> float:
        """The points of some cards."""
        return sum(self._points.get(card.rank, 0) for card in iter_cards(mask))
