"""A game judged: losses, marks only where intervals do not touch, and summaries that add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from small_games import MOVES, StubJudge, small_game

from big2_agents.review import analysis
from big2_agents.review.analysis import Proof, Review, proof_of, review
from big2_agents.review.decision import THRESHOLDS, Decision, Judge, Mark, Prospect, judge_named, mark_of_loss
from big2_env import Game, ruleset
from big2_env.agents.advice import Advice
from big2_env.base.errors import ConfigError
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.runs.intervals import NORMAL_95

UNIT = 1.0
VALUES = {"C[3]": 0.6, "C[7]": 0.1, "S[2]": 0.0, "C[9]": 0.5, "pass": 0.55}


@pytest.fixture(autouse=True)
def nothing_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver has its own tests."""
    monkeypatch.setattr(analysis, "proof_of", lambda game, *_: None)


class Appraiser:
    """Prospects that follow from the number of moves, and sum to zero."""

    def prospect(self, game: Game) -> Prospect:
        ply = len(game.history)
        means = (0.1 * ply, -0.1 * ply, 0.2, -0.2)
        return Prospect(means, tuple((mean - 0.01, mean + 0.01) for mean in means))


def judged(values: dict[str, float] = VALUES, half_width: float = 0.05, **options: object) -> Review:
    game = small_game().game
    return review(game, StubJudge(values, half_width), "stub", unit=UNIT, appraiser=Appraiser(), **options)  # type: ignore[arg-type]


def test_review__has_every_decision_and_its_loss() -> None:
    found = judged()
    assert (found.upto, len(found.decisions)) == (9, 10)
    first, second, third = found.decisions[:3]
    assert first is not None
    assert second is not None
    assert (first.seat, str(first.played), str(first.best and first.best.play)) == (0, "single C[7]", "single C[3]")
    assert first.loss == pytest.approx(0.5)
    assert second.loss == pytest.approx(0.05)
    assert third is not None
    assert third.loss == pytest.approx(0.55)
    assert found.decisions[-1] is None
    assert [found.mark(ply) for ply in range(3)] == [Mark.BLUNDER, Mark.NONE, Mark.BLUNDER]


def test_review__asks_for_the_move_that_was_made_and_shows_no_hidden_card() -> None:
    judge = StubJudge(VALUES)
    game = small_game().game
    review(game, judge, "stub", unit=UNIT, appraiser=Appraiser())
    for (view, also), move in zip(judge.asked, game.history, strict=False):
        assert view.seat == move.seat
        assert also == [move.play]


def test_review__judges_a_move_that_is_listed_with_other_suits() -> None:
    game = Game.from_hands(ruleset("dou_dizhu"), ["C[3] C[9] H[9]", "C[5] C[6]", "C[7] C[8]"], landlord=0)
    game.play("H[9]")
    found = review(game, StubJudge({"C[3]": 1.0}), "stub", unit=UNIT, appraiser=Appraiser()).decisions[0]
    assert found is not None
    assert (str(found.played), found.loss) == ("single C[9]", 1.0)


@pytest.mark.parametrize(("half_width", "mark"), [(0.24, Mark.BLUNDER), (0.26, Mark.NONE)])
def test_mark__needs_intervals_that_do_not_touch(half_width: float, mark: Mark) -> None:
    found = judged(half_width=half_width)
    decision = found.decisions[0]
    assert decision is not None
    assert decision.loss == pytest.approx(0.5)
    assert found.mark(0) is mark
    assert decision.is_certain is (mark is not Mark.NONE)


def test_mark__needs_a_loss_over_a_threshold_of_what_is_at_stake() -> None:
    least = {mark: part for part, mark in THRESHOLDS}
    assert list(least) == [Mark.BLUNDER, Mark.MISTAKE, Mark.DUBIOUS]
    for mark, part in least.items():
        assert mark_of_loss(part * 8.0, 8.0) is mark
        assert mark_of_loss(part * 8.0 * 0.999, 8.0) is not mark
    assert mark_of_loss(0.0, 0.0) is Mark.NONE

    class HighStakes(StubJudge):
        def judge(self, view: View, legal: LegalPlays, also: Sequence[Play] = ()) -> list[Advice]:
            return [replace(one, stakes=10.0) for one in super().judge(view, legal, also)]

    found = review(small_game().game, HighStakes(VALUES), "stub", unit=UNIT, appraiser=Appraiser())
    assert {found.mark(ply) for ply in range(9)} == {Mark.NONE}


