"""What answers the page in its worker: the texts that the page keeps are the tables, and nothing else is needed."""

from __future__ import annotations

import json
from typing import Any

from big2_env.notation import records
from big2_env.tables.site.worker import PageWorker


class Page:
    """A page that keeps its tables, as `kept.js` does."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.worker = PageWorker()
        self.status = 0

    def ask(self, path: str, body: object = None, lang: str = "en") -> Any:
        text = None if body is None else body if isinstance(body, str) else json.dumps(body)
        message = {"path": path, "body": text, "lang": lang, "tables": list(self.kept.items())}
        answer = json.loads(self.worker.answer(json.dumps(message)))
        if answer["keep"]:
            self.kept.update([answer["keep"]])
        self.status = answer["status"]
        return answer["data"]

    def sit_down(self, **more: Any) -> str:
        body = {"game": "big2", "opponents": ["lowest"] * 3, "seat": 0, "seed": 7} | more
        state = self.ask("tables", body)
        assert self.status == 201, state
        return f"tables/{state['table']}"

    def until_asked(self, path: str) -> Any:
        state = self.ask(path)
        while state["waiting"]:
            state = self.ask(f"{path}/advance", {"version": state["version"]})
        return state


def test_desk__goes_on_from_the_texts_that_a_page_keeps() -> None:
    page = Page()
    path = page.sit_down()
    state = page.until_asked(path)
    page.worker = PageWorker()  # the page was reloaded
    assert page.ask(path) == state
    [listed] = page.ask("lobby")["tables"]
    assert listed["title"] == "Big Two"


def test_desk__two_tabs_of_one_table() -> None:
    page = Page()
    path = page.sit_down()
    other = Page()
    other.kept = page.kept  # both are the same browser's
    state = page.until_asked(path)
    assert other.ask(path)["version"] == state["version"]
    best = page.ask(f"{path}/hint", {"version": state["version"]})["advice"][0]
    assert json.loads(page.kept[state["table"]])["record"]["hints"] == 1  # a page that is reloaded forgets none
    cards = [card["text"] for card in best["cards"]]
    page.ask(f"{path}/play", {"version": state["version"], "cards": cards})
    refused = other.ask(f"{path}/play", {"version": state["version"], "cards": cards})
    assert (other.status, refused["error"], refused["state"]["version"]) == (409, "stale", state["version"] + 1)


def test_desk__refuses_what_it_does_not_know_and_changes_nothing() -> None:
    page = Page()
    path = page.sit_down()
    before = dict(page.kept)
    for asked, body, status in (
        ("tables/" + "x" * 16, None, 404),
        ("nothing", None, 404),
        (f"{path}/nothing", "{}", 404),
        (f"{path}/leave", "{}", 404),
        (f"{path}/play", "[]", 400),
        (f"{path}/record", None, 409),
        (f"{path}/undo", json.dumps({"version": 0}), 409),
        ("tables", json.dumps({"game": "big2", "opponents": ["learned:/etc/passwd"] * 3}), 400),
    ):
        found = page.ask(asked, body)
        assert (page.status, page.kept) == (status, before), (asked, found)
    key = path.removeprefix("tables/")
    page.kept[key] = page.kept[key].replace('"schema": 3', '"schema": 1')
    page.ask(path)
    assert page.status == 400
    assert page.ask("lobby")["tables"] == []


def test_desk__gives_hands_and_record_away_only_once_the_game_is_over() -> None:
    page = Page()
    path = page.sit_down()
    state = page.until_asked(path)
    while not state["scene"]["is_over"]:
        assert [seat["hand"] is None for seat in state["scene"]["seats"]] == [False, True, True, True]
        version = {"version": state["version"]}
        if state["can_pass"]:
            state = page.ask(f"{path}/play", version | {"cards": []})
        elif state["asked"]:
            best = page.ask(f"{path}/hint", version)["advice"][0]
            state = page.ask(f"{path}/play", version | {"cards": [card["text"] for card in best["cards"]]})
        else:
            state = page.ask(f"{path}/advance", version)
    record = records.loads(page.ask(f"{path}/record")["line"])
    assert record.game.is_over
    review = page.ask(f"{path}/review", {"version": state["version"], "step": 0})
    assert 'id="data"' in review["page"]
    again = page.ask("practice", {"record": review["record"], "ply": 5})
    assert again["table"] != state["table"]
    assert [seat["hand"] is None for seat in again["scene"]["seats"]] == [False, True, True, True]
    assert page.ask("tables/" + again["table"])["scene"]["ply"] == 5
