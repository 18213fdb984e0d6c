"""Spectators who see one hand: the person in the seat allows it, all know of it, and it is the only one in a deal."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from friends import Friend, friends, play_out
from web_visitor import Answer, serving

from big2_env.tables.browser import shared_places, shared_sights


@contextmanager
def watched(folder: Path, game: str = "big2", people: int = 2, seats: int = 3, begins: bool = True) -> Iterator[list[Friend]]:
    """People at a table with agents in the other seats, and at the end of the list a spectator."""
    with friends(folder, game, people=people, seats=seats, agent=None) as made:
        for seat in range(people, seats):
            made[0].act("seat", seat=seat, kind="agent")
        eve = Friend(made[0].server, "Eve")
        eve.join(made[0], None)
        if begins:
            made[0].act("start")
        everyone = [*made, eve]
        for friend in everyone:
            friend.look()
        try:
            yield everyone
        finally:
            eve.close()


def watch(friend: Friend, seat: int | None) -> Answer:
    return friend.post(f"{friend.path}/sight?lang=en", {"seat": seat})


def answer(friend: Friend, allows: bool) -> Answer:
    """The answer to the only wish, or to the only spectator who sees the person's hand."""
    shared = friend.look()["shared"]
    own = [one for one in shared["watching"] if one["number"] is not None]
    [one] = [*shared["wishes"], *own]
    return friend.post(f"{friend.path}/show?lang=en", {"number": one["number"], "yes": int(allows)})


def hands(friend: Friend) -> list[int]:
    """Seats whose hands a person sees."""
    return [seat["seat"] for seat in friend.look()["scene"]["seats"] if seat["hand"] is not None]


@pytest.mark.parametrize("game", ["big2", "dou_dizhu", "uno"])
def test_sights__a_spectator_sees_what_the_seat_sees(game: str, tmp_path: Path) -> None:
    with watched(tmp_path, game) as (anna, ben, eve):
        assert (hands(eve), eve.shared["sights"], eve.shared["sight"]) == ([], [0, 1], None)  # the third is an agent
        assert watch(eve, 1).status == 200
        assert (hands(eve), eve.shared["sight"]) == ([], {"seat": 1, "allowed": False})
        assert ben.look()["shared"]["wishes"] == [{"name": "Eve", "number": ben.shared["wishes"][0]["number"]}]
        assert anna.look()["shared"]["wishes"] == []
        assert answer(ben, True).status == 200
        assert hands(eve) == [1]
        for friend, number in ((anna, None), (ben, ben.look()["shared"]["watching"][0]["number"]), (eve, None)):
            assert friend.look()["shared"]["watching"] == [{"name": "Eve", "seat": 1, "number": number}]
        seen, own = eve.state, ben.look()
        told = {"events", "status", "seats"}  # in the third person
        assert {key: value for key, value in seen["scene"].items() if key not in told} == {
            key: value for key, value in own["scene"].items() if key not in told
        }
        for one, other in zip(seen["scene"]["seats"], own["scene"]["seats"], strict=True):
            assert one == other | {"name": seen["shared"]["seats"][one["seat"]]["name"]}
        assert "you" not in seen["scene"]["status"].split()
        assert seen.get("drawing") == own.get("drawing")
        assert (seen["asked"], seen["can_undo"], seen.get("moves", []), seen.get("calls", [])) == (False, False, [], [])
        for name, body in (("play", {"cards": []}), ("move", {"moves": ["draw"]}), ("undo", {}), ("plays", {})):
            assert eve.tries(name, **body).json()["error"] == "no_seat"
        assert eve.post(f"{eve.path}/look", {"cards": []}).json()["error"] == "no_seat"
        assert answer(ben, False).status == 200
        assert (hands(eve), eve.shared["sight"], ben.look()["shared"]["watching"]) == ([], None, [])
        assert watch(eve, 1).json()["error"] == "no_sight"  # until the next deal


def test_sights__of_one_hand_per_deal(tmp_path: Path) -> None:
    with watched(tmp_path, "big2", seats=2) as (anna, ben, eve):
        watch(eve, 0)
        watch(eve, 1)  # nothing was shown yet
        assert anna.look()["shared"]["wishes"] == []
        answer(ben, True)
        assert watch(eve, 0).json()["error"] == "one_hand"
        assert watch(eve, None).status == 200
        assert (hands(eve), eve.shared["sights"]) == ([], [1])
        assert watch(eve, 0).json()["error"] == "one_hand"
        eve.post(f"{eve.path}/leave", {})
        eve.join(anna, None)
        assert watch(eve, 0).json()["error"] == "one_hand"
        watch(eve, 1)
        answer(ben, True)
        play_out([anna, ben])
        assert watch(eve, 0).status == 200
        anna.act("deal")
        assert (hands(eve), ben.look()["shared"]["watching"]) == ([], [])
        answer(anna, True)
        assert hands(eve) == [0]


def test_sights__last_until_they_end(tmp_path: Path) -> None:
    with watched(tmp_path, "big2", seats=2, begins=False) as (anna, ben, eve):
        watch(eve, 1)
        answer(ben, True)  # before the cards are dealt
        anna.look()
        anna.act("start")
        assert hands(eve) == [1]
        play_out([anna, ben])
        anna.act("deal")
        assert hands(eve) == [1]
        ben.post(f"{ben.path}/leave", {})
        assert (hands(eve), eve.shared["sights"], eve.shared["watching"]) == ([], [], [])  # not the agent's hand
        assert watch(eve, 1).json()["error"] == "no_sight"


