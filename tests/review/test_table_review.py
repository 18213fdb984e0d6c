"""A review at a table: the first look, the quick judge, the deep judge, each in its order."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from small_games import StubJudge, small_game

from big2_agents.review import analysis, deep_code, replays
from big2_agents.review.opinion import PlainOpinion
from big2_agents.review.replays import TableReview
from big2_env import BIG2, Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.view import View
from big2_env.kernels.switch import Compilation

RULES = available_rulesets()


class Opinion:
    """Doubts each move of seat 0 more than the one before it."""

    def __init__(self, *_: object) -> None:
        self.doubts: list[int] = []

    def favourite(self, view: View, legal: LegalPlays) -> Play:
        return next(iter(legal))

    def doubt(self, view: View, legal: LegalPlays, played: Play) -> float:
        return float(len(view.history))


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


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> StubJudge:
    deep = StubJudge({"C[3]": 0.6, "C[7]": 0.1, "S[2]": 0.0, "pass": 0.9})
    monkeypatch.setattr(analysis, "proof_of", lambda game, *_: None)
    monkeypatch.setattr(analysis, "_usual_appraiser", lambda *_: replays.PlainAppraiser(0, 1))
    monkeypatch.setattr(replays, "PlainOpinion", Opinion)
    monkeypatch.setattr(replays, "judge_named", lambda name: deep)
    return deep


def until(review: TableReview, edition: int) -> list[int]:
    """Step until an edition; return the person's decisions in the order in which they were judged."""
    seen: list[int] = []
    for _ in range(100):
        if review.edition == edition:
            return seen
        review.step()
        seen += [one.ply for one in review.found().decisions if one is not None and one.ply not in seen]
    raise AssertionError(review.edition)


def test_review__looks_at_the_most_doubtful_moves_first_then_at_all_then_at_prospects() -> None:
    review = TableReview(small_game().game, 0)
    assert (review.edition, review.done, review.is_waiting) == (0, 0, False)
    assert until(review, 1) == [4]  # no doubt about the first move, and the last one is the only legal one
    assert review.found().prospects == ()
    assert {one.playouts for two in review.found().decisions if two for one in two.advice} == {0, replays.FIRST_PLAYOUTS}
    until(review, 2)
    assert {one.playouts for one in review.found().decisions[4].advice if one.playouts} == {replays.PLAYOUTS}
    until(review, 3)
    assert review.done < review.moments  # a page asks until everything is done, and would miss the last edition
    assert len(review.found().prospects) == 10
    assert review.found().judge == "plain"
    while review.done < review.moments:
        review.step()
    assert not review.is_waiting


def test_review__waits_for_the_deep_judge_which_replaces_the_values(quick: StubJudge) -> None:
    code = Code()
    review = TableReview(small_game().game, 0, code)
    assert code.has_begun
    until(review, 3)
    for _ in range(3):
        review.step()
        assert review.is_waiting
    assert review.done < review.moments
    costs = {ply: review.found().decisions[ply].loss for ply in (4, 0)}
    code.is_ready = True
    until(review, 4)
    first = [len(view.history) for view, _ in quick.asked]
    assert first == sorted(costs, key=lambda ply: -costs[ply])
    assert not review.is_waiting
    found = review.found()
    assert found.judge == "search:4000"
    assert found.decisions[0].loss == pytest.approx(0.5)
    assert found.decisions[1] is None  # others' decisions follow
    assert len(found.prospects) == 10  # of the quick judge
    until(review, 5)
    assert review.done < review.moments
    review.step()
    assert review.done == review.moments
    assert review.found().decisions[1] is not None
    assert [one.seat for one in review.found().seats] == [0, 1, 2, 3]


def test_review__asks_the_deep_judge_at_once_if_it_is_ready(quick: StubJudge) -> None:
    code = Code()
    code.is_ready = True
    review = TableReview(small_game().game, 0, code)
    until(review, 1)
    assert [len(view.history) for view, _ in quick.asked] == [4, 0]
    assert review.found().judge == "search:4000"


def test_review__keeps_the_quick_judge_without_compiled_code() -> None:
    code = Code()
    code.is_pending = False
    review = TableReview(small_game().game, 0, code)
    while review.done < review.moments:
        review.step()
    assert review.found().judge == "plain"
    assert not review.is_waiting


@pytest.mark.parametrize("name", ["big2", "dou_dizhu", "tien_len"])
def test_opinion__rates_the_legal_moves_with_and_without_weights(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game.deal(RULES[name], 3)
    view = game.view()
    legal = view.legal_plays()
    learned = PlainOpinion(game.ruleset, game.num_players)
    monkeypatch.setattr("big2_agents.models.learned_rulesets", lambda: [])
    rules = PlainOpinion(game.ruleset, game.num_players)
    for opinion in (learned, rules):
        best = opinion.favourite(view, legal)
        assert best in legal
        assert opinion.doubt(view, legal, best) == 0
        assert all(opinion.doubt(view, legal, play) >= 0 for play in legal)
    assert learned.rated(view, legal) != rules.rated(view, legal)


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
