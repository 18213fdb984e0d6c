"""The result of a review in one sentence: what it names, in which words, and for whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from small_games import StubJudge, small_game

from big2_agents.review import analysis
from big2_agents.review.analysis import Review, review
from big2_agents.review.decision import Prospect
from big2_agents.review.verdict import Stage, verdict_of
from big2_env import Game
from big2_env.agents.advice import Advice
from big2_env.base.language import Language, words
from big2_env.climbing.certain_wins import certain_win
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.drawing.replay_page import Verdict

WORSE = {"C[3]": 0.6, "C[7]": 0.1, "S[2]": 0.0, "C[9]": 0.5, "pass": 0.55}


class Appraiser:
    """Prospects with one leap, at the fourth move."""

    def prospect(self, game: Game) -> Prospect:
        one = 0.5 if len(game.history) > 3 else -0.25
        means = (one, -one, 0.0, 0.0)
        return Prospect(means, tuple((mean, mean) for mean in means))


@pytest.fixture(autouse=True)
def nothing_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "proof_of", lambda game, *_: None)


def judged(values: dict[str, float], half_width: float = 0.05) -> Review:
    return review(small_game().game, StubJudge(values, half_width), "stub", unit=1.0, appraiser=Appraiser())


def said(found: Review, person: int | None, lang: Language = Language.EN, stage: Stage = Stage.DEEP) -> Verdict:
    transcript = small_game()
    return verdict_of(transcript.names, found, transcript.game, words(lang), person, stage)


def test_verdict__names_the_costliest_decision_of_its_reader_and_lists_all() -> None:
    found = judged(WORSE)
    winner = said(found, 0)
    assert (winner.ply, winner.source) == (4, "Values of the judge stub.")
    assert said(replace(found, judge="learned"), 0).source == "Values of the judge Sage."
    assert winner.text == "Your costliest decision was move 5: S[2] instead of passing; chance to win 66 % → 25 %."
    assert [one.ply for one in winner.costs] == [4, 0]
    loser = said(found, 2)
    assert (loser.ply, [one.ply for one in loser.costs]) == (2, [2])
    assert loser.text == "You lost it at move 3: H[10] instead of passing; chance to win 66 % → 25 %."
    assert said(found, 2, Language.HANT).text == "敗著是第 3 手：H[10] 而不是 PASS；勝率 66 % → 25 %。"
    assert said(found, 2, Language.HANS).text == "败着是第 3 手：H[10] 而不是不出；胜率 66 % → 25 %。"


class Behind(Appraiser):
    """Prospects of a seat that is losing from the beginning."""

    def prospect(self, game: Game) -> Prospect:
        means = (1.0, 0.0, -1.0, 0.0)
        return Prospect(means, tuple((mean, mean) for mean in means))


def test_verdict__does_not_say_that_a_lost_game_was_lost_by_a_move() -> None:
    found = review(small_game().game, StubJudge(WORSE, 0.05), "stub", unit=1.0, appraiser=Behind())
    assert said(found, 2).text.startswith("Your costliest decision was move 3")


def test_verdict__of_all_seats_names_the_player() -> None:
    found = said(judged(WORSE), None)
    assert found.text == "The costliest decision was move 3 by Cai: H[10] instead of passing; chance to win 66 % → 25 %."
    assert found.costs[0].text.startswith("Move 3, Cai: H[10]")


def test_verdict__without_a_mistake_names_the_turning_point_by_another_player() -> None:
    found = judged({})
    own = said(found, 0)
    assert own.ply == 3
    assert own.text.startswith("You made no costly mistake. The turning point by others was move 4, Dee: C[A];")
    assert own.text.endswith("for you, chance to win 6 % → 62 %.")
    assert said(found, 3).text == "You made no costly mistake."  # its own move was the turning point, and changed nothing
    assert said(found, None).text == "No move is certainly worse than another."


class InOrder(StubJudge):
    """Gives no values, and sees certain wins if a test says so."""

    def __init__(self, is_sure: bool) -> None:
        super().__init__({})
        self.is_sure = is_sure

    def judge(self, view: View, legal: LegalPlays, also: Sequence[Play] = ()) -> list[Advice]:
        win = certain_win(view)[:1] if self.is_sure else ()
        return [Advice(play, sure=True) for play in win] + [Advice(play) for play in legal if play not in win]


@pytest.mark.parametrize("stage", [Stage.ORDER, Stage.ORDER_FOLLOWS])
def test_verdict__without_values_names_a_certain_win_and_nothing_else(stage: Stage) -> None:
    lost = small_game(("C[3]", "C[9]", "", "", "", "D[9]"))
    for is_sure, text in ((True, "At move 5 you had a certain win: S[2], then C[7]."), (False, "No certain win")):
        found = review(lost.game, InOrder(is_sure), "stub", unit=1.0, has_prospects=False)
        verdict = verdict_of(lost.names, found, lost.game, words(Language.EN), 0, stage)
        assert verdict.text.startswith(text)
        assert (verdict.best, verdict.turn, [one.ply for one in verdict.costs]) == (None, None, [4] * is_sure)


def test_verdict__names_the_best_move_and_the_turning_point() -> None:
    found = judged({"C[7]": 0.4})
    own = said(found, 0)
    assert own.best is not None
    assert own.turn is not None
    assert (own.best.ply, own.best.text) == (0, "Best move: number 1, C[7], 30 percentage points better than C[3]")
    assert own.turn.ply == 3
    assert own.turn.text.startswith("Turning point by others: move 4, Dee: C[A]; for you, chance to win 6 % → 62 %")
    in_chinese = said(found, 0, Language.HANT).best
    assert in_chinese is not None
    assert in_chinese.text == "最佳一手：第 1 手 C[7]，比 C[3] 好 30 個百分點"
    assert said(found, 2).turn is None  # whose prospects never change
    assert (said(found, None).best, said(found, None).turn) == (None, None)


class OwnLeap(Appraiser):
    """Prospects that leap most at the reader's own fifth move, which a judge without all hands does not blame."""

    def prospect(self, game: Game) -> Prospect:
        mean = (0.0, 0.4, -0.6)[(len(game.history) > 3) + (len(game.history) > 4)]
        return Prospect((mean, -mean, 0.0, 0.0), ((mean, mean), (-mean, -mean), (0.0, 0.0), (0.0, 0.0)))


def test_verdict__and_turning_point_never_name_two_moves_of_the_reader() -> None:
    for values, costs in (({}, []), (WORSE, [4, 0])):
        found = review(small_game().game, StubJudge(values, 0.05), "stub", unit=1.0, appraiser=OwnLeap())
        own = said(found, 0)
        assert [one.ply for one in own.costs] == costs
        assert own.ply == (4 if costs else 3)
        assert own.turn is not None
        assert own.turn.ply == 3


def test_verdict__names_no_best_move_that_is_not_known() -> None:
    assert said(judged({"C[7]": 0.4}, half_width=0.3), 0).best is None  # the intervals overlap
    assert said(judged({"C[7]": 0.01}, half_width=0.001), 0).best is None  # too small to matter