def test_sights__are_never_of_agents(tmp_path: Path) -> None:
    with watched(tmp_path, "big2") as (anna, ben, eve):
        for friend in (anna, ben):
            friend.post(f"{friend.path}/leave", {})
        assert eve.look()["shared"]["sights"] == []  # people may come back, to whom a spectator could tell cards
        assert [watch(eve, seat).json()["error"] for seat in range(3)] == ["no_sight"] * 3


def test_sights__end_when_the_spectator_leaves(tmp_path: Path) -> None:
    with watched(tmp_path, "big2", seats=2) as (anna, ben, eve):
        watch(eve, 1)
        answer(ben, True)
        assert hands(eve) == [1]
        eve.post(f"{eve.path}/leave", {})
        assert ben.look()["shared"]["watching"] == []
        eve.join(anna, None)
        assert (hands(eve), ben.look()["shared"]["watching"]) == ([], [])


def test_sights__end_when_the_spectator_takes_a_seat(tmp_path: Path) -> None:
    with watched(tmp_path, "big2", begins=False) as (anna, ben, eve):
        anna.act("seat", seat=2, kind="free")
        watch(eve, 1)
        answer(ben, True)
        eve.join(anna, 2)
        anna.act("start")
        assert (hands(eve), ben.look()["shared"]["watching"]) == ([2], [])
        eve.post(f"{eve.path}/leave", {})
        eve.join(anna, 2)
        assert hands(eve) == [2]


def test_sights__of_a_hand_keep_from_other_seats_of_the_deal(tmp_path: Path) -> None:
    with watched(tmp_path, "big2") as (anna, ben, eve):
        watch(eve, 1)
        answer(ben, True)
        anna.look()
        anna.act("seat", seat=2, kind="free")
        eve.join(anna, None)
        assert eve.shared["can_sit"] is False
        ben.post(f"{ben.path}/leave", {})
        eve.join(anna, 1)  # whose hand she knows


def test_sights__who_has_left_a_seat_sees_no_other_hand(tmp_path: Path) -> None:
    with watched(tmp_path, "big2", people=3, seats=3) as (anna, ben, _, eve):
        ben.post(f"{ben.path}/leave", {})
        anna.look()
        dora = Friend(anna.server, "Dora")
        dora.join(anna, 1)
        dora.close()
        ben.join(anna, None)
        assert (ben.look()["shared"]["you"], ben.shared["sights"], eve.look()["shared"]["sights"]) == (None, [1], [0, 1, 2])
        assert watch(ben, 0).json()["error"] == "one_hand"


def test_sights__are_asked_for_by_spectators_and_allowed_by_the_person(tmp_path: Path) -> None:
    with watched(tmp_path, "big2") as (anna, ben, eve):
        assert watch(anna, 1).status == 409
        assert (watch(eve, 2).json()["error"], watch(eve, 9).status) == ("no_sight", 400)
        watch(eve, 1)
        number = ben.look()["shared"]["wishes"][0]["number"]
        for friend, error in ((anna, "not_asked"), (eve, "no_seat")):  # the host neither
            assert friend.post(f"{friend.path}/show", {"number": number, "yes": 1}).json()["error"] == error
        assert ben.post(f"{ben.path}/show", {"number": number + 1, "yes": 1}).json()["error"] == "not_asked"
        watch(eve, 0)
        assert ben.post(f"{ben.path}/show", {"number": number, "yes": 1}).json()["error"] == "not_asked"
        stranger = Friend(anna.server, "Mallory")
        stranger.state = eve.state
        assert (watch(stranger, 1).status, stranger.post(f"{eve.path}/show", {"number": number, "yes": 1}).status) == (404, 404)
        stranger.close()
        answer(anna, True)
        anna.look()
        anna.act("link")
        assert anna.shared["watching"] == []
        assert eve.get(eve.path).status == 404


def test_sights__wishes_stop_no_move_and_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_places, "MAX_OFTEN", 3)
    with watched(tmp_path, "big2", seats=2) as (anna, ben, eve):
        people = [anna, ben]
        mover = people[anna.state["scene"]["turn"]]
        version, (name, body) = mover.look()["version"], mover.legal_move(random.Random(1))
        assert [watch(eve, seat).status for seat in (0, 1, 0, 1)] == [200, 200, 200, 429]
        assert (mover.tries(name, **body).status, mover.state["version"]) == (200, version)


def test_sights__are_forgotten_by_a_restart_but_not_the_hand_that_was_seen(tmp_path: Path) -> None:
    with watched(tmp_path, "big2", seats=2) as (_, ben, eve):
        watch(eve, 1)
        answer(ben, True)
        states: list[tuple[Any, Any]] = [(friend.cookies, friend.state) for friend in (ben, eve)]
    with serving(tmp_path) as server:
        ben, eve = (Friend(server, name, cookies) for name, (cookies, _) in zip(("Ben", "Eve"), states, strict=True))
        ben.state, eve.state = (state for _, state in states)
        assert (hands(eve), ben.look()["shared"]["watching"], eve.shared["sights"]) == ([], [], [1])
        assert watch(eve, 0).json()["error"] == "one_hand"
        watch(eve, 1)
        answer(ben, True)
        assert hands(eve) == [1]
        ben.close()
        eve.close()


def test_sights__have_a_limit_per_deal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_sights, "MAX_SEEN", 0)
    monkeypatch.setattr(shared_sights, "MAX_REFUSED", 1)
    with watched(tmp_path, "big2", seats=2) as (_, ben, eve):
        watch(eve, 1)
        assert answer(ben, True).json()["error"] == "full"
        assert hands(eve) == []
        assert answer(ben, False).status == 200
        assert (eve.look()["shared"]["sights"], watch(eve, 0).json()["error"]) == ([], "no_sight")
