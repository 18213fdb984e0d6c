"""What pages ask and get: a whole game, hidden cards, acts that are refused, tables that outlive the server."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from web_visitor import Visitor, named_cards, serving, visit

from big2_env.advice import Advice
from big2_env.climbing.game import Game
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.view import View
from big2_env.errors import ConfigError
from big2_env.language import Language
from big2_env.notation import records
from big2_env.notation.transcript import Transcript
from big2_env.play.saved import saved_games
from big2_env.show.replay_page import Replay

RULES = available_rulesets()


def known(visitor: Visitor) -> set[str]:
    """The cards that the person may know of."""
    view: View = visitor.table.now.game.view(visitor.table.sitting.seat)
    mask = view.hand | view.bottom | view.obligation
    for played in view.played:
        mask |= played
    return {str(card) for card in view.ruleset.order.sort(mask)}


@pytest.mark.parametrize("game", sorted(RULES))
def test_protocol__names_no_hidden_card_in_a_whole_game(game: str, tmp_path: Path) -> None:
    rng = random.Random(game)
    with visit(tmp_path) as visitor:
        visitor.sit_down(game, RULES[game].default_players - 1, seed=None, seat=1)
        seen: set[str] = set()
        while True:
            moment = visitor.table.now
            if moment.game.is_over:
                break
            seen |= known(visitor)
            if moment.version % 5 == 0:  # the answer to an act is the same state
                visitor.get(f"{visitor.path}?lang=en")
            for text in visitor.received:
                assert named_cards(text) <= seen, text
                assert '"seed"' not in text
                assert '"deck"' not in text
            visitor.received.clear()
            visitor.move(rng)
        assert all(seat["hand"] is not None for seat in visitor.state["scene"]["seats"])


class Reviewed:
    """A review of four moments, each of which has its own remark; whoever judges needs no time."""

    moments = 4

    def __init__(self, game: Game, seat: int, seed: int) -> None:
        self.done = 0
        self.asked = (game, seat, seed)

    def step(self) -> None:
        self.done += 1

    def judged(self, shown: Replay, transcript: Transcript, lang: Language) -> Replay:
        return replace(shown, notes=(f"judged {self.done} for {transcript.names[self.asked[1]]} in {lang.value}",))


def test_protocol__review_and_record_come_with_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Reviewed] = []

    def reviewing(name: str, game: Game, seat: int, seed: int) -> Reviewed:
        made.append(Reviewed(game, seat, seed))
        return made[-1]

    monkeypatch.setattr("big2_env.web.reviews.reviewing", reviewing)
    with visit(tmp_path) as visitor:
        visitor.sit_down(seed=7)
        assert visitor.get(f"{visitor.path}/record").json()["error"] == "not_over"
        asked = {"version": 0, "step": 0}
        assert visitor.post(f"{visitor.path}/review", asked).json()["error"] == "not_over"
        visitor.play_out()
        assert visitor.post(f"{visitor.path}/review", asked).json()["error"] == "stale"
        asked = {"version": visitor.state["version"], "step": 0}
        first = visitor.post(f"{visitor.path}/review?lang=en", asked).json()
        assert (first["done"], first["of"] > 0, made) == (0, True, [])  # the game is shown before whoever judges is loaded
        assert "judged" not in game_data(first["page"])["notes"]
        assert len(game_data(first["page"])["frames"]) == visitor.state["scene"]["ply"] + 1
        while (step := visitor.post(f"{visitor.path}/review", asked | {"step": 1}).json())["done"] < 4:
            assert step["page"] is None
        last = visitor.post(f"{visitor.path}/review?lang=zh-Hans", asked).json()
        assert game_data(last["page"])["notes"] == ["judged 4 for 你 in zh-Hans"]
        assert [one.asked for one in made] == [(visitor.table.now.game, 0, 7)]
        record = records.loads(visitor.get(f"{visitor.path}/record").text)
        assert record.game == visitor.table.sitting.game
        [kept] = saved_games(tmp_path / "games")
        assert (kept.payoff, kept.acts) == (record.game.outcome.payoffs[0], visitor.state["scene"]["ply"])
        visitor.act("deal")
        asked["version"] = visitor.state["version"]
        assert visitor.post(f"{visitor.path}/review", asked).json()["error"] == "not_over"


def game_data(page: str) -> dict[str, Any]:
    """The game that a page has in itself."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])["games"][0]


