"""Whole games of several people over HTTP: nothing that a person receives depends on cards that the person cannot see."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from friends import Friend, Listener, friends
from hidden_cards import exchanged
from web_visitor import game_data, named_cards

from big2_env.base.language import Language
from big2_env.base.rng import SplitMix64
from big2_env.games.uno.game import UnoGame
from big2_env.tables.browser import answers, moves, shared_answers, table_handlers
from big2_env.tables.browser.messages import Refused
from big2_env.tables.browser.shared_table import SharedTable
from big2_env.tables.session.shared_session import SharedClimbing


def known_to(table: SharedTable, seat: int | None) -> set[str]:
    """The cards that a person at a table of a climbing game may know of."""
    session = table.session
    assert isinstance(session, SharedClimbing)
    view = session.game.view(0 if seat is None else seat)
    mask = view.bottom | view.obligation | (0 if seat is None else view.hand)
    for played in view.played:
        mask |= played
    return {str(card) for card in view.ruleset.order.sort(mask)}


def other_deal(game: Any, seat: int | None, rng: random.Random) -> UnoGame:
    """The same game with other cards where a seat cannot see them."""
    assert isinstance(game, UnoGame)
    twin = copy.deepcopy(game)
    hands = [hand for number, hand in enumerate(twin.hands) if number != seat]
    hidden = [card for hand in hands for card in hand] + twin.pile
    rng.shuffle(hidden)
    for hand in hands:
        hand[:] = [hidden.pop() for _ in hand]
    twin.pile[:] = hidden
    return twin


def received(table: SharedTable, owner: str, rng: random.Random) -> list[str]:
    """All that a page can learn about a table: its state, the meaning of cards, errors of moves out of turn."""
    table.edition += 1
    found = [
        shared_answers.with_people(answers.written(table, owner, lang), table, owner, table.moved, lang) for lang in Language
    ]
    cards = ["C[3]", "D[3]", "S[2]", "H[7]"]
    requests: list[Any] = [
        lambda: table_handlers.look(table, owner, {"cards": rng.sample(cards, rng.randint(1, 4))}, Language.EN),
        lambda: table_handlers.plays(table, owner, {}, Language.EN),
        lambda: table.record() if table.expect_over(Language.EN) else None,
        lambda: shared_answers.listed(table, owner, Language.EN),
        lambda: table_handlers.review(table, owner, {"version": table.version, "step": 0}, Language.EN),
    ]
    if table.session is not None and table.session.turn != table.seat_of(owner):
        requests += [
            lambda: moves.play(table, owner, {"cards": cards[:1], "reading": None}, Language.EN),
            lambda: moves.move(table, owner, {"moves": ["draw"]}, Language.EN),
        ]
    for request in requests:
        try:
            found.append(str(request()))
        except Refused as refusal:
            found.append(f"{refusal.status} {refusal}")
    return found


def expect_same(table: SharedTable, owner: str, twin: Any, rng: random.Random) -> None:
    """A person receives the same if the cards that the person cannot see are others."""
    session, state = table.session, rng.getstate()
    assert session is not None
    there, now = session.game, received(table, owner, rng)
    session.game = twin
    rng.setstate(state)
    assert received(table, owner, rng) == now
    session.game = there
    table.edition += 1


def check(people: list[Friend], ears: list[Listener], read: list[int], rng: random.Random) -> None:
    """Look at all that was sent to each person since the last time."""
    table = people[0].shared_table
    session = table.session
    assert session is not None
    for number, (friend, ear) in enumerate(zip(people, ears, strict=True)):
        owner = table.owners[number]
        seat = table.viewer_of(owner)
        text = "".join(friend.received) + ear.text[read[number] :]
        read[number] = len(ear.text)
        friend.received.clear()
        assert '"seed"' not in text
        if isinstance(session, SharedClimbing):
            assert named_cards(text) <= known_to(table, seat), seat
            twin = exchanged(session.game, 0 if seat is None else seat, rng.randrange(1000))
        else:
            twin = other_deal(session.game, seat, rng)
        if twin is not None and rng.random() < 0.2:
            expect_same(table, owner, twin, rng)


def show(eve: Friend, ear: Listener, person: Friend, allows: bool) -> None:
    """A person shows a spectator the hand, or hides it; what the spectator was sent before no longer counts."""
    seat = person.shared["you"]
    if allows:
        assert eve.post(f"{eve.path}/sight?lang=en", {"seat": seat}).status == 200
    [wish] = person.look()["shared"]["wishes" if allows else "watching"]
    assert person.post(f"{person.path}/show?lang=en", {"number": wish["number"], "yes": int(allows)}).status == 200
    hand = eve.look()["scene"]["seats"][seat]["hand"]
    assert hand == (person.look()["scene"]["seats"][seat]["hand"] if allows else None)
    while (ear.states[-1]["state"]["shared"]["sight"] is not None) != allows:
        sleep(0.005)
    eve.received.clear()


@pytest.mark.parametrize(("game", "seats"), [("dou_dizhu", 3), ("big2", 4), ("uno", 4)])
def test_secrets__a_whole_game_shows_nobody_the_cards_of_others(game: str, seats: int, tmp_path: Path) -> None:
    rng = random.Random(game)
    with friends(tmp_path, game, people=seats, seats=seats, agent=None) as people:
        eve = Friend(people[0].server, "Eve")
        eve.join(people[0], None)
        everyone = [*people, eve]
        ears = [Listener(friend) for friend in everyone]
        people[0].look()
        people[0].act("start")
        table, read = people[0].shared_table, [0] * len(everyone)
        checks = 0
        while True:
            version = table.version
            for ear in ears:
                ear.wait(lambda event: event["state"]["version"] >= version)  # noqa: B023
            if people[0].look()["scene"]["is_over"]:
                break
            check(everyone, ears, read, rng)
            checks += 1
            if checks in (2, 7):  # the spectator sees the second person's hand for a while
                show(eve, ears[-1], people[1], allows=checks == 2)
                read[-1] = len(ears[-1].text)
            mover = people[people[0].state["scene"]["turn"]]
            mover.look()
            if rng.random() < 0.1:
                hand = mover.state["scene"]["seats"][mover.shared["you"]]["hand"]
                mover.tries("play", cards=[card["text"] for card in (*hand, hand[0])])
            mover.look()
            mover.go(rng)
        assert checks > 8
        final = [ear.wait(lambda event: event["state"].get("scene", {}).get("is_over"))["state"] for ear in ears]
        assert all(seat["hand"] is not None for state in final for seat in state["scene"]["seats"])
        assert len({state["seed"] for state in final}) == 1
        for friend, state in zip(everyone, final, strict=True):
            friend.close()  # the server may have ended a connection that was idle: the next request opens another
            asked = {"version": state["version"], "step": 0}
            frames = game_data(friend.post(f"{people[0].path}/review", asked).json()["page"])["frames"]
            assert len(frames) == state["scene"]["ply"] + 1
            assert all(seat["hand"] is not None for frame in frames for seat in frame["seats"])
        assert SplitMix64(int(final[0]["seed"])).next()
        versions = [[event["state"]["version"] for event in ear.states] for ear in ears]
        assert all(each == sorted(each) for each in versions)
        for ear in ears:
            ear.close()
        eve.close()