def test_summary__adds_up_exactly_and_counts_own_decisions() -> None:
    found = judged()
    for seat in found.seats:
        own = [one for one in found.decisions if one is not None and one.seat == seat.seat and one.advice]
        assert seat.decisions == len(own)
        assert seat.loss == pytest.approx(sum(one.loss or 0.0 for one in own))
        assert seat.start is not None
        assert seat.now is not None
        assert seat.rest is not None
        assert seat.start - seat.loss + seat.rest == pytest.approx(seat.now)
    assert found.seats[0].marks == {Mark.BLUNDER: 2}
    assert found.seats[0].now == pytest.approx(0.9)


def test_review__of_one_seat_asks_for_nothing_else() -> None:
    found = judged(seats=[1], has_prospects=False)
    assert [one.seat for one in found.decisions if one is not None] == [1, 1]
    assert (found.prospects, found.proofs) == ((), ())
    assert [(seat.seat, seat.start, seat.rest) for seat in found.seats] == [(1, None, None)]


def test_review__keeps_what_was_judged_when_it_is_interrupted() -> None:
    done: list[int] = []

    def progress(number: int) -> None:
        done.append(number)
        if len(done) == 3:
            raise KeyboardInterrupt

    found = judged(progress=progress)
    assert (found.upto, len(found.decisions), len(found.prospects)) == (2, 3, 3)
    # The third decision was judged, and what it led to was not looked at: it is in no sum.
    assert [seat.decisions for seat in found.seats] == [1, 1, 0, 0]
    for seat in found.seats:
        assert seat.start is not None
        assert seat.rest is not None
        assert seat.now == pytest.approx(seat.start - seat.loss + seat.rest)


def test_review__of_a_game_that_stands_judges_the_decision_to_come() -> None:
    game = small_game(MOVES[:2]).game
    found = review(game, StubJudge(VALUES), "stub", unit=UNIT, has_prospects=False)
    last = found.decisions[-1]
    assert last is not None
    assert (found.upto, last.played, last.loss, last.seat) == (2, None, None, 2)


def test_decision__compares_the_move_made_with_the_judges_choice_on_the_same_deals() -> None:
    game = small_game(()).game
    plays = list(game.legal_plays())
    best = Advice(plays[0], value=0.3, interval=(-0.1, 0.7), playouts=90)
    made = Advice(plays[1], value=0.1, interval=(-0.3, 0.5), playouts=90, behind=(0.1, 0.3))
    better = Advice(plays[2], value=0.5, interval=(0.1, 0.9), playouts=90, behind=(-0.4, 0.1))
    tried = (best, made, better)
    decisions = [Decision(0, 0, play, tried) for play in plays]
    assert [one.best for one in decisions] == [best] * 3
    assert [one.loss for one in decisions] == pytest.approx([0.0, 0.2, 0.0])
    assert [one.is_certain for one in decisions] == [False, True, False]  # their own intervals overlap
    assert decisions[1].loss_error == pytest.approx(0.1 / NORMAL_95)
    assert decisions[0].second is better
    assert decisions[0].gain == 0.0
    assert Decision(0, 0, plays[0], (best, made)).gain == pytest.approx(0.2)
    assert Decision(0, 0, plays[1], (best,)).loss is None
    listed = [one.play for one in decisions[1].top(1)]
    assert listed == plays[:2]


def test_proof__is_kept_as_long_as_others_move_and_can_be_given_away() -> None:
    game = small_game(()).game
    proof = proof_of(game)
    assert proof == Proof((0,))
    game.play("S[2]")
    after = proof_of(game, proof, 0)
    assert after is not None
    assert proof_of(game, proof, 1) is proof
    decision = Decision(0, 0, game.history[0].play, ())
    found = Review("stub", UNIT, 1, (decision, None), (), (proof, Proof(())), ())
    assert found.given_away(0) == (0,)
    assert replace(found, proofs=(proof, proof)).given_away(0) == ()


def test_judge__is_asked_of_those_who_can() -> None:
    assert isinstance(StubJudge({}), Judge)
    with pytest.raises(
        ConfigError,
        match=r"'random' gives no values to compare: expected heuristic, learned, learned-search, search",
    ):
        judge_named("random")
    with pytest.raises(ConfigError, match="agent 'nobody'"):
        judge_named("nobody")
