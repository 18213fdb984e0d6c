"""Messages, stored texts and visitors that mean no good change nothing and learn nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from stored_tables import damage, stored, stored_data
from web_visitor import Visitor, known, named_cards, visit

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
        before = stored(tmp_path)
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
        assert stored(tmp_path) == before


@pytest.mark.parametrize(
    "body",
    [
        {"game": "chess", "opponents": ["lowest"]},
        {"game": "../../etc/passwd.json", "opponents": ["lowest"]},
        {"game": "outside_patterns:OUTSIDE", "opponents": ["lowest"] * 3},
        {"game": "big2", "opponents": ["learned:/etc/passwd"] * 3},
        {"game": "big2", "opponents": ["nobody"]},
        {"game": "big2", "opponents": ["lowest"] * 9},
        {"game": "big2", "opponents": ["lowest"] * 21},
        {"game": "big2", "opponents": []},
        {"game": "big2", "opponents": ["lowest"], "seat": 2},
        {"game": "big2", "opponents": ["lowest"], "seed": -1},
        {"game": "big2", "opponents": ["lowest"], "seed": 2**60},  # a page may have rounded it
        {"game": "big2", "opponents": ["lowest"], "seed": 7.0},
        {"game": "big2", "opponents": ["lowest"], "seed": True},
        {"game": "big2", "opponents": ["lowest"], "seed": str(2**64)},
        {"game": "big2", "opponents": ["lowest"], "seed": "-1"},
        {"game": "big2", "opponents": ["lowest"], "seed": ""},
        {"game": "big2", "opponents": ["lowest"], "seed": "7 "},
        {"game": "big2", "opponents": ["lowest"], "seed": "1e3"},
        {"game": "big2", "opponents": ["lowest"], "seed": "0x7"},
        {"game": "big2", "opponents": ["lowest"], "seed": "٧"},
        {"game": "big2", "opponents": ["lowest"], "seed": "7" * 5000},
        {"game": "big2", "opponents": "lowest"},
    ],
)
def test_protocol__no_table_of_what_there_is_not(body: Any, tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        answer = visitor.post("/api/tables", body)
        assert (answer.status, answer.json()["error"]) == (400, "bad_request")
        assert not list(tmp_path.iterdir())


def test_protocol__a_broken_row_is_no_table(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        visitor.sit_down()
        good = stored_data(tmp_path)
        cookies = visitor.cookies
        state = visitor.state
    record = good["record"]
    for broken in (
        "",
        "[]",
        "x" * (1 << 20) + "x",
        json.dumps(good | {"schema": 1}),
        json.dumps(good | {"before": [1, 2]}),
        json.dumps(good | {"version": -1}),
        json.dumps(good | {"record": record | {"agents": ["learned:/etc/passwd"] * 3}}),
        json.dumps(good | {"record": record | {"moves": ["single S[2]"]}}),
        json.dumps(good | {"record": record | {"seat": 9}}),
        json.dumps(good | {"record": None}),
    ):
        damage(tmp_path, broken)
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
