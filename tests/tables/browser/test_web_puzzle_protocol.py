"""Requests to puzzles: the list, a whole puzzle, refusals; the page's worker answers the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from web_visitor import visit

from big2_env.base.language import Language, words
from big2_env.tables.puzzles import shipped
from big2_env.tables.session.puzzling import Puzzling
from big2_env.tables.site.worker import PageWorker

PUZZLE = shipped.puzzles_of("big2")[0]
SAMPLE = [shipped.puzzles_of(name)[0] for name in ("big2", "dou_dizhu", "three_two_one", "wu_gua_pi")]


class Asked:
    """A page that asks a server and a worker, and expects the same of both."""

    def __init__(self, visitor: Any) -> None:
        self.visitor = visitor
        self.worker = PageWorker()
        self.status = 0

    def __call__(self, path: str, body: Any = None, lang: str = "en") -> Any:
        url = f"/api/{path}?lang={lang}"
        found = self.visitor.get(url) if body is None else self.visitor.post(url, body)
        message = {"path": path, "body": None if body is None else json.dumps(body), "lang": lang, "tables": []}
        answer = json.loads(self.worker.answer(json.dumps(message)))
        self.status = found.status
        assert (answer["status"], answer["data"], answer["keep"]) == (found.status, found.json(), None)
        return answer["data"]


def test_list__has_every_puzzle_with_its_grade(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        for lang in Language:
            games = Asked(visitor)("puzzles", lang=lang.value)["games"]
            assert [game["name"] for game in games] == list(shipped.games())
            for game in games:
                assert game["puzzles"] == [[one.key, one.grade, one.moves] for one in shipped.puzzles_of(game["name"])]
                grades = [grade for _, grade, _ in game["puzzles"]]
                assert grades == sorted(grades)


@pytest.mark.parametrize("puzzle", SAMPLE, ids=lambda one: one.key)
def test_puzzle__is_played_to_the_win(puzzle: Any, tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        ask, path = Asked(visitor), f"puzzles/{puzzle.key}"
        state = ask(f"{path}/state", {"moves": ""})
        assert all(seat["hand"] for seat in state["scene"]["seats"])
        while not state["scene"]["is_over"]:
            moves = state["puzzle"]["moves"]
            if state["asked"]:
                session = Puzzling(puzzle, moves)
                best = session.solver.answer(session.game)
                cards = [str(card) for card in session.ruleset.order.sort(best.mask)]
                assert ask(f"{path}/look", {"moves": moves, "cards": cards})["legal"]
                if cards:
                    assert sorted(cards) in map(sorted, ask(f"{path}/plays", {"moves": moves})["plays"])
                found = [one.mask for one in session.legal if one.mask == best.mask]
                reading = {"reading": 0} if len(found) > 1 else {}
                state = ask(f"{path}/play", {"moves": moves, "cards": cards, **reading})
            else:
                assert state["waiting"]
                state = ask(f"{path}/advance", {"moves": moves})
            assert state["version"] == len(state["puzzle"]["moves"].split("/"))
        assert state["puzzle"]["is_solved"]


def test_puzzle__error_is_refuted_in_every_language(tmp_path: Path) -> None:
    session = Puzzling(PUZZLE)
    losing = [play for play in session.legal if play.mask and not any(str(play) == text for text in PUZZLE.winning)]
    with visit(tmp_path) as visitor:
        ask, path = Asked(visitor), f"puzzles/{PUZZLE.key}"
        moves = ""
        for play in losing:
            session.play(play)
            moves = session.moves
            if session.error is not None:
                break
            session.undo()
        for lang in Language:
            state = ask(f"{path}/state", {"moves": moves}, lang.value)
            assert (state["puzzle"]["error"], state["asked"], state["waiting"]) == (0, False, True)
            told = words(lang)("puzzles.wrong", play="\0", name="\0").split("\0")
            assert all(part.strip() in state["puzzle"]["text"] for part in told)
        back = ask(f"{path}/undo", {"moves": moves})
        assert (back["puzzle"]["moves"], back["asked"]) == ("", True)


def test_solution__is_shown_move_by_move(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        ask, path = Asked(visitor), f"puzzles/{PUZZLE.key}"
        state = ask(f"{path}/state", {"moves": "", "shown": 1})
        while not state["scene"]["is_over"]:
            assert not state["asked"]
            state = ask(f"{path}/advance", {"moves": state["puzzle"]["moves"], "shown": 1})
        assert not state["puzzle"]["is_solved"]
        assert state["puzzle"]["moves"].split("/")[0] in PUZZLE.winning


def test_puzzle__refuses_what_is_wrong(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        ask, path = Asked(visitor), f"puzzles/{PUZZLE.key}"
        for place, body, status in (
            ("puzzles/big2-999999999/state", {"moves": ""}, 404),
            ("puzzles/nothing/state", {"moves": ""}, 404),
            (f"{path}/state", {}, 400),
            (f"{path}/state", {"moves": "x" * 5000}, 400),
            (f"{path}/state", {"moves": "single C[3]/" * 50}, 400),
            (f"{path}/state", {"moves": "", "more": 1}, 400),
            (f"{path}/state", {"moves": "", "shown": 2}, 400),
            (f"{path}/advance", {"moves": ""}, 409),
            (f"{path}/undo", {"moves": ""}, 409),
            (f"{path}/play", {"moves": "", "cards": ["S[2]", "C[3]", "D[4]"]}, 409),
            (f"{path}/play", {"moves": "", "cards": ["nonsense"]}, 400),
        ):
            assert set(ask(place, body)) >= {"error", "message"}
            assert ask.status == status, (place, body)
