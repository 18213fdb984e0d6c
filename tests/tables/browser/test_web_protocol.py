"""What pages ask and get: a whole game, hidden cards, hints, acts that are refused."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from web_visitor import known, named_cards, visit

from big2_env.agents.advice import Advice
from big2_env.climbing.game import Game
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.view import View

RULES = available_rulesets()


@pytest.mark.parametrize("game", sorted(RULES))
def test_protocol__names_no_hidden_card_in_a_whole_game(game: str, tmp_path: Path) -> None:
    rng = random.Random(game)
    with visit(tmp_path) as visitor:
        visitor.sit_down(game, RULES[game].default_players - 1, seed=None, seat=1)
        seen: set[str] = set()
        while True:
            if visitor.table.session.is_over:
                break
            seen |= known(visitor)
            if visitor.table.version % 5 == 0:  # the answer to a move is the same state
                visitor.get(f"{visitor.path}?lang=en")
            for text in visitor.received:
                assert named_cards(text) <= seen, text
                assert '"seed"' not in text
                assert '"deck"' not in text
            visitor.received.clear()
            visitor.move(rng)
        assert all(seat["hand"] is not None for seat in visitor.state["scene"]["seats"])


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


def test_protocol__a_seed_of_64_bits_comes_back_digit_by_digit(tmp_path: Path) -> None:
    seed = 2**64 - 59
    with visit(tmp_path) as visitor:
        visitor.sit_down("tien_len", seed=str(seed))
        assert visitor.table.session.game.view(0).hand == Game.deal(RULES["tien_len"], seed=seed).view(0).hand
        assert visitor.play_out()["seed"] == "18446744073709551557"
        record = json.loads(visitor.get(f"{visitor.path}/record").text)
        assert record["seed"] == seed  # a number, as in every record
        cookies, state = visitor.cookies, visitor.state
    with visit(tmp_path, cookies) as again:
        again.state = state
        assert again.get(f"{again.path}?lang=en").json() == state
        again.sit_down("tien_len", seed=7)  # as links and pages sent it before
        assert again.play_out()["seed"] == "7"


class Chooser:
    """An adviser that needs no time."""

    def reset(self, seed: int) -> None: ...

    def act(self, view: View, legal: Any) -> Any:
        return next(iter(legal))

    def advise(self, view: View, legal: Any) -> list[Advice]:
        return [Advice(play, value=0.25, interval=(0.0, 0.5), playouts=9) for play in legal]


def test_protocol__hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("big2_env.tables.session.table_session.make_agent", lambda name: Chooser())
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
        assert best["why"].startswith("your hand is strong enough for the landlord")
        assert best["numbers"] == ["expected payoff +0.25 points (0.00 to +0.50)"]
        advice = visitor.post(f"{visitor.path}/hint?lang=zh-Hans", {"version": version}).json()["advice"]
        no = next(one["words"] for one in advice if one["kind"] == "pass")
        state = visitor.get(f"{visitor.path}?lang=zh-Hans").json()
        assert no == state["decline"] == ("不抢" if best["word"] == "rob" else "不叫")
        assert visitor.get(visitor.path).json()["version"] == version


def test_protocol__check_asks_before_a_move_that_misses_a_certain_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Certain(Chooser):
        def advise(self, view: View, legal: Any) -> list[Advice]:
            best, *others = legal
            return [Advice(best, sure=True), *(Advice(play) for play in others)]

    monkeypatch.setattr("big2_env.tables.session.table_session.make_agent", lambda name: Certain())
    with visit(tmp_path) as visitor:
        visitor.sit_down("dou_dizhu", 2)
        while not visitor.state["asked"]:
            visitor.act("advance")
        version, word = visitor.state["version"], visitor.state["calls"][0]["word"]
        path = f"{visitor.path}/check?lang=en"
        assert visitor.post(path, {"version": version, "word": word}).json() == {"version": version, "warning": None}
        warning = visitor.post(path, {"version": version, "cards": []}).json()["warning"]
        assert re.fullmatch("(no|do not rob).*\\? The coach would choose .*: wins for certain.*", warning)
        assert visitor.post(path, {"version": version, "word": "nonsense"}).json()["warning"] is None
        assert visitor.post(path, {"version": version + 1, "cards": []}).status == 409
        assert visitor.get(visitor.path).json()["version"] == version


def test_protocol__says_why_cards_cannot_be_played(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        visitor.sit_down(seed=7)
        while visitor.state["waiting"]:
            visitor.act("advance")
        look = visitor.post(f"{visitor.path}/look?lang=en", {"cards": ["D[4]", "C[5]"]}).json()
        assert (look["legal"], look["words"]) == (False, "D[4] C[5] is not a pattern of this game")
        refused = visitor.post(f"{visitor.path}/play?lang=zh-Hans", {"version": visitor.state["version"], "cards": ["D[4]"]})
        assert refused.status == 409
        assert refused.json()["message"] == "单张 D[4] 压不过单张 C[6]"
        assert refused.json()["state"]["version"] == visitor.state["version"]


def test_protocol__cards_with_several_readings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = ["C[4] D[4] H[4] S[4] C[5] D[5] H[5] S[5] C[9]", "C[6] C[7]", "C[8] C[10]"]
    with visit(tmp_path) as visitor:
        visitor.sit_down("dou_dizhu_x", 2)
        table = visitor.table
        monkeypatch.setattr(visitor.server.lobby.saved, "save", lambda table: None)  # a position that was never dealt
        table.session.start(Game.from_hands(RULES["dou_dizhu_x"], hands), seed=0)
        table.moved_on()
        cards = hands[0].split()[:8]
        asked = {"version": table.version, "cards": cards}
        readings = visitor.post(f"{visitor.path}/look?lang=en", {"cards": cards}).json()["readings"]
        assert len({json.dumps(one) for one in readings}) == 3
        refused = visitor.post(f"{visitor.path}/play?lang=en", asked)
        assert (refused.status, refused.json()["error"]) == (409, "ambiguous")
        assert visitor.post(f"{visitor.path}/play?lang=en", asked | {"reading": 3}).status == 400
        played = visitor.post(f"{visitor.path}/play?lang=en", asked | {"reading": 2}).json()["scene"]["seats"][0]["act"]
        assert [card["text"] for card in played["cards"]] == [card["text"] for card in readings[2]["cards"]]


def test_protocol__a_stale_move_changes_nothing_and_gets_the_state(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        old = visitor.sit_down(seed=7)
        now = visitor.act("advance")
        answer = visitor.post(f"{visitor.path}/advance?lang=en", {"version": old["version"]})
        assert (answer.status, answer.json()["error"]) == (409, "stale")
        assert answer.json()["state"] == now


@pytest.mark.parametrize(
    ("game", "agent", "act", "body"),
    [("big2", "lowest", "play", {"cards": []}), ("uno", "automatic", "move", {"moves": ["draw"]})],
)
def test_protocol__a_move_out_of_turn_is_refused_alike_at_every_table(
    game: str, agent: str, act: str, body: dict[str, Any], tmp_path: Path
) -> None:
    rng = random.Random(1)
    with visit(tmp_path) as visitor:

        def refusal() -> tuple[int, str, str]:
            answer = visitor.post(f"{visitor.path}/{act}?lang=en", {"version": visitor.state["version"], **body})
            return answer.status, answer.json()["error"], answer.json()["message"]

        def step() -> None:
            if visitor.state["asked"] and "moves" in visitor.state:
                visitor.act("move", moves=[rng.choice(visitor.state["moves"])["text"]])
            else:
                visitor.move(rng)

        visitor.sit_down(game, [agent] * 3)
        while not visitor.state["waiting"]:
            step()
        scene = visitor.state["scene"]
        assert refusal() == (409, "not_your_turn", f"It is {scene['seats'][scene['turn']]['name']}’s turn.")
        while not visitor.state["scene"]["is_over"]:
            step()
        assert refusal() == (409, "not_playing", "No deal is being played.")


@pytest.mark.parametrize("game", ["big2", "dou_dizhu_4p"])
def test_protocol__rules_in_words(game: str, tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        page = visitor.get(f"/api/rules/{game}?lang=zh-Hans").json()
        assert page["title"] == {"big2": "大老二", "dou_dizhu_4p": "四人斗地主"}[game]
        assert len(page["sections"]) > 4
        assert visitor.get("/api/rules/chess").status == 404
        assert "others" not in visitor.get("/api/rules/uno").json()


@pytest.mark.parametrize(("lang", "title"), [("en", "Which rules does your table play?"), ("zh-Hans", "你們那桌怎麼玩？")])
def test_rules__lead_to_what_other_tables_play(lang: str, title: str, tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        address = visitor.get(f"/api/rules/taiwan?lang={lang}").json()["others"]
        page = visitor.get(f"/{address}")
    assert page.status == 200
    assert f"<h1>{title}</h1>" in page.text
    assert "LastCard.HIGHEST" in page.text
    assert not re.search(r"\.md|<a ", page.text)


def test_protocol__plays_are_the_persons_legal_plays(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        visitor.sit_down(seed=7)
        rng = random.Random(1)
        while not visitor.state["scene"]["is_over"]:
            found = visitor.post(f"{visitor.path}/plays", {"version": visitor.state["version"]}).json()
            now = visitor.table.session
            wanted = {frozenset(now.legal.ruleset.order.sort(play.mask)) for play in now.legal if play.mask}
            assert len(found["plays"]) == len(wanted if now.is_asked else [])
            for cards in found["plays"]:
                assert visitor.post(f"{visitor.path}/look", {"cards": cards}).json()["legal"]
            visitor.move(rng)
        assert found["version"] == visitor.state["version"] - 1
