"""A review at a table: order and certain wins first, then values, each in its order."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from small_games import StubJudge, small_game

from big2_agents.review import analysis, deep_code, replays
from big2_agents.review.decision import Mark, Prospect
from big2_agents.review.replays import TableReview
from big2_env import BIG2, Game
from big2_env.agents.advice import Advice
from big2_env.base.errors import ConfigError
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.view import View
from big2_env.kernels.switch import Compilation


class Order(StubJudge):
    """Prefers the last move without giving values."""

    def order(self, view: View, legal: LegalPlays) -> list[Advice]:
        return [Advice(play) for play in reversed(list(legal))]


class Code(Compilation):
    """Code that is compiled when a test says so."""

    def __init__(self) -> None:
        super().__init__(lambda: None)
        self.is_pending = True
        self.has_begun = False

    def start(self) -> None:
        self.has_begun = True

    @property
    def is_compiling(self) -> bool:
        return self.is_pending and not self.is_ready


class Appraiser:
    """Sees no change."""

    def prospect(self, game: Game) -> Prospect:
        return Prospect((0.0,) * 4, ((0.0, 0.0),) * 4)


@pytest.fixture(autouse=True)
def judge(monkeypatch: pytest.MonkeyPatch) -> Order:
    found = Order({"C[3]": 0.6, "C[7]": 0.1, "S[2]": 0.0, "pass": 0.9})
    monkeypatch.setattr(analysis, "_usual_appraiser", lambda *_: Appraiser())
    monkeypatch.setattr(replays, "judge_named", lambda name: found)
    return found


def until(review: TableReview, edition: int) -> list[int]:
    """Step until an edition; return the person's decisions in the order in which they were judged."""
    seen: list[int] = []
    for _ in range(100):
        if review.edition == edition:
            return seen
        review.step()
        seen += [one.ply for one in review.found().decisions if one is not None and one.ply not in seen]
    raise AssertionError(review.edition)


def test_review__has_order_and_proofs_without_compiled_code_and_no_values() -> None:
    review = TableReview(small_game().game, 0)
    assert (review.edition, review.done, review.is_waiting) == (0, 0, False)
    assert until(review, 1) == [0, 4, 8]
    until(review, 2)
    assert review.done < review.moments  # a page asks until everything is done, and would miss the last edition
    found = review.found()
    assert (found.prospects, found.judge, found.remark) == ((), "learned", "note_plain")
    assert found.proofs[0] is not None
    assert {one.value for two in found.decisions if two is not None for one in two.advice} == {None}
    assert {found.mark(ply) for ply in range(9)} == {Mark.NONE}
    while review.done < review.moments:
        review.step()
    review.step()  # nothing more
    assert not review.is_waiting
    with pytest.raises(ConfigError, match=r"^expected a game that is over"):
        TableReview(Game.deal(BIG2, 1), 0)


def test_review__waits_for_compiled_code_whose_values_replace_the_order(judge: Order) -> None:
    code = Code()
    review = TableReview(small_game().game, 0, ["greedy"] * 4, code)
    assert code.has_begun
    until(review, 2)
    for _ in range(3):
        review.step()
        assert review.is_waiting
    assert review.done < review.moments
    assert judge.asked == []
    code.is_ready = True
    until(review, 3)
    asked = [len(view.history) for view, _ in judge.asked]
    assert asked == [0, 4]  # at the first move it would have chosen otherwise; the last one was the only one
    assert not review.is_waiting
    found = review.found()
    assert found.decisions[0].loss == pytest.approx(0.5)
    assert found.decisions[1] is None  # others' decisions follow
    until(review, 4)
    assert review.done < review.moments
    review.step()
    assert review.done == review.moments
    assert review.found().decisions[1] is not None
    assert len(review.found().prospects) == 10
    assert [one.seat for one in review.found().seats] == [0, 1, 2, 3]
    assert judge.players == ("greedy",) * 4


def test_review__gives_values_at_once_if_the_code_is_ready(judge: Order) -> None:
    code = Code()
    code.is_ready = True
    review = TableReview(small_game().game, 0, (), code)
    until(review, 1)
    assert [len(view.history) for view, _ in judge.asked] == [0, 4]


def test_review__keeps_the_order_if_nothing_can_be_compiled() -> None:
    code = Code()
    code.is_pending = False
    review = TableReview(small_game().game, 0, (), code)
    while review.done < review.moments:
        review.step()
    assert review.found().prospects == ()
    assert not review.is_waiting


def test_deep_code__is_compiled_by_another_process_and_loaded_by_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(Compilation, "_compile_elsewhere", lambda self: done.append(" ".join(["there", *self._elsewhere[2:]])))
    monkeypatch.setattr(deep_code, "compile_review", lambda rules, number: done.append(f"here {rules.name} {number}"))
    code = deep_code.deep_code.__wrapped__(BIG2, 4)
    code.start()
    code.start()
    assert code.thread is not None
    code.thread.join()
    assert done == ["there big2 4", "here big2 4"]
    assert code.is_ready
    assert not code.is_compiling


def test_deep_code__process_that_compiles_ends_with_the_one_that_started_it() -> None:
    command = [sys.executable, "-P", "-m", deep_code.__name__, "big2", "4", "0"]  # no process has this number
    assert subprocess.run(command, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}, timeout=120).returncode == 1
