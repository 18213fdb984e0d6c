"""The protocol of the browser table once a game is over: the review and the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from web_visitor import game_data, visit

from big2_env import BIG2, CardsLeft
from big2_env.base.errors import ConfigError
from big2_env.base.language import Language
from big2_env.climbing.game import Game
from big2_env.drawing.replay_page import NamedMove, Replay, Verdict
from big2_env.notation import records
from big2_env.notation.transcript import Transcript
from big2_env.tables.browser.web_table import WebTable
from big2_env.tables.session.saved import saved_games
from big2_env.tables.session.table_session import TableSession


class Reviewed:
    """A review of four moments, each of which has its own remark; whoever judges needs no time."""

    moments = 4
    is_waiting = False

    @property
    def edition(self) -> int:
        return self.done

    def __init__(self, game: Game, seat: int, players: Sequence[str | None]) -> None:
        self.done = 0
        self.asked, self.players = (game, seat), list(players)

    def step(self) -> None:
        self.done += 1

    def judged(self, shown: Replay, transcript: Transcript, lang: Language) -> Replay:
        verdict = Verdict("", turn=NamedMove(3, f"edition {self.done}")) if self.done == 4 else None
        notes = (f"judged {self.done} for {transcript.names[self.asked[1]]} in {lang.value}",)
        return replace(shown, notes=notes, verdict=verdict)


def test_protocol__review_and_record_come_with_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Reviewed] = []

    def reviewing(name: str, game: Game, seat: int, players: Sequence[str | None]) -> Reviewed:
        made.append(Reviewed(game, seat, players))
        return made[-1]

    monkeypatch.setattr("big2_env.tables.session.reviewer.reviewing", reviewing)
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
            assert step["moves"] == {"text": "", "best": None, "turn": None, "costs": []}
        assert step["moves"] == {"text": "", "best": None, "turn": {"ply": 3, "text": "edition 4"}, "costs": []}
        last = visitor.post(f"{visitor.path}/review?lang=zh-Hans", asked).json()
        assert game_data(last["page"])["notes"] == ["judged 4 for 你 in zh-Hans"]
        assert [one.asked for one in made] == [(visitor.table.session.game, 0)]
        assert made[0].players == visitor.table.session.specs()  # values are of games against them
        record = records.loads(visitor.get(f"{visitor.path}/record").text)
        assert record.game == visitor.table.session.game
        [kept] = saved_games(tmp_path / "games")
        assert (kept.payoff, kept.moves) == (record.game.outcome.payoffs[0], visitor.state["scene"]["ply"])
        visitor.act("deal")
        asked["version"] = visitor.state["version"]
        assert visitor.post(f"{visitor.path}/review", asked).json()["error"] == "not_over"


def test_protocol__a_game_that_cannot_be_judged_is_shown_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked_for: list[Reviewed] = []

    def refuse(self: Reviewed) -> None:
        asked_for.append(self)
        raise ConfigError("too large")

    monkeypatch.setattr("big2_env.tables.session.reviewer.reviewing", lambda *given: Reviewed(*given[1:]))
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


def test_protocol__a_finished_game_continues_from_one_of_its_moves_at_a_new_table(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        visitor.sit_down(seed=7)
        visitor.play_out()
        over, path, old = visitor.table.session.game, visitor.path, visitor.table.session
        known = old.seed, old.opponents, old.seat, (0.0,) * 4
        asked = {"version": visitor.state["version"], "step": 0}
        line = visitor.post(f"{path}/review", asked).json()["record"]
        assert line == visitor.get(f"{path}/record").text.strip()
        visitor.act("deal")  # which does not matter
        assert visitor.post("/api/practice", {"record": line, "ply": len(over.history)}).status == 400
        house = TableSession(replace(BIG2, scoring=CardsLeft(((8, 2),))), ["lowest"] * 3, seat=1, seed=7)
        house.advance()
        agents = [line.replace('"lowest"', name) for name in ('"search:9"', '"x:y"', "3")]
        for wrong in ("", "[]", *agents, records.dumps(house.record())):
            assert visitor.post("/api/practice", {"record": wrong, "ply": 0}).status == 400, wrong
        made = visitor.post("/api/practice", {"record": line, "ply": 3})
        assert made.status == 201
        assert made.json()["practice"] is True
        visitor.state = made.json()
        assert visitor.path != path
        assert [seat["hand"] is None for seat in visitor.state["scene"]["seats"]] == [False, True, True, True]
        assert "seed" not in visitor.state
        new = visitor.table.session
        assert (new.game.history, new.game.start) == (over.history[:3], over.start)
        assert (new.seed, new.opponents, new.seat, new.scores) == known
        assert visitor.get(f"{visitor.path}/record").json()["error"] == "not_over"
        visitor.play_out()
        assert len(saved_games(tmp_path / "games")) == 1  # practice is not among the person's games
        assert [seat["score"] for seat in visitor.state["scene"]["seats"]] == [0.0] * 4
        loaded = visitor.server.lobby.saved.load(visitor.table.owner, visitor.table.key)
        assert isinstance(loaded, WebTable)
        assert (loaded.is_practice, loaded.session.scores) == (True, (0.0,) * 4)
        visitor.act("deal")
        assert not visitor.table.is_practice
        assert (visitor.table.session.scores, visitor.table.session.deals) == ((0.0,) * 4, 0)


def test_protocol__a_review_says_when_to_show_it_again_and_when_to_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("big2_env.tables.session.reviewer.reviewing", lambda *given: Reviewed(*given[1:]))
    with visit(tmp_path) as visitor:
        visitor.sit_down(seed=7)
        visitor.play_out()
        asked = {"version": visitor.state["version"], "step": 1}
        found = [visitor.post(f"{visitor.path}/review", asked).json() for _ in range(2)]
        assert [(one["edition"], one["waiting"]) for one in found] == [(1, False), (2, False)]  # one edition per answer
        monkeypatch.setattr(Reviewed, "is_waiting", True)
        monkeypatch.setattr(Reviewed, "edition", 2)
        assert visitor.post(f"{visitor.path}/review", asked).json()["waiting"] is True


def test_tables__are_prepared_for_their_review(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[tuple[str, int]] = []
    with visit(tmp_path) as visitor:
        monkeypatch.setattr(visitor.server.lobby, "_prepare", lambda rules, number: prepared.append((rules.name, number)))
        visitor.sit_down(seed=7)
    assert prepared == [("big2", 4)]