def test_protocol__a_game_that_cannot_be_judged_is_shown_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked_for: list[Reviewed] = []

    def refuse(self: Reviewed) -> None:
        asked_for.append(self)
        raise ConfigError("too large")

    monkeypatch.setattr("big2_env.web.reviews.reviewing", lambda *given: Reviewed(*given[1:]))
    monkeypatch.setattr(Reviewed, "step", refuse)
    with visit(tmp_path) as visitor:
        visitor.sit_down(seed=7)
        visitor.play_out()
        asked = {"version": visitor.state["version"], "step": 1}
        refused = visitor.post(f"{visitor.path}/review?lang=en", asked)
        assert (refused.status, refused.json()["message"]) == (409, "the game cannot be judged: too large")
        assert game_data(visitor.post(f"{visitor.path}/review", asked | {"step": 0}).json()["page"])["frames"]
        assert visitor.post(f"{visitor.path}/review?lang=en", asked).json() == refused.json()
        assert len(asked_for) == 1


def test_protocol__undo_and_next_deal(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        first = visitor.sit_down(seed=7)
        assert not first["can_undo"]
        while visitor.state["waiting"]:
            visitor.act("advance")
        before = visitor.state
        rng = random.Random(1)
        for _ in range(4):
            visitor.move(rng)
        after = visitor.act("undo")
        assert after["scene"] == before["scene"]
        assert after["version"] > before["version"]
        over = visitor.play_out()
        paid = [seat["payoff"] for seat in over["scene"]["seats"]]
        assert [seat["score"] for seat in over["scene"]["seats"]] == paid
        dealt = visitor.act("deal")
        assert dealt["deal"] == 1
        assert [seat["score"] for seat in dealt["scene"]["seats"]] == paid
        assert not dealt["scene"]["is_over"]


class Chooser:
    """An adviser that needs no time."""

    def reset(self, seed: int) -> None: ...

    def act(self, view: View, legal: Any) -> Any:
        return next(iter(legal))

    def advise(self, view: View, legal: Any) -> list[Advice]:
        return [Advice(play, value=0.25, interval=(0.0, 0.5), playouts=9) for play in legal]


def test_protocol__hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("big2_env.play.sitting.make_agent", lambda name: Chooser())
    with visit(tmp_path) as visitor:
        visitor.sit_down("dou_dizhu", 2)
        refused = visitor.post(f"{visitor.path}/hint", {"version": 0})
        if visitor.state["waiting"]:
            assert (refused.status, refused.json()["error"]) == (409, "no_hint")
        while not visitor.state["asked"]:
            visitor.act("advance")
        version = visitor.state["version"]
        best = visitor.post(f"{visitor.path}/hint?lang=en", {"version": version}).json()["advice"][0]
        assert best["word"] in ("call", "rob")
        assert best["reasons"] == ["value +0.25 (0 to +0.5)"]
        advice = visitor.post(f"{visitor.path}/hint?lang=zh-Hans", {"version": version}).json()["advice"]
        no = next(one["words"] for one in advice if one["kind"] == "pass")
        state = visitor.get(f"{visitor.path}?lang=zh-Hans").json()
        assert no == state["decline"] == ("不抢" if best["word"] == "rob" else "不叫")
        assert visitor.get(visitor.path).json()["version"] == version


def test_protocol__says_why_cards_cannot_be_played(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        visitor.sit_down(seed=7)
        while visitor.state["waiting"]:
            visitor.act("advance")
        look = visitor.post(f"{visitor.path}/look?lang=en", {"cards": ["D[4]", "C[5]"]}).json()
        assert (look["legal"], look["words"]) == (False, "D[4] C[5] is no pattern of this game")
        refused = visitor.post(f"{visitor.path}/play?lang=zh-Hans", {"version": visitor.state["version"], "cards": ["D[4]"]})
        assert refused.status == 409
        assert refused.json()["message"] == "单张 D[4] 压不过 单张 C[6]"
        assert refused.json()["state"]["version"] == visitor.state["version"]


def test_protocol__cards_with_several_readings(tmp_path: Path) -> None:
    hands = ["C[4] D[4] H[4] S[4] C[5] D[5] H[5] S[5] C[9]", "C[6] C[7]", "C[8] C[10]"]
    with visit(tmp_path) as visitor:
        visitor.sit_down("dou_dizhu_x", 2)
        table = visitor.table
        table.sitting.start(Game.from_hands(RULES["dou_dizhu_x"], hands), seed=0)
        table._changed()
        cards = hands[0].split()[:8]
        asked = {"version": table.version, "cards": cards}
        readings = visitor.post(f"{visitor.path}/look?lang=en", {"cards": cards}).json()["readings"]
        assert len({json.dumps(one) for one in readings}) == 3
        refused = visitor.post(f"{visitor.path}/play?lang=en", asked)
        assert (refused.status, refused.json()["error"]) == (409, "ambiguous")
        assert visitor.post(f"{visitor.path}/play?lang=en", asked | {"reading": 3}).status == 400
        played = visitor.post(f"{visitor.path}/play?lang=en", asked | {"reading": 2}).json()["scene"]["seats"][0]["act"]
        assert [card["text"] for card in played["cards"]] == [card["text"] for card in readings[2]["cards"]]


def test_protocol__a_stale_act_changes_nothing_and_gets_the_state(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        old = visitor.sit_down(seed=7)
        now = visitor.act("advance")
        answer = visitor.post(f"{visitor.path}/advance?lang=en", {"version": old["version"]})
        assert (answer.status, answer.json()["error"]) == (409, "stale")
        assert answer.json()["state"] == now


HOSTILE: list[tuple[str, Any, int]] = [
    ("play", {}, 400),
    ("play", [], 400),
    ("play", {"version": "0", "cards": []}, 400),
    ("play", {"version": True, "cards": []}, 400),
    ("play", {"version": -1, "cards": []}, 400),
    ("play", {"version": 1e3, "cards": []}, 400),
    ("play", {"version": 10**30, "cards": []}, 400),
    ("play", {"version": 3, "cards": "C[3]"}, 400),
    ("play", {"version": 3, "cards": [1]}, 400),
    ("play", {"version": 3, "cards": ["Z[9]"]}, 400),
    ("play", {"version": 3, "cards": [""]}, 400),
    ("play", {"version": 3, "cards": ["C[3] D[3]"]}, 400),
    ("play", {"version": 3, "cards": ["C[5]*"]}, 400),
    ("play", {"version": 3, "cards": ["C[5]"] * 3}, 400),
    ("play", {"version": 3, "cards": ["C[5]"] * 200}, 400),
    ("play", {"version": 3, "cards": ["C" * 41]}, 400),
    ("play", {"version": 3, "cards": ["D[4]"], "reading": 7}, 400),
    ("play", {"version": 3, "cards": ["D[4]"], "seat": 1}, 400),
    ("play", {"version": 3, "cards": ["C[9]"]}, 409),  # somebody else's
    ("play", {"version": 3, "cards": ["C[5]", "C[5]"]}, 409),
    ("play", {"version": 3, "cards": ["LJ"]}, 409),
    ("play", {"version": 2, "cards": []}, 409),
    ("play", {"version": 4, "cards": []}, 409),
    ("say", {"version": 3, "word": "call"}, 409),
    ("say", {"version": 3, "word": "__class__"}, 409),
    ("say", {"version": 3, "word": "x" * 21}, 400),
    ("advance", {"version": 3}, 409),
    ("undo", {"version": 3}, 409),
    ("look", {"cards": None}, 400),
    ("look", {"cards": [["C[3]"]]}, 400),
    ("hint", {"version": None}, 400),
    ("deal", {"version": [3]}, 400),
    ("nothing", {"version": 3}, 404),
]


def test_protocol__hostile_messages_change_nothing(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        visitor.sit_down(seed=7)
        while visitor.state["waiting"]:
            visitor.act("advance")
        assert visitor.state["version"] == 3
        file = next((tmp_path / "tables").glob("*/*.json"))
        before = file.read_bytes()
        for name, body, status in HOSTILE:
            answer = visitor.post(f"{visitor.path}/{name}?lang=en", body)
            assert (answer.status, name, body) == (status, name, body), answer.text
            assert answer.json()["message"], answer.text
            assert named_cards(json.dumps(answer.json().get("state"))) <= known(visitor)
        for raw in (
            b"",
            b"{",
            b"\xff\xfe",
            b"null",
            b"[" * 9000,
            b'{"version": NaN}',
            b'{"version": 3, "version": 3}',
            b"1" * 9000,
        ):
            answer = visitor.post(f"{visitor.path}/undo", raw)
            assert answer.status == 400, raw
        huge = visitor.post(f"{visitor.path}/play", b" " * 20_000)
        assert (huge.status, huge.json()["error"]) == (413, "too_large")
        assert visitor.get(f"{visitor.path}?lang=en").json() == visitor.state
        assert file.read_bytes() == before


@pytest.mark.parametrize(
    "body",
    [
        {"game": "chess", "opponents": ["first"]},
        {"game": "../../etc/passwd.json", "opponents": ["first"]},
        {"game": "outside_patterns:OUTSIDE", "opponents": ["first"] * 3},
        {"game": "big2", "opponents": ["learned:/etc/passwd"] * 3},
        {"game": "big2", "opponents": ["nobody"]},
        {"game": "big2", "opponents": ["first"] * 9},
        {"game": "big2", "opponents": ["first"] * 21},
        {"game": "big2", "opponents": []},
        {"game": "big2", "opponents": ["first"], "seat": 2},
        {"game": "big2", "opponents": ["first"], "seed": -1},
        {"game": "big2", "opponents": ["first"], "seed": 2**60},
        {"game": "big2", "opponents": "first"},
    ],
)
def test_protocol__no_table_of_what_there_is_not(body: Any, tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        answer = visitor.post("/api/tables", body)
        assert (answer.status, answer.json()["error"]) == (400, "bad_request")
        assert not list(tmp_path.iterdir())


def test_protocol__tables_outlive_the_server(tmp_path: Path) -> None:
    for game in ("big2", "dou_dizhu_4p", "qi_gui_521"):
        with visit(tmp_path) as first:
            first.sit_down(game, RULES[game].default_players - 1)
            rng = random.Random(3)
            for _ in range(9):
                first.move(rng)
            left = first.get(f"{first.path}?lang=en").json()
            cookies = first.cookies
        with visit(tmp_path, cookies) as second:
            second.state = left
            assert second.get(f"{second.path}?lang=en").json() == left
            for _ in range(9):
                second.move(rng)
            assert second.state["table"] in [one["table"] for one in second.get("/api/lobby").json()["tables"]]


def test_protocol__a_score_outlives_the_server_and_can_be_taken_back(tmp_path: Path) -> None:
    with visit(tmp_path) as first:
        first.sit_down("tien_len")
        over = first.play_out()
        cookies = first.cookies
    with visit(tmp_path, cookies) as second:
        second.state = over
        assert second.get(f"{second.path}?lang=en").json() == over
        [listed] = second.get("/api/lobby").json()["tables"]
        assert (listed["score"], listed["deals"]) == (over["scene"]["seats"][0]["payoff"], 1)
        back = second.act("undo")
        assert [seat["score"] for seat in back["scene"]["seats"]] == [0.0] * 4
        second.act("deal")
        [given_up] = saved_games(tmp_path / "games")
        assert (given_up.payoff, given_up.undone) == (None, 1)


def test_protocol__an_agent_that_thinks_holds_nobody_up(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        slow, other = Visitor(server), Visitor(server)
        slow.sit_down("big2", seed=7)
        thinks, may_go_on = Event(), Event()
        advance = slow.table.sitting.advance

        def think() -> Any:
            thinks.set()
            assert may_go_on.wait(30)
            return advance()

        slow.table.sitting.advance = think  # type: ignore[method-assign]
        version, cards = slow.state["version"], ["D[4]", "S[4]"]
        thread = Thread(target=slow.act, args=("advance",))
        thread.start()
        assert thinks.wait(30)
        other.sit_down("big2", seed=7)
        other.act("advance")
        tab = Visitor(server, slow.cookies)
        assert tab.get(slow.path).json()["version"] == version
        assert tab.post(f"{slow.path}/look?lang=en", {"cards": cards}).json()["pattern"] == "pair"
        may_go_on.set()
        thread.join()
        assert tab.get(slow.path).json()["version"] == version + 1
        for visitor in (slow, other, tab):
            visitor.close()


@pytest.mark.parametrize("game", ["big2", "dou_dizhu_4p"])
def test_protocol__rules_in_words(game: str, tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        page = visitor.get(f"/api/rules/{game}?lang=zh-Hans").json()
        assert page["title"] == {"big2": "大老二", "dou_dizhu_4p": "四人斗地主"}[game]
        assert len(page["sections"]) > 4
        assert visitor.get("/api/rules/chess").status == 404


def test_protocol__a_broken_file_is_no_table(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        visitor.sit_down()
        file = next((tmp_path / "tables").glob("*/*.json"))
        good = json.loads(file.read_text("utf-8"))
        cookies = visitor.cookies
        state = visitor.state
    record = good["record"]
    for broken in (
        "",
        "[]",
        "x" * (1 << 20) + "x",
        json.dumps(good | {"schema": 2}),
        json.dumps(good | {"scores": [1, 2]}),
        json.dumps(good | {"version": -1}),
        json.dumps(good | {"record": record | {"agents": ["learned:/etc/passwd"] * 3}}),
        json.dumps(good | {"record": record | {"moves": ["single S[2]"]}}),
        json.dumps(good | {"record": record | {"seat": 9}}),
        json.dumps(good | {"record": None}),
    ):
        file.write_text(broken, "utf-8")
        with visit(tmp_path, cookies) as again:
            again.state = state
            assert again.get(again.path).status == 404, broken[:100]
            assert again.get("/api/lobby").status == 200


def test_protocol__another_visitor_has_no_such_table(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        visitor.sit_down()
        stranger = Visitor(visitor.server)
        stranger.state = visitor.state
        unknown = stranger.get("/api/tables/AAAAAAAAAAAAAAAA?lang=en")
        for answer in (
            stranger.get(f"{stranger.path}?lang=en"),
            stranger.post(f"{stranger.path}/advance?lang=en", {"version": 0}),
            stranger.post(f"{stranger.path}/look?lang=en", {"cards": []}),
            visitor.get("/api/tables/..%2f..%2fx?lang=en"),
        ):
            assert answer.status == 404
            assert named_cards(answer.text) == set()
        assert stranger.get(f"{stranger.path}?lang=en").text == unknown.text
        assert stranger.get("/api/lobby").json()["tables"] == []
        stranger.sit_down("tien_len")
        assert stranger.get(f"/api/tables/{visitor.state['table']}").status == 404
        stranger.close()


def test_protocol__idle_tables_make_room_and_come_back(tmp_path: Path) -> None:
    with visit(tmp_path, most=2) as visitor:
        states = [visitor.sit_down(seed=seed) for seed in range(4)]
        assert len(visitor.server.lobby._tables) == 2
        for state in states:
            assert visitor.get(f"/api/tables/{state['table']}?lang=en").json() == state
        assert len(visitor.server.lobby._tables) == 2


def test_protocol__twenty_tables_at_once(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        visitors = [Visitor(server) for _ in range(20)]
        failures: list[BaseException] = []

        def play(number: int, visitor: Visitor) -> None:
            try:
                visitor.sit_down("qi_gui_523", 1, seed=number % 2)
                rng = random.Random(number % 2)
                for _ in range(25):
                    visitor.move(rng)
            except BaseException as error:
                failures.append(error)
            finally:
                visitor.close()

        threads = [Thread(target=play, args=pair) for pair in enumerate(visitors)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert len({visitor.state["table"] for visitor in visitors}) == 20
        for visitor in visitors[2:]:  # the same deal and the same choices, so the same game
            twin = visitors[visitors.index(visitor) % 2]
            assert visitor.state["scene"] == twin.state["scene"]
