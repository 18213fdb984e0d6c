"""The page of a game: one file, no hidden hand in it, the judge's words and numbers."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from small_games import MOVES, StubJudge, small_game

from big2_agents.review import analysis
from big2_agents.review.analysis import Proof, review
from big2_agents.review.decision import Prospect
from big2_agents.review.judged import judged_replay
from big2_env import Game
from big2_env.base.errors import ConfigError
from big2_env.base.language import Language
from big2_env.climbing.rulesets import ruleset
from big2_env.drawing.replay_page import Replay, replay_page
from big2_env.drawing.replays import game_replay
from big2_env.notation.transcript import Transcript

CARD = re.compile(r"[CDHS]\[(?:[2-9]|10|[JQKA])\]")
VALUES = {"C[3]": 0.6, "C[7]": 0.1, "C[9]": 0.5, "pass": 0.55}


class Appraiser:
    def prospect(self, game: Game) -> Prospect:
        return Prospect((0.5, -0.1, -0.2, -0.2), ((0.4, 0.6), (-0.2, 0.0), (-0.3, -0.1), (-0.3, -0.1)))


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def judged(monkeypatch: pytest.MonkeyPatch, lang: Language = Language.EN, half_width: float = 0.05) -> Replay:
    proofs = {0: Proof((0,)), 1: Proof(())}
    monkeypatch.setattr(analysis, "proof_of", lambda game, *_: proofs.get(len(game.history)))
    transcript = small_game()
    found = review(transcript.game, StubJudge(VALUES, half_width), "stub:9", unit=1.0, appraiser=Appraiser())
    return judged_replay(game_replay(transcript, lang=lang), transcript, found, lang)


@pytest.mark.parametrize("lang", list(Language))
def test_page__is_one_file_that_asks_for_nothing(monkeypatch: pytest.MonkeyPatch, lang: Language) -> None:
    page = replay_page([judged(monkeypatch, lang)])
    assert not re.search(r"https?:|//[a-z]|\bsrc=|@import|url\(|<link|{{", page)
    assert "default-src 'none'" in page
    assert f'<html lang="{lang.value}">' in page
    assert "\ufeff" not in page


def test_page__has_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    game = data_of(replay_page([judged(monkeypatch)]))["games"][0]
    assert len(game["frames"]) == len(game["acts"]) + 1 == len(MOVES) + 1
    assert game["marks"][0] == "??"
    first = game["remarks"][0]
    assert first[0] == {
        "text": "Ada: single C[7] costs 38 percentage points. single C[3] was worth 70 %, this 33 %.",
        "kind": "estimate",
    }
    assert first[1] == {"text": "With all hands open, Ada could force the win; after this move no longer.", "kind": "proof"}
    assert game["remarks"][1][-1] == {"text": "With all hands open, no player can force the win.", "kind": "proof"}
    listed = game["frames"][0]["advice"]
    assert game["is_chance"]
    assert [one["value"] for one in listed] == [70.0, 32.5, 25.0]
    assert [one["is_played"] for one in listed] == [False, True, False]
    assert listed[0]["interval"] == [66.25, 73.75]
    assert [one["note"] for one in listed] == ["best", "", ""]
    assert [curve["name"] for curve in game["curves"]] == ["Ada", "Ben", "Cai", "Dee"]
    heads, ada, *_ = game["summary"]
    assert heads[:5] == ["seat", "after the deal", "own decisions", "luck", "result"]
    assert ada[:3] == ["Ada", "62 %", "-79 % ± 8 %"]
    assert any("stub:9" in note and "(100 deals)" in note for note in game["notes"])


def test_page__says_where_the_play_outs_cannot_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    game = data_of(replay_page([judged(monkeypatch, half_width=0.4)]))["games"][0]
    assert game["marks"] == [""] * len(MOVES)
    assert "the playouts cannot tell them apart" in game["remarks"][0][0]["text"]


@pytest.mark.parametrize("name", ["big2", "dou_dizhu", "three_two_one"])
def test_page__of_one_seat_names_no_card_that_it_did_not_see(name: str) -> None:
    game = Game.deal(ruleset(name), seed=5)
    for _ in range(9):
        game.push(next(iter(game.legal_plays())))
    view = game.view(1)
    known = view.hand | view.bottom | view.obligation
    for played in view.played:
        known |= played
    found = review(game, StubJudge({}), "stub", seats=[1], unit=1.0, has_prospects=False)
    shown = game_replay(Transcript(game), 1, open_hands=False, lang=Language.EN)
    page = replay_page([judged_replay(shown, Transcript(game), found, Language.EN, 1)])
    allowed = {str(card) for card in game.ruleset.order.sort(known)}
    assert set(CARD.findall(page)) <= allowed
    symbols = re.findall(r'<symbol id="b2-([^"]+)"', page)
    assert "back" in symbols
    assert len(symbols) == len(set(symbols)) <= len(allowed) + 1
    assert len(re.findall(r' id="([^"]+)"', page)) == len(set(re.findall(r' id="([^"]+)"', page)))
    frames = data_of(page)["games"][0]["frames"]
    assert all((seat["hand"] is None) == (seat["seat"] != 1) for frame in frames for seat in frame["seats"])
    assert all(not frame["advice"] or frame["turn"] == 1 for frame in frames)
    assert data_of(page)["games"][0]["curves"] == []
    assert data_of(replay_page([game_replay(Transcript(game), lang=Language.EN)]))["games"][0]["frames"][0]["seats"][0]["hand"]


def test_page__reads_names_as_text() -> None:
    names = ("</script><b>", "&amp;", '"quotes"', "<!--")
    page = replay_page([game_replay(Transcript(small_game().game, names), lang=Language.EN)])
    assert "</script><b>" not in page.partition('id="data"')[2].partition("</script>")[0]
    assert "<title>Big Two: &lt;/script&gt;&lt;b&gt;, &amp;amp;," in page
    assert [seat["name"] for seat in data_of(page)["games"][0]["frames"][0]["seats"]] == list(names)
    assert page.count("</script>") == 2


def test_page__needs_a_game_and_bounds_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="expected at least one game"):
        replay_page([])
    monkeypatch.setattr("big2_env.drawing.replay_page.MAX_FRAMES", 15)
    shown = game_replay(small_game(), lang=Language.EN)
    with pytest.raises(ConfigError, match=r"too many moves for one page: 20 \(limit 15\)"):
        replay_page([shown, shown])
