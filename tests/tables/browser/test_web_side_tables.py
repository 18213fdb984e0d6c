"""Tables of side games: whole games, hidden cards, tables that outlive the server, requests that are refused."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stored_tables import damage, stored_data
from web_visitor import Visitor, game_data, visit

from big2_env.base.language import Language
from big2_env.base.side_games import side_games
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.klondike.hint import drawn
from big2_env.games.uno.game import UnoGame
from big2_env.tables.browser import answers, reviews, side_table, table_handlers
from big2_env.tables.browser.messages import Refused
from big2_env.tables.browser.side_table import SideTable


def table_of(visitor: Visitor) -> SideTable:
    found: Any = visitor.table
    assert isinstance(found, SideTable)
    return found


def act(visitor: Visitor, rng: random.Random) -> None:
    """One move: another player's, or one of the person's legal moves by chance."""
    if visitor.state["waiting"]:
        visitor.act("advance")
    else:
        visitor.act("move", moves=[rng.choice(visitor.state["moves"])["text"]])


def other_deal(game: Any, rng: random.Random) -> Any:
    """The same game with other cards where the person cannot see them."""
    if isinstance(game, KlondikeGame):
        again = KlondikeGame(game.start)
        again.history, again.state = game.history, drawn(game.view(), rng)._replace(score=game.state.score)
        return again
    twin = copy.deepcopy(game)
    assert isinstance(twin, UnoGame)
    hidden = [card for hand in twin.hands[1:] for card in hand] + twin.pile
    rng.shuffle(hidden)
    for hand in twin.hands[1:]:
        hand[:] = [hidden.pop() for _ in hand]
    twin.pile[:] = hidden
    return twin


def reviewed(table: SideTable, lang: Language) -> str:
    """The refusal of a review of a game that is not over."""
    with pytest.raises(Refused) as refusal:
        table_handlers.review(table, table.owner, {"version": table.version, "step": 0}, lang)
    return f"{refusal.value.code} {refusal.value}"


def frames_of(visitor: Visitor) -> list[Any]:
    """What the review of a game that is over shows."""
    answer = visitor.post(f"{visitor.path}/review", {"version": visitor.state["version"], "step": 0}).json()
    assert (answer["done"], answer["of"], answer["waiting"]) == (0, 0, False)  # no one judges it
    found: list[Any] = game_data(answer["page"])["frames"]
    return found


def shown(table: SideTable, game: Any, monkey: pytest.MonkeyPatch) -> str:
    """All that a page gets to see of a game at a table."""
    there = table.session.game
    monkey.setattr(side_table, "SECONDS", 0.0)
    table.session.game = game
    try:
        is_asked = table.waits_for(0)
        asks: list[Callable[[SideTable, Language], Any]] = [lambda table, lang: answers.state(table, table.owner, lang)]
        asks += [SideTable.hint] if is_asked and table.version % 4 == 0 else []
        table._chance = None
        asks += [SideTable.chance] if is_asked and table.version % 40 == 9 and game.num_players == 1 else []
        if not game.is_over:
            asks.append(reviewed)
        return json.dumps([ask(table, Language.EN) for ask in asks])
    finally:
        table.session.game = there


@pytest.mark.parametrize("game", ["uno", "klondike"])
def test_side__a_whole_game_shows_nothing_that_depends_on_hidden_cards(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(game)
    with visit(tmp_path) as visitor:
        visitor.sit_down(game, ["automatic"] * 3 if game == "uno" else [], seed=3)
        table = table_of(visitor)
        while not visitor.state["scene"]["is_over"]:
            now = shown(table, table.game, monkeypatch)
            assert now == shown(table, other_deal(table.game, rng), monkeypatch)
            assert json.loads(now)[0] == visitor.state
            assert '"seed"' not in now
            if game == "klondike":  # by hints, and lost or won in the end
                if visitor.state["scene"]["ply"] > 250:
                    return
                moves = visitor.post(f"{visitor.path}/hint", {"version": visitor.state["version"]}).json()["moves"]
                visitor.act("move", moves=moves)
            else:
                act(visitor, rng)
        late = visitor.post(f"{visitor.path}/chance", {"version": visitor.state["version"] - 1})
        assert late.json() == {"version": visitor.state["version"], "won": 0, "done": 0, "of": 0, "final": True}
        assert visitor.state["seed"] == "3"
        frames = frames_of(visitor)
        assert len(frames) == visitor.state["scene"]["ply"] + 1
        assert all(seat["hand"] is not None for frame in frames for seat in frame["seats"])
        assert all(seat["hand"] is not None for seat in visitor.state["scene"]["seats"])
        record = json.loads(visitor.get(f"{visitor.path}/record").text)
        assert (record["game"], record["seat"], record["seed"]) == (game, 0, 3)
        [kept] = (tmp_path / "games").iterdir()
        assert json.loads(kept.read_text()) == record


def test_side__tables_outlive_the_server(tmp_path: Path) -> None:
    rng = random.Random(8)
    with visit(tmp_path) as first:
        first.sit_down("uno", ["automatic", "random"][:1] * 2, seed=9)
        for _ in range(7):
            act(first, rng)
        left = first.get(f"{first.path}?lang=en").json()
        cookies = first.cookies
    with visit(tmp_path, cookies) as second:
        second.state = left
        assert second.get(f"{second.path}?lang=en").json() == left
        [listed] = second.get("/api/lobby?lang=en").json()["tables"]
        assert listed["table"] == left["table"]
        assert listed["opponents"] == ["Computer", "Computer"]
        assert (listed["side"], listed["over"], listed["title"]) == (True, False, "UNO")
        before = second.state
        while not second.state["asked"]:
            second.act("advance")
        second.act("move", moves=[second.state["moves"][0]["text"]])
        second.act("undo")
        assert second.state["version"] > before["version"]
        while not second.state["scene"]["is_over"]:
            act(second, rng)
        paid = [seat["payoff"] for seat in second.state["scene"]["seats"]]
        dealt = second.act("deal")
        assert (dealt["deal"], [seat["score"] for seat in dealt["scene"]["seats"]]) == (1, paid)


def test_side__refuses_what_does_not_fit_and_changes_nothing(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        for body in (
            {"opponents": ["search"]},
            {"opponents": ["learned:x.npz"]},
            {"opponents": ["automatic", "random"]},
            {"opponents": ["automatic"] * 12},
            {"opponents": []},
            {"opponents": ["automatic"], "seat": 2},
        ):
            assert visitor.post("/api/tables", {"game": "uno", "seed": 1, **body}).status == 400, body
        state = visitor.sit_down("uno", ["automatic"], seed=3)
        while not state["asked"]:
            state = visitor.act("advance")
        for name, body, status in (
            ("move", {"moves": ["R[11]"]}, 400),
            ("move", {"moves": []}, 400),
            ("move", {"moves": ["keep"]}, 409),
            ("guess", {"seat": 0}, 409),
            ("watch", {"count": 1}, 409),
            ("advance", {}, 409),
            ("chance", {}, 409),
            ("play", {"cards": []}, 404),
            ("review", {"step": 0}, 409),
        ):
            answer = visitor.post(f"{visitor.path}/{name}?lang=en", {"version": state["version"], **body})
            assert answer.status == status, (name, answer.text)
        assert visitor.post(f"{visitor.path}/move", {"version": state["version"] + 1, "moves": ["draw"]}).status == 409
        assert visitor.get(f"{visitor.path}/record").status == 409
        assert visitor.get(f"{visitor.path}?lang=en").json() == state
        assert visitor.get("/api/rules/uno?lang=zh-Hans").json()["title"] == "UNO"
        other = Visitor(visitor.server)
        assert other.get(visitor.path).status == 404
        other.close()


@pytest.mark.parametrize(
    "change",
    [
        {"record": {"game": "chess"}},
        {"record": {"deck": []}},
        {"record": {"acts": ["nothing"]}},
        {"record": {"acts": 3}},
        {"record": {"agents": ["learned:weights.npz"]}},
        {"record": {"agents": ["automatic", "random"]}},
        {"before": [0]},
        {"record": {"seat": 7}},
        {"record": {"seed": "1"}},
        {"record": 3},
        {"guesses": None},
    ],
)
def test_side__a_table_that_is_broken_on_disk_does_not_exist(change: dict[str, Any], tmp_path: Path) -> None:
    with visit(tmp_path) as first:
        first.sit_down("uno", ["automatic"], seed=9)
        cookies, path = first.cookies, first.path
    data = stored_data(tmp_path)
    data |= {key: data[key] | value if isinstance(value, dict) else value for key, value in change.items()}
    damage(tmp_path, json.dumps(data))
    with visit(tmp_path, cookies) as second:
        assert second.get(path).status == 404
        assert second.get("/api/lobby").status == 200


def test_side__every_game_says_how_many_play_and_against_whom() -> None:
    for entry in side_games():
        kind = entry.kind()
        least, most, usual = kind.seats
        assert entry.players[0] == least <= usual <= most <= entry.players[1]
        assert kind.for_seats(usual).num_players == usual
        assert "random" in kind.opponents()


def test_side__watching_shows_no_hand_and_counts_guesses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    with visit(tmp_path) as visitor:
        state = visitor.sit_down("fishing", [], seed=7)
        assert (state["asked"], state["waiting"], state["moves"], state["can_undo"]) == (False, False, [], False)
        assert visitor.post(f"{visitor.path}/guess", {"version": 0, "seat": 2}).status == 400
        visitor.act("guess", seat=1)
        table = table_of(visitor)
        game: Any = table.game
        while not visitor.state["scene"]["is_over"]:
            now = json.dumps(answers.state(table, table.owner, Language.EN))
            kept = [list(hand) for hand in game.hands]
            cards = [card for hand in kept for card in hand]
            rng.shuffle(cards)
            for hand in game.hands:
                for place in range(len(hand)):
                    hand[place] = cards.pop()
            assert json.dumps(answers.state(table, table.owner, Language.EN)) == now
            assert visitor.post(f"{visitor.path}/review", {"version": table.version, "step": 0}).json()["error"] == "not_over"
            for hand, before in zip(game.hands, kept, strict=True):
                hand.clear()
                hand.extend(before)
            assert "seed" not in visitor.state
            visitor.act("watch", count=20)
            assert visitor.post(f"{visitor.path}/guess", {"version": visitor.state["version"], "seat": 0}).status == 409
        assert visitor.state["watch"] | {"trend": []} == {"guess": 1, "made": 1, "right": 0, "trend": []}
        assert visitor.state["watch"]["trend"][-1] == [seat["count"] for seat in visitor.state["scene"]["seats"]]
        assert len(visitor.state["watch"]["trend"]) <= side_table.TREND + 1
        assert json.loads(visitor.get(f"{visitor.path}/record").text)["plays"] == visitor.state["scene"]["ply"] == 275
        frames = frames_of(visitor)
        assert (len(frames), frames[0]["seats"][0]["name"]) == (276, "seat 1")
        monkeypatch.setattr(reviews, "MAX_SHOWN", 274)
        long = visitor.post(f"{visitor.path}/review", {"version": visitor.state["version"], "step": 0})
        assert (long.status, long.json()["error"]) == (409, "no_review")
        assert "expected at most 274 moves, got 275" in long.json()["message"]
        over, cookies = visitor.state, visitor.cookies
    with visit(tmp_path, cookies) as again:
        again.state = over
        assert again.get(f"{again.path}?lang=en").json() == over
        dealt = again.act("deal")
        assert (dealt["watch"]["guess"], dealt["watch"]["made"], dealt["scene"]["ply"]) == (None, 1, 0)


def test_side_tables__moves_of_one_request_stay_and_are_the_persons_own(tmp_path: Path) -> None:
    """Taken back, they would tell a person which cards others hold, or which card is drawn next."""
    with visit(tmp_path) as visitor:
        visitor.sit_down("uno", ["automatic"] * 3, seed=3)
        while not visitor.state["asked"] or len(visitor.state["moves"]) < 2:
            act(visitor, random.Random(1))
        table, own = table_of(visitor), visitor.state["moves"][0]["text"]
        made = len(table.game.history)
        game = table.game.rewound(made)
        game.play(game.parse_move(own))
        theirs = game.move_text(game.legal_moves()[0])
        state = visitor.act("move", moves=[own, theirs])
        assert [one.seat for one in table.game.history[made:]] == [table.session.seat]
        assert state["waiting"]


def test_side_tables__refuse_more_moves_than_they_can_save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("big2_env.tables.browser.moves.MOST_MOVES", 2)
    with visit(tmp_path) as visitor:
        visitor.sit_down("klondike", [], seed=3)
        visitor.act("move", moves=["deal", "deal"])
        body = {"version": visitor.state["version"], "moves": ["deal"]}
        assert visitor.post(f"{visitor.path}/move", body).json()["error"] == "illegal"
