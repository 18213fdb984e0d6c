"""Games in the text format on a server and in a page without one: same answers, bounded, and in the page's language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from web_visitor import visit

from big2_env.tables.browser.course_handlers import MAX_BODY
from big2_env.tables.session.course import MOST_TEXT
from big2_env.tables.site.worker import PageWorker


def in_worker(body: object = None) -> dict[str, object]:
    text = None if body is None else json.dumps(body)
    asked = {"path": "course", "body": text, "lang": "zh-Hans", "tables": []}
    answer: dict[str, object] = json.loads(PageWorker().answer(json.dumps(asked)))
    assert answer["keep"] is None
    return answer


def test_course__server_and_worker_answer_the_same(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        sample = visitor.get("/api/course").json()
        assert in_worker() == {"status": 200, "data": sample, "keep": None}
        for text, expected in (
            (sample["input"], sample["log"]),
            (sample["log"], sample["log"].replace("PASS", "pass")),
            ("nonsense", ""),
        ):
            body = {"text": text, "expected": expected}
            answer = visitor.post("/api/course?lang=zh-Hans", body)
            assert in_worker(body) == {"status": answer.status, "data": answer.json(), "keep": None}
        assert answer.json() == {"problem": answer.json()["problem"]}
        assert answer.json()["problem"].startswith("读不懂这一局。line 1: ")


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ({"text": "x" * (MOST_TEXT + 1), "expected": ""}, 413, "too_large"),
        ({"text": "", "expected": "牌" * (MOST_TEXT + 1)}, 413, "too_large"),
        ({"text": "x" * MAX_BODY, "expected": ""}, 413, "too_large"),
        ({"text": ""}, 400, "bad_request"),
        ({"text": 5, "expected": ""}, 400, "bad_request"),
    ],
)
def test_course__is_bounded(body: dict[str, object], status: int, error: str, tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        answer = visitor.post("/api/course", body)
        assert (answer.status, answer.json()["error"]) == (status, error)


def test_course__needs_the_token(tmp_path: Path) -> None:
    with visit(tmp_path, token="secret-123") as visitor:
        assert visitor.get("/api/course").status == 401
        assert visitor.post("/api/course", {"text": "", "expected": ""}).status == 401
