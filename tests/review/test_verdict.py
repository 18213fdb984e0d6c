"""The result of a review in one sentence: what it names, in which words, and for whom."""

from __future__ import annotations

import pytest
from small_games import StubJudge, small_game

from big2_agents.review import analysis
from big2_agents.review.analysis import Review, review
from big2_agents.review.decision import Prospect
from big2_agents.review.verdict import Stage, verdict_of
from big2_env import Game
from big2_env.language import Language, words
from big2_env.show.replay_page import Verdict

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
    assert winner.text == "Your costliest decision was move 5: S[2] instead of passing, -0.55 points."
    assert [one.ply for one in winner.costs] == [4, 0]
    loser = said(found, 2)
    assert (loser.ply, loser.costs) == (2, ())
    assert loser.text == "You lost it at move 3: H[10] instead of passing, -0.55 points."
    assert said(found, 2, Language.HANT).text == "敗著是第 3 手：H[10] 而不是 PASS，-0.55 分。"
    assert said(found, 2, Language.HANS).text == "败着是第 3 手：H[10] 而不是不出，-0.55 分。"


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
    assert found.text.startswith("The costliest decision was move 3 by Cai: H[10] instead of passing, -0.55")
    assert found.costs[0].text.startswith("Move 3, Cai: H[10]")


def test_verdict__without_a_mistake_names_the_turning_point_by_another_player() -> None:
    found = judged({})
    own = said(found, 0)
    assert own.ply == 3
    assert own.text.startswith("You made no costly mistake. The turning point was move 4, Dee: C[A]. It changed your expected")
    assert "from -0.25 to +0.50 points" in own.text
    assert said(found, 3).text == "You made no costly mistake."  # its own move was the turning point, and changed nothing
    assert said(found, None).text == "No move is certainly worse than another."


def test_verdict__of_the_first_look_is_careful() -> None:
    overlapping = judged(WORSE, half_width=0.3)
    assert said(overlapping, 2).text == "You made no costly mistake."
    first = said(overlapping, 2, stage=Stage.FIRST)
    assert first.text == "Your costliest decision may have been move 3: H[10] instead of passing, about -0.55 points."
    assert first.source == "A first look at your most doubtful moves. More exact values follow."
    unclear = judged(WORSE, half_width=2.0)
    for stage in (Stage.FIRST, Stage.DEEP_FOLLOWS):
        assert said(unclear, 2, stage=stage).text == "No costly mistake of yours so far."


def test_verdict__names_the_best_move_and_the_turning_point() -> None:
    found = judged({"C[7]": 0.4})
    own = said(found, 0)
    assert own.best is not None
    assert own.turn is not None
    assert (own.best.ply, own.best.text) == (0, "Best move: number 1, C[7], 0.40 points better than C[3]")
    assert own.turn.ply == 3
    assert own.turn.text.startswith("Turning point: move 4, Dee: C[A], from -0.25 to +0.50")
    in_chinese = said(found, 0, Language.HANT).best
    assert in_chinese is not None
    assert in_chinese.text == "最佳一手：第 1 手 C[7]，比 C[3] 多得 0.40 分"
    assert said(found, 2).turn is None  # whose prospects never change
    assert (said(found, None).best, said(found, None).turn) == (None, None)


def test_verdict__names_no_best_move_that_is_not_known() -> None:
    assert said(judged({"C[7]": 0.4}), 0, stage=Stage.FIRST).best is None
    assert said(judged({"C[7]": 0.4}, half_width=0.3), 0).best is None  # the intervals overlap
    assert said(judged({"C[7]": 0.01}, half_width=0.001), 0).best is None  # too small to matter
